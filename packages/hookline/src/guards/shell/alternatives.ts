/**
 * What a variable may hold instead: `x=~; [ "$CI" ] && x=/tmp/y; rm -rf "$x"`. The walk goes on with the value that was set
 * last. A command that reads such a variable is judged with the others as well, so that a branch never hides a value.
 */
import { spend } from './budget.ts'
import { fork } from './forked.ts'
import type { Field } from './text.ts'
import { newTrace } from './trace.ts'
import type { Shell, State } from './types.ts'

type Value = readonly Field[]

const MOST_VALUES = 3

/** What may have run has changed variables: those of before may still hold. */
export function keepOthers(before: ReadonlyMap<string, Value>, state: State): void {
  for (const [name, value] of state.variables) {
    const was = before.get(name)
    if (was !== undefined && was !== value && textOf(was) !== textOf(value)) addOther(name, was, state)
  }
}

function addOther(name: string, value: Value, { others }: State): void {
  const known = others.get(name) ?? []
  if (known.length >= MOST_VALUES || known.some((each) => textOf(each) === textOf(value))) return
  others.set(name, [...known, value])
}

const textOf = (value: Value): string => value.map(({ text }) => text).join('\0')

/** Walks a command, and once more for each other value of what it reads: only what is found then counts, and what it sets. */
export function withOthers<T>(shell: Shell, walk: (shell: Shell) => T): T {
  const { state, run } = shell
  if (state.others.size === 0) return walk(shell)
  const [others, outer] = [new Map(state.others), run.read]
  const read = new Set<string>()
  const result = walk({ ...shell, run: { ...run, read } })
  for (const name of read) outer?.add(name)
  const undecided = [...read].flatMap((name) => (others.has(name) ? [[name, others.get(name)!] as const] : []))
  if (undecided.length === 0) return result
  const single = undecided.flatMap(([name, values]) => values.map((value) => new Map([[name, value]])))
  const oldest = new Map(undecided.map(([name, [first]]) => [name, first!]))
  for (const values of undecided.length > 1 ? [...single, oldest] : single) walkWith(values, shell, walk)
  return result
}

function walkWith(values: ReadonlyMap<string, Value>, shell: Shell, walk: (shell: Shell) => unknown): void {
  const { state, run } = shell
  spend(run, 4)
  const inner = { ...fork(state, run), others: new Map<string, readonly Value[]>() }
  for (const [name, value] of values) inner.variables.set(name, value)
  const reading = { ...run.reading, commands: [] }
  walk({ ...shell, state: inner, run: { ...run, reading, trace: newTrace(), read: undefined } })
  for (const [name, value] of inner.variables)
    if (!values.has(name) && state.variables.get(name) !== value) addOther(name, value, state)
}
