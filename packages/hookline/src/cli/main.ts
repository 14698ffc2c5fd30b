import { parseArgs } from 'node:util'
import type { HooklineError } from '../core/index.ts'
import { version } from '../platform/index.ts'
import {
  type Command,
  exitFor,
  helpFor,
  parseOptions,
  parsePlainly,
  spellOut,
  table,
  UsageError,
  wordsOf,
} from './command.ts'
import { commands } from './commands/index.ts'
import { outputStream, print, printError } from './standard.ts'

/** Whether what goes wrong is read by a person; a host may hand it to a model. */
let isForPerson = true

async function main(args: readonly string[]): Promise<number> {
  await standSomewhere()
  const [name, ...rest] = args[0] === 'help' && args[1] !== undefined ? [args[1], '--help'] : args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return showHelp(overview())
  if (name === '--version' || name === '-v') return show(version())
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) throw new UsageError(await unknownCommand(name))
  const { command } = await entry.load()
  isForPerson = !command.readByHosts
  const { values, positionals } = await parse(command, rest)
  if (values['help']) return showHelp(helpFor(command))
  return command.run({
    values,
    positionals,
    // Made when a command asks for them.
    get input() {
      return process.stdin
    },
    get output() {
      return outputStream()
    },
    get errors() {
      return process.stderr
    },
  })
}

/** An agent may have deleted the directory that its host stands in, and must not be rid of its hooks by that. */
async function standSomewhere(): Promise<void> {
  try {
    process.cwd()
  } catch {
    const { nearestDirectory } = await import('./nearest-directory.ts')
    const place = nearestDirectory(process.env['PWD'])
    process.chdir(place)
    printError(`The directory in which this was started is gone; it goes on in ${place}.\n`)
  }
}

async function parse(command: Command, args: string[]) {
  try {
    const plain = parsePlainly(command, args)
    if (plain) return plain
    return parseArgs({
      args: spellOut(args, command),
      options: parseOptions(command),
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    throw new UsageError(
      `${await wrongOption(error as NodeJS.ErrnoException, command)}\nRun \`hookline ${command.name} --help\` for what it takes.`,
    )
  }
}

/** Node would explain at length how to hand over what begins with a dash. */
async function wrongOption({ code, message }: NodeJS.ErrnoException, { options }: Command): Promise<string> {
  const name = /^Unknown option '(-[^']*)'/.exec(message)?.[1]
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || name === undefined) return message
  const { didYouMean } = await import('../core/index.ts')
  return `There is no option \`${name}\`.${didYouMean(
    name,
    Object.keys(options).map((each) => `--${each}`),
  )}`
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
  const { didYouMean } = await import('../core/index.ts')
  return `There is no command \`${name}\`.${didYouMean(name, Object.keys(commands))}\nRun \`hookline --help\` for the list.`
}

/** As wide as the terminal; what is read by a program, or searched, is not wrapped. */
async function showHelp(text: string): Promise<number> {
  if (!process.stdout.isTTY) return show(text)
  const [{ fitHelp }, { widthOf }] = await Promise.all([import('./text/fit.ts'), import('./text/paint.ts')])
  return show(fitHelp(text, widthOf(process.stdout)))
}

function show(text: string): number {
  print(`${text.trimEnd()}\n`)
  return 0
}

/** A problem in a file with the lines it is about. */
async function describe(error: unknown): Promise<string> {
  if (!isForPerson || (error as Error)?.name !== 'HooklineError') return wordsOf(error)
  const { showError } = await import('./text/problems.ts')
  return showError(error as HooklineError, process.stderr)
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  async (error: unknown) => {
    process.exitCode = exitFor(error)
    printError(`${await describe(error)}\n`)
  },
)
