import type { ParseArgsConfig } from 'node:util'

/** One option of a command. `value` names what it takes, for the help; without it the option is a switch. */
export interface Option {
  doc: string
  value?: string
  /** The value may be left out; it is then the empty text. With one: `--name=value`. */
  optional?: boolean
  short?: string
  multiple?: boolean
  /** The values it can have, where they are few; for completion. */
  choices?: readonly string[]
}

export interface Invocation {
  values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  positionals: readonly string[]
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  errors: NodeJS.WriteStream
}

/** A command is data and one function; help, parsing and completion derive from the data. */
export interface Command {
  name: string
  summary: string
  usage: string
  doc?: string
  options: Readonly<Record<string, Option>>
  /** What can stand after the command, where it is not a file; for completion. */
  choices?: readonly string[]
  examples?: readonly string[]
  /** A host reads what it prints, and may hand it to a model: errors quote no lines of files. */
  readByHosts?: true
  /** What each exit code means, beyond 0. */
  exits: Readonly<Record<number, string>>
  run(invocation: Invocation): Promise<number>
}

/** Commands by name, each loaded when it is called. */
export type CommandTable = Readonly<Record<string, { summary: string; load(): Promise<{ command: Command }> }>>

/** Identity, for inference. */
export const defineCommand = (command: Command): Command => command

/** Something the caller got wrong; printed without a stack. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export const exitFor = (error: unknown): number => (error instanceof UsageError ? 64 : 1)

/** Where a person can do something about it (wrong usage, a note, a file that the system refuses), its message. The rest is a mistake of ours. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isPlain = error instanceof UsageError || error.name === 'HooklineError' || 'syscall' in error
  return isPlain ? error.message : (error.stack ?? String(error))
}

export function parseOptions(command: Command): NonNullable<ParseArgsConfig['options']> {
  const own = Object.entries(command.options).map(([name, { value, short, multiple }]) => [
    name,
    { type: value ? 'string' : 'boolean', ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) } as const,
  ])
  return { ...Object.fromEntries(own), help: { type: 'boolean', short: 'h' } }
}

/**
 * The options of a call that has nothing but long options in the plainest spelling, which is how hosts call us: Node's
 * own parser costs a start a millisecond. Undefined, and the parser has the word: for anything else, right or wrong.
 */
export function parsePlainly(
  { options }: Command,
  args: readonly string[],
): Pick<Invocation, 'values' | 'positionals'> | undefined {
  const values: Record<string, string | boolean | string[]> = {}
  for (let at = 0; at < args.length; at++) {
    const name = args[at]!.slice(2)
    const option = args[at]!.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined
    if (!option || option.optional || (Object.hasOwn(values, name) && !option.multiple)) return undefined
    if (option.value === undefined) {
      if (option.multiple) return undefined
      values[name] = true
      continue
    }
    const value = args[++at]
    if (value === undefined || value.startsWith('-')) return undefined
    values[name] = option.multiple ? [...((values[name] as string[] | undefined) ?? []), value] : value
  }
  return { values, positionals: [] }
}

export function helpFor(command: Command): string {
  const rows = Object.entries({ ...command.options, help: { doc: 'Show this help.', short: 'h' } as Option }).map(
    ([name, option]) => [
      `${option.short ? `-${option.short}, ` : '    '}--${name}${spelledValue(option)}`,
      option.doc + (option.multiple ? ' May be repeated.' : ''),
    ],
  )
  const exits = [['0', 'Done.'], ...Object.entries(command.exits)]
  return [
    command.summary,
    section('Usage', [`  hookline ${command.usage}`]),
    command.doc ? `\n${command.doc}` : '',
    section('Options', table(rows)),
    command.examples
      ? section(
          'Examples',
          command.examples.map((example) => `  ${example}`),
        )
      : '',
    section('Exit codes', table(exits)),
  ].join('\n')
}

/** How the value of an option is written, after its name. */
export function spelledValue({ value, optional }: Option): string {
  return value === undefined ? '' : optional ? `[=<${value}>]` : ` <${value}>`
}

/** Arguments for a parser that knows no values which may be left out. */
export function spellOut(args: readonly string[], command: Command): string[] {
  const end = args.indexOf('--')
  return args.map((arg, at) => {
    const option = arg.startsWith('--') && (end < 0 || at < end) ? command.options[arg.slice(2)] : undefined
    return option?.optional ? `${arg}=` : arg
  })
}

export function table(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([first = '']) => first.length))
  return rows.map(([first = '', ...rest]) => `  ${first.padEnd(width)}  ${rest.join('  ')}`.trimEnd())
}

function section(title: string, lines: readonly string[]): string {
  return `\n${title}:\n${lines.join('\n')}`
}

/** The value of an option that takes one, given at most once. */
export function text(value: Invocation['values'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function texts(value: Invocation['values'][string]): string[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string')
}

export async function readAll(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}
