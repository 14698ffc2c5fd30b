/**
 * In which directories a command may run. A `cd` may fail, and a branch may never run: where that is not certain, all
 * readings count. This is for those who ask what a line does; `State.cwd` stays the one reading in which everything runs.
 */
import { keepOthers } from './alternatives.ts'
import { spend } from './budget.ts'
import { resolvePath } from './places.ts'
import type { Directories, Standing } from './seen.ts'
import type { Field } from './text.ts'
import { field, SOME } from './text.ts'
import type { Run, State } from './types.ts'

const MOST_DIRECTORIES = 4
/** No path is longer. */
export const LONGEST_DIRECTORY = 4_096

export const standIn = (now: Directories): Standing => ({ now, ifDone: now, ifFailed: now })

export function unite(...lists: readonly Directories[]): Directories {
  const all = [...new Set(lists.flat())]
  return all.length > MOST_DIRECTORIES ? [...all.slice(0, MOST_DIRECTORIES - 1), undefined] : all
}

/** Whether the last command succeeded does not matter any more. */
export function goOn(state: State): void {
  const { now, ifDone, ifFailed } = state.standing
  const either = unite(ifDone, ifFailed)
  state.standing = standIn(either.length > 0 ? either : now)
}

/** It has run, and nobody knows how it went. */
export function ranSomehow(state: State): void {
  state.standing = standIn(state.standing.now)
}

export function ranSurely(state: State, well: boolean): void {
  const { now } = state.standing
  state.standing = { now, ifDone: well ? now : [], ifFailed: well ? [] : now }
}

/** Nothing behind it runs. */
export function ranLast(state: State): void {
  state.standing = { now: state.standing.now, ifDone: [], ifFailed: [] }
}

/** A `cd` to a directory that is there has succeeded; of any other, nobody knows. */
export function moveTo(target: string | undefined, state: State, run: Run): void {
  const { now } = state.standing
  const led = (cwd: string | undefined) => {
    const path = target === undefined ? undefined : resolvePath(target, { ...state, cwd })
    return path === undefined || path.length > LONGEST_DIRECTORY ? undefined : path
  }
  const there = unite(now.map(led))
  const certain = there.every((path) => path !== undefined && run.disk?.isDirectory(path) === true)
  state.standing = { now: unite(there, certain ? [] : now), ifDone: there, ifFailed: certain ? [] : now }
}

/** Walks what may not run, from where it would; what it changed may then have happened or not. */
export function perhaps(state: State, from: Directories, walk: () => void, run: Run): Standing {
  spend(run, 2 + (state.variables.size >> 2))
  const before = new Map(state.variables)
  const outer = state.standing
  state.standing = standIn(from.length > 0 ? from : outer.now)
  walk()
  const after = state.standing
  state.standing = outer
  keepOthers(before, state)
  for (const [name, value] of state.variables)
    if (before.get(name) !== value) state.variables.set(name, eitherValue(before.get(name), value))
  // It never runs: it leads nowhere.
  return from.length > 0 ? after : { now: outer.now, ifDone: [], ifFailed: [] }
}

/** One of two values: what both begin and end with is known. */
function eitherValue(one: readonly Field[] | undefined, other: readonly Field[]): readonly Field[] {
  if (other.length !== 1) return other
  const [is] = other as [Field]
  const was = one === undefined ? field('') : one.length === 1 ? one[0]! : field(SOME)
  const [left, right] = [was.listed ?? was.text, is.listed ?? is.text]
  return left === right ? other : [{ ...is, listed: commonOf(left, right) }]
}

export function commonOf(left: string, right: string): string {
  let [start, end] = [0, 0]
  const most = Math.min(left.length, right.length)
  while (start < most && left[start] === right[start]) start++
  while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++
  return left.slice(0, start) + SOME + left.slice(left.length - end)
}
