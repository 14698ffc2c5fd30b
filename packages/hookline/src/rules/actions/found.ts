import type { Action, Actions } from '../types.ts'

/** What was found so far, in order, each once. */
export interface Found {
  readonly actions: readonly Action[]
  readonly doubts: Set<string>
  readonly sets: Set<string>
  /** The place of the action in the list. */
  add(action: Action): number
}

export function newFound(): Found {
  const actions: Action[] = []
  const places = new Map<string, number>()
  return {
    actions,
    doubts: new Set(),
    sets: new Set(),
    add(action) {
      const key = JSON.stringify(action)
      const before = places.get(key)
      if (before !== undefined) return before
      places.set(key, actions.length)
      return actions.push(action) - 1
    },
  }
}

export function settleFound({ actions, doubts, sets }: Found): Actions {
  const [doubt] = doubts
  return {
    actions,
    complete: doubt === undefined,
    ...(doubt === undefined ? {} : { doubt }),
    ...(sets.size > 0 && { sets: [...sets] }),
  }
}
