import { eventNames, isRecord } from '../../core/index.ts'

/** Makes the ids of hooks that have none: `{event}_{number}`, free of those that are written in the list. */
export function madeIds(entries: readonly unknown[]): (event: string) => string {
  const taken = new Set(entries.map((entry) => (isRecord(entry) ? entry['id'] : undefined)))
  const last = new Map<string, number>()
  return (event) => {
    let number = (last.get(event) ?? 0) + 1
    while (taken.has(`${event}_${number}`)) number++
    last.set(event, number)
    return `${event}_${number}`
  }
}

/** Whether an id looks like one of ours. Two files may both have `stop_1` without anyone having meant the same hook. */
export const isMadeId = (id: string): boolean => madePattern.test(id)
const madePattern = new RegExp(`^(?:[\\w.-]+:)?(?:${eventNames.join('|')})_\\d+$`)
