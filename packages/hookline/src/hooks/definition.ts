import { hash } from 'node:crypto'
import { type Hook, stringifyJson } from '../core/index.ts'
import type { HookIndex } from '../engine/index.ts'

/**
 * A short name for how a hook answers: what it runs, where, and in whose tongue. Not when it is asked, nor what it is
 * called. Two definitions of one id are told apart by it, in the journal and when it is replayed.
 */
export function definitionOf({ dialect, run, env, workingDir }: Hook): string {
  return hash('sha256', stringifyJson([dialect, run, env, workingDir ?? null]), 'hex').slice(0, 12)
}

const known = new WeakMap<HookIndex, Map<string, string | undefined>>()

/** The same by id, made once for each hook of a generation. */
export function definitionIn(index: HookIndex, id: string): string | undefined {
  const definitions = known.get(index) ?? new Map<string, string | undefined>()
  known.set(index, definitions)
  if (!definitions.has(id)) {
    const ready = index.hooks.find(({ hook }) => hook.id === id)
    definitions.set(id, ready && definitionOf(ready.hook))
  }
  return definitions.get(id)
}
