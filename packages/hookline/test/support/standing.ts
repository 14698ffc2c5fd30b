import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { remove } from './scratch.ts'

interface Command {
  args: readonly string[]
  input: string
  cwd: string
  env: Readonly<Record<string, string>>
}

/** A process that serves for many commands, and the files that are their standard input, output and errors. */
interface Seat {
  process?: ChildProcess | undefined
  isBusy: boolean
  files: [string, string, string]
}

const runner = fileURLToPath(new URL('./standing.mjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'hookline-standing-'))
process.on('exit', () => remove(directory))
const seats: Seat[] = []

/**
 * Undefined where a command needs a process of its own: others run at this moment, or it is about what only a start does.
 * Commands on different seats share no memory.
 */
export function runStanding(binary: string, { args, input, cwd, env }: Command, number = 0) {
  seats[number] ??= newSeat(number)
  const seat = seats[number]
  if (seat.isBusy || staying.has(args[0] ?? '') || needsStart(env)) return undefined
  seat.isBusy = true
  seat.process ??= begin(binary, seat)
  return answer(seat, seat.process, { args, input, cwd, env }).finally(() => {
    seat.isBusy = false
  })
}

function newSeat(number: number): Seat {
  const files = ['in', 'out', 'errors'].map((name) => join(directory, `${name}-${number}`)) as Seat['files']
  return { isBusy: false, files }
}

/** These run until somebody ends them. */
const staying = new Set(['daemon', 'serve', 'worker', 'ship'])
/** What Node, or we, read once in the life of a process. */
const readAtStart = /^(?:NODE_(?!ENV$)|LANG$|LC_|LD_|HOOKLINE_DEPTH$)/

const needsStart = (env: Command['env']) =>
  Object.keys(env).some((name) => readAtStart.test(name) && env[name] !== process.env[name])

function begin(binary: string, seat: Seat): ChildProcess {
  const child = fork(runner, [binary], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.once('exit', () => {
    if (seat.process === child) seat.process = undefined
  })
  child.unref()
  child.channel?.unref()
  return child
}

async function answer({ files }: Seat, child: ChildProcess, { input, ...command }: Command) {
  const [read, out, errors] = files
  writeFileSync(read, input)
  writeFileSync(out, '')
  writeFileSync(errors, '')
  const exit = await new Promise<number | null>((resolve, reject) => {
    const end = (code: number | null) => {
      child.off('message', hear).off('exit', end)
      resolve(code)
    }
    const hear = (message: unknown) => end((message as { exit: number }).exit)
    child.on('message', hear).on('exit', end)
    child.send({ ...command, files }, (error) => error && reject(error))
  })
  return { exit, stdout: readFileSync(out, 'utf8'), stderr: readFileSync(errors, 'utf8') }
}
