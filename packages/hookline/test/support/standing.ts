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

const runner = fileURLToPath(new URL('./standing.mjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'hookline-standing-'))
const files = ['in', 'out', 'errors'].map((name) => join(directory, name)) as [string, string, string]
process.on('exit', () => remove(directory))

let standing: ChildProcess | undefined
let isBusy = false

/** Undefined where a command needs a process of its own: others run at this moment, or it is about what only a start does. */
export function runStanding(binary: string, { args, input, cwd, env }: Command) {
  if (isBusy || staying.has(args[0] ?? '') || needsStart(env)) return undefined
  isBusy = true
  standing ??= begin(binary)
  return answer(standing, { args, input, cwd, env }).finally(() => {
    isBusy = false
  })
}

/** These run until somebody ends them. */
const staying = new Set(['daemon', 'serve', 'worker', 'ship'])
/** What Node, or we, read once in the life of a process. */
const readAtStart = /^(?:NODE_(?!ENV$)|LANG$|LC_|LD_|HOOKLINE_DEPTH$)/

const needsStart = (env: Command['env']) =>
  Object.keys(env).some((name) => readAtStart.test(name) && env[name] !== process.env[name])

function begin(binary: string): ChildProcess {
  const child = fork(runner, [binary], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.once('exit', () => {
    if (standing === child) standing = undefined
  })
  child.unref()
  child.channel?.unref()
  return child
}

async function answer(child: ChildProcess, { input, ...command }: Command) {
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
