import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get } from '../api.ts'
import { fail, go, me, param, withParams } from '../state.ts'

const projects = signal<string[]>([])

/** The project that the address names, or where the server was started. */
export const projectNow = (): string => param('project') || (me.value?.cwd ?? '')

/** Chooses among the projects in which agents have worked; nothing, where there is only one. */
export function ProjectChoice() {
  useEffect(() => {
    get<{ projects: string[] }>('/api/projects').then((found) => {
      projects.value = found.projects
    }, fail)
  }, [])
  const all = [...new Set([projectNow(), ...projects.value])]
  if (all.length < 2) return null
  return (
    <select
      aria-label="Project"
      value={projectNow()}
      onChange={(event) => go(withParams({ project: event.currentTarget.value, rule: null }))}
    >
      {all.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  )
}
