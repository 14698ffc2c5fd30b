import type * as z from 'zod/mini'
import { type EventName, eventRow, type Facet, type TextTest } from '../../core/index.ts'

/** Text of a matcher, understood; or why it can never match. */
export type ReadText = { ok: true; test: TextTest } | { ok: false; detail: string; fix: string }

/** A name, several as `a|b`, `*` for any, or a regex of the whole name. Plain names never reach the regex engine. */
export function readPattern(pattern: string): ReadText {
  if (pattern === '*') return { ok: true, test: { any: true } }
  const names = pattern.split('|')
  if (!names.every((name) => plain.test(name))) return { ok: true, test: { regex: pattern, whole: true } }
  return misspelt(pattern, names) ?? { ok: true, test: { names } }
}

/** A name, several as `a|b`, each with a trailing `*` if need be. */
export function readGlob(glob: string): ReadText {
  const parts = glob.split('|')
  if (parts.includes('*')) return { ok: true, test: { any: true } }
  const wrong = misspelt(glob, parts)
  if (wrong) return wrong
  const odd = parts.find((part) => !plain.test(part.replace(/(?<=.)\*$/, '').replaceAll('.', '')))
  if (odd !== undefined)
    return {
      ok: false,
      detail: `\`${odd}\` is taken as it stands, but for one \`*\` at its end`,
      fix: 'Write names and beginnings of names, such as `read_file|mcp_*`; for anything else use a regex in `tool`.',
    }
  const names = parts.filter((part) => !part.endsWith('*'))
  const prefixes = parts.filter((part) => part.endsWith('*')).map((part) => part.slice(0, -1))
  return { ok: true, test: prefixes.length > 0 ? { names, prefixes } : { names } }
}

/** The inverses: how a test is written; undefined when this key cannot say it. */
export function writePattern(test: TextTest): string | undefined {
  if ('any' in test) return '*'
  if ('regex' in test) return test.whole ? test.regex : `(?s:.*)(?:${test.regex})(?s:.*)`
  if (test.prefixes?.length) return undefined
  return test.names.map(escapeName).join('|')
}

export function writeGlob(test: TextTest): string | undefined {
  if ('any' in test) return '*'
  if ('regex' in test) return undefined
  const glob = [...test.names, ...(test.prefixes ?? []).map((prefix) => `${prefix}*`)].join('|')
  return readGlob(glob).ok ? glob : undefined
}

/** The beginning that was probably meant, when a regex reads like a glob: `mcp_*`. */
export function nearMiss(test: TextTest): string | undefined {
  return 'regex' in test ? /^((?:[\w-]+\|)*[\w-]+)\*$/.exec(test.regex)?.[1]?.split('|').at(-1) : undefined
}

/** Every value the field behind a facet can hold, where the row lists them. */
export function allowedValues(event: EventName, facet: Facet): string[] | undefined {
  const row = eventRow(event)
  const schema = row.fields[row.subject[facet] ?? '']
  const definition = (schema && innermost(schema))?._zod.def as { entries?: Record<string, string> } | undefined
  return definition?.entries && Object.values(definition.entries)
}

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType }
  return innerType ? innermost(innerType) : schema
}

const plain = /^[^\\^$.|?*+()[\]{}]*$/
const escapeName = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

function misspelt(text: string, names: readonly string[]): ReadText | undefined {
  if (names.some((name) => name.trim() === ''))
    return { ok: false, detail: `\`${text}\` lists an empty name`, fix: 'Write names joined by single bars: `a|b`.' }
  if (names.some((name) => name.trim() !== name))
    return {
      ok: false,
      detail: `\`${text}\` has spaces around a name, and no name has`,
      fix: `Write \`${names.map((name) => name.trim()).join('|')}\`.`,
    }
  return undefined
}
