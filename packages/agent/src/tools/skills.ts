import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { homeDirectory } from 'hookline/internal'
import { ToolFailure } from '../core/index.ts'

/** A folder with a SKILL.md: how to do something, for an agent that reads it when it needs it. */
export interface Skill {
  name: string
  description: string
  directory: string
  /** It works in a conversation of its own (`context: fork`). */
  forks: boolean
}

/** Where agents keep skills, in a project and at home (https://agentskills.io). */
const places = ['.agents/skills', '.claude/skills', '.hookline/skills', 'skills']
const mostSkills = 200
const largestFile = 256 * 1024

/** The skills of the project, then those of the person; of two with one name, the first counts. `wanted`: all, or these. */
export function findSkills(wanted: true | readonly string[], cwd: string, home = homeDirectory()): Skill[] {
  const roots = [...places.map((place) => join(cwd, place)), ...places.slice(0, -1).map((place) => join(home, place))]
  const found = new Map<string, Skill>()
  for (const root of roots)
    for (const skill of skillsIn(root)) {
      const isWanted = wanted === true || wanted.includes(skill.name)
      if (isWanted && !found.has(skill.name) && found.size < mostSkills) found.set(skill.name, skill)
    }
  return [...found.values()]
}

function skillsIn(root: string): Skill[] {
  if (!existsSync(root)) return []
  return readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    const directory = join(root, entry.name)
    const file = join(directory, 'SKILL.md')
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return []
    const { name = entry.name, description = '', context } = headOf(readFileSync(file, 'utf8'))
    return [{ name, description, directory, forks: context === 'fork' }]
  })
}

/** The `key: value` lines between the dashes at its beginning; a value may go on in lines that are set in. */
function headOf(text: string): Record<string, string> {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? ''
  const fields: Record<string, string> = {}
  let last = ''
  for (const line of head.split(/\r?\n/)) {
    const [, key, value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
    if (key !== undefined) {
      last = key
      fields[key] = /^[>|][+-]?$/.test(value) ? '' : value.replace(/^(["'])(.*)\1$/, '$2')
    } else if (/^\s+\S/.test(line) && last !== '') fields[last] = `${fields[last]} ${line.trim()}`.trim()
  }
  return fields
}

/** SKILL.md, or another file of the folder; nothing outside it, wherever links lead. */
export function readSkill({ directory, name }: Skill, file = 'SKILL.md'): string {
  const path = join(directory, file)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new ToolFailure(`The skill ${name} has no file ${file}.`)
  const inside = relative(realpathSync(directory), realpathSync(path))
  if (inside.startsWith(`..${sep}`)) throw new ToolFailure(`${file} is outside of the skill ${name}.`)
  if (found.size > largestFile) throw new ToolFailure(`${file} of the skill ${name} is too large.`)
  return readFileSync(path, 'utf8').replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n?/, '')
}
