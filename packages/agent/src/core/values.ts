import { readableReason } from 'hookline/internal'
import * as z from 'zod/mini'

/** A duration as Go writes it: `500ms`, `30s`, `1m30s`, `2h`. */
export const duration = z
  .string()
  .check(z.regex(/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/, 'must be a duration, such as `500ms`, `30s` or `2m`'))

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

export function milliseconds(text: string): number {
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)]
  return parts.reduce((sum, [, number, unit = 's']) => sum + Number(number) * units[unit]!, 0)
}

/** A reason of a hook, as it was given and as people read it: a sentence, and apart from it the command it is about. */
export function explained(reason: string): { reason: string; explanation: string; command?: string } {
  const { explanation, payload } = readableReason(reason)
  return { reason, explanation, ...(payload === undefined ? {} : { command: payload }) }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** `${env.NAME}` and `${NAME}`, as docker-agent writes them. */
export const fillVariables = (text: string, env: Environment): string =>
  text.replace(/\$\{(?:env\.)?(\w+)\}/g, (_, name: string) => env[name] ?? '')

/** docker-agent's `${env.NAME}`, and the shell's `${NAME}` and `$NAME`, in the values of an agent file. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(
    /\$\{env\.(\w+)\}|\$\{(\w+)\}|\$(\w+)/g,
    (_, dotted: string, braced: string, bare: string) => env[dotted ?? braced ?? bare] ?? '',
  )
}

export function expandAll(
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expandVariables(String(value), env)]))
}

/** At most so much of a text, cut between characters. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most
  return text.slice(0, end)
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`
