/** What one command does besides running: files it touches, hosts it talks to. */
import type { Field } from '../../guards/shell/index.ts'
import { type Arguments, flagValues, hasFlag, parseArguments, readOptions } from '../../shell/index.ts'
import type { Look, Loses, Search } from '../types.ts'
import type { Target } from './hosts.ts'

export type Effect =
  | {
      does: 'read' | 'write' | 'delete'
      word: Field
      recursive?: boolean
      search?: Search
      cwd?: string | undefined
      loses?: Loses | undefined
    }
  | { does: 'fetch'; to: Target; sends?: boolean }

/** A command as the tables see it: its name, the words behind it, where it runs, what may be looked at. */
export interface Doing {
  name: string
  args: readonly Field[]
  cwd: string | undefined
  look: Look
  /** Variables set for it, or by the line before it. */
  assigned: readonly string[]
}

export type Program = (doing: Doing) => readonly Effect[]

export const parse = (args: readonly Field[], options: string): Arguments<Field> =>
  parseArguments(args, readOptions(options))

export const values = (args: Arguments<Field>, names: string): Field[] =>
  flagValues(args, names).filter((value) => value !== undefined)

export const word = (text: string): Field => ({ text, taints: [], glob: false })

export const touch = (
  does: 'read' | 'write' | 'delete',
  words: readonly (Field | undefined)[],
  recursive = false,
): Effect[] =>
  words.filter((each) => each !== undefined).map((each) => ({ does, word: each, ...(recursive ? { recursive } : {}) }))

/** Files are written anew: what was in them before is gone. */
export const losing = (effects: readonly Effect[], loses: Loses | undefined): Effect[] =>
  effects.map((each) => (each.does === 'write' && loses ? { ...each, loses } : each))

export { hasFlag }

/** Programs of several tables by one name; put together when first asked. */
export function byName<T>(...tables: readonly Readonly<Record<string, T>>[]): (name: string) => readonly T[] {
  let all: Map<string, T[]> | undefined
  return (name) => {
    all ??= gather(tables)
    return all.get(name) ?? []
  }
}

function gather<T>(tables: readonly Readonly<Record<string, T>>[]): Map<string, T[]> {
  const all = new Map<string, T[]>()
  for (const [names, value] of tables.flatMap((table) => Object.entries(table)))
    for (const name of names.split(' ')) all.set(name, [...(all.get(name) ?? []), value])
  return all
}
