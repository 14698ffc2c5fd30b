import { posix } from 'node:path'
import { type CommandReading, readCommands } from 'hookline/internal'

/** A call that rules are tested against. */
export interface PermissionCall {
  name: string
  input: Record<string, unknown>
  category: string
}

/** The same, prepared: what each rule needs of it is worked out once, and only if some rule asks. */
export interface Subject {
  call: PermissionCall
  /** What the tool may be called in a rule. */
  names: readonly string[]
  /** Command lines among the arguments, under either name. */
  lines: readonly CommandLine[]
  cwd: string | undefined
}

export interface CommandLine {
  text: string
  read(): CommandReading
}

/**
 * docker-agent calls it `cmd`, others `command`: one argument with two names, so that neither name gets around a rule.
 */
const commandKeys: readonly string[] = ['command', 'cmd']
export const isCommandKey = (key: string): boolean => commandKeys.includes(key)

/** Arguments that are paths: `src/../.env` must not pass for something in `src`. */
const pathKeys = new Set(['path', 'paths', 'file', 'files', 'file_path', 'directory', 'dir', 'cwd'])
export const isPathKey = (key: string): boolean => pathKeys.has(key)

export function prepare(call: PermissionCall, cwd: string | undefined): Subject {
  const texts = commandKeys.map((key) => call.input[key]).filter((value) => typeof value === 'string')
  return { call, names: namesOf(call), lines: [...new Set(texts)].map((text) => lineOf(text, cwd)), cwd }
}

function lineOf(text: string, cwd: string | undefined): CommandLine {
  let reading: CommandReading | undefined
  return {
    text,
    read() {
      reading ??= readCommands({ command: text, ...(cwd === undefined ? {} : { cwd }) })
      return reading
    },
  }
}

/** `mcp_github_search` is also what docker-agent calls `github_search`. */
function namesOf({ name, category }: PermissionCall): string[] {
  const prefix = `${category}_`
  return name.startsWith(prefix) ? [name, name.slice(prefix.length)] : [name, prefix + name]
}

/** One argument under the names that tools give it: a rule about one of them means them all, so that none is a way around it. */
const synonyms: readonly (readonly string[])[] = [
  ['path', 'paths', 'file', 'files', 'file_path'],
  ['url', 'urls'],
]

/** Each value of an argument, as rules see it, whichever of its names the tool uses. */
export function valuesOf(input: Record<string, unknown>, key: string): string[] {
  const names = synonyms.find((each) => each.includes(key)) ?? [key]
  return names.flatMap((name) => textsOf(input[name]))
}

function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return [typeof value === 'string' ? value : JSON.stringify(value)]
}

/** Where a path leads by its text: from the workspace, and from the root. */
export function readingsOf(path: string, cwd: string | undefined): string[] {
  if (cwd === undefined) return [posix.normalize(path)]
  const absolute = posix.resolve(cwd, path)
  return [posix.relative(cwd, absolute) || '.', absolute]
}
