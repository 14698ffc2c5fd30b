import { useEffect, useRef, useState } from 'preact/hooks'
import { get, type Problem } from '../api.ts'
import { problemOf } from '../state.ts'

export interface Loaded<T> {
  value: T | undefined
  /** Why there is nothing; what was read before stays. */
  problem: Problem | undefined
  again(): void
}

/** What is at an address, read again whenever that or one of these changes. What comes late for an address of before is left out. */
export function useLoaded<T>(path: string, ...when: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<{ path: string; found: T }>()
  const [problem, setProblem] = useState<Problem>()
  const turn = useRef(0)
  const load = () => {
    const mine = ++turn.current
    get<T>(path).then(
      (found) => {
        if (mine !== turn.current) return
        setValue({ path, found })
        setProblem(undefined)
      },
      (error: unknown) => {
        if (mine === turn.current) setProblem(problemOf(error))
      },
    )
  }
  useEffect(load, [path, ...when])
  return { value: value?.path === path ? value.found : undefined, problem, again: load }
}
