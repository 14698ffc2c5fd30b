import type { EventName, Facet, TextTest } from '../../core/index.ts'
import { eventNames, eventRow, isRecord } from '../../core/index.ts'

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
export function allowedValues(event: EventName, facet: Facet): readonly string[] | undefined {
  const row = eventRow(event)
  return row.fields[row.subject[facet] ?? '']?.values
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

/** How long a hook may take: seconds as a number, or a number with a unit. */
export const durationPattern = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const longest = 24 * 3_600_000

/** In whole milliseconds, at least one; undefined when it is no duration between a moment and a day. */
export function parseDuration(value: number | string): number | undefined {
  const ms = typeof value === 'number' ? value * 1_000 : milliseconds(value)
  return ms > 0 && ms <= longest ? Math.max(1, Math.round(ms)) : undefined
}

export function formatDuration(ms: number): number | string {
  return ms % 1_000 === 0 ? ms / 1_000 : `${ms}ms`
}

function milliseconds(text: string): number {
  const [, amount, unit] = durationPattern.exec(text.trim()) ?? []
  return Number(amount) * (units[unit ?? ''] ?? Number.NaN)
}
