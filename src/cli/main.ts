#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { type Command, helpFor, parseOptions, table, UsageError } from './command.ts'
import { commands } from './commands/index.ts'

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args[0] === 'help' && args[1] !== undefined ? [args[1], '--help'] : args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return print(overview())
  if (name === '--version' || name === '-v') return print(version())
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) throw new UsageError(await unknownCommand(name))
  const { command } = await entry.load()
  const { values, positionals } = parse(command, rest)
  if (values['help']) return print(helpFor(command))
  return command.run({ values, positionals, input: process.stdin, output: process.stdout, errors: process.stderr })
}

function parse(command: Command, args: string[]) {
  try {
    return parseArgs({ args, options: parseOptions(command), allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nRun \`hookline ${command.name} --help\` for what it takes.`)
  }
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary])
  return [
    'Hookline: rules for AI agents that hold every time.',
    '',
    'Usage:\n  hookline <command> [options]',
    '',
    `Commands:\n${table(rows).join('\n')}`,
    '',
    'Run `hookline <command> --help` for one of them.',
  ].join('\n')
}

async function unknownCommand(name: string): Promise<string> {
  const { didYouMean } = await import('../core/suggest.ts')
  return `There is no command \`${name}\`.${didYouMean(name, Object.keys(commands))}\nRun \`hookline --help\` for the list.`
}

function version(): string {
  return __HOOKLINE_VERSION__
}

function print(text: string): number {
  process.stdout.write(`${text.trimEnd()}\n`)
  return 0
}

declare const __HOOKLINE_VERSION__: string

// A reader that went away (`| head`) is not an error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const known = error instanceof UsageError || (error instanceof Error && error.name === 'HooklineError')
    process.stderr.write(`${known ? (error as Error).message : ((error as Error)?.stack ?? String(error))}\n`)
    process.exitCode = error instanceof UsageError ? 64 : 1
  },
)
