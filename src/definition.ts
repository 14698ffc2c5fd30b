import { hash } from 'node:crypto'
import { type Hook, stringifyJson } from './core/index.ts'
import type { Book } from './engine/index.ts'

/**
 * A short name for how a hook answers: what it runs, where, and in whose tongue. Not when it is asked, nor what it is
 * called. Two definitions of one id are told apart by it, in the journal and when it is replayed.
 */
export function definitionOf({ dialect, run, env, workingDir }: Hook): string {
  return hash('sha256', stringifyJson([dialect, run, env, workingDir ?? null]), 'hex').slice(0, 12)
}

const known = new WeakMap<Book, Map<string, string>>()

/** The same by id, made once for all hooks of a generation. */
export function definitionsIn(book: Book): ReadonlyMap<string, string> {
  let definitions = known.get(book)
  if (!definitions) {
    definitions = new Map(book.hooks.map(({ hook }) => [hook.id, definitionOf(hook)]))
    known.set(book, definitions)
  }
  return definitions
}
