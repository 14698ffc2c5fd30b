import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentSigns } from '../../src/core/agents.ts'
import { remove } from './scratch.ts'
import { runStanding } from './standing.ts'

export const binary = fileURLToPath(new URL('../../bin/hookline.js', import.meta.url))

/** Nobody's: what the person at this machine has configured counts in no test. Each file of tests has one of its own. */
const homes: string[] = []
process.on('exit', () => {
  for (const home of homes) remove(home)
})
export const nobody = newHome()

function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'hookline-home-'))
  homes.push(home)
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
  }
}

/** For files that share a process: none finds what another has left. */
export const moveOut = () => Object.assign(nobody, newHome())

const marks = agentSigns.flatMap(({ variables = [] }) => variables)

/** Whoever runs the tests, it is no agent that runs what they start. */
export const unmarked = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !marks.includes(name))) as Record<string, string>

export interface Session {
  exit: number | null
  stdout: string
  stderr: string
}

export interface SessionOptions {
  cwd?: string
  env?: Record<string, string>
}

/**
 * Runs the built command line as a user would, with this on standard input. A process serves for many commands, one after
 * the other; where a law is about the process itself, `hooklineProcess` starts one.
 */
export function hookline(args: readonly string[], input = '', options: SessionOptions = {}): Promise<Session> {
  return standing(0, args, input, options)
}

let turns = 0

/** The same, by turns in one of two processes: what one command leaves for the next is in a file, or it is lost. */
export function hooklineByTurns(args: readonly string[], input = '', options: SessionOptions = {}): Promise<Session> {
  return standing(1 + (turns++ % 2), args, input, options)
}

function standing(seat: number, args: readonly string[], input: string, options: SessionOptions): Promise<Session> {
  const { cwd = process.cwd() } = options
  return (
    runStanding(binary, { args, input, cwd, env: environment(options.env) }, seat) ??
    hooklineProcess(args, input, options)
  )
}

/** The same in a process of its own. */
export function hooklineProcess(args: readonly string[], input = '', options: SessionOptions = {}): Promise<Session> {
  const { child, ended } = startHookline(args, options)
  child.stdin.end(input)
  return ended
}

const environment = (own: SessionOptions['env']) => ({ ...unmarked(process.env), ...nobody, NO_COLOR: '1', ...own })

/** The same, while it still runs: what it has printed so far is in `session`. */
export function startHookline(args: readonly string[], { cwd, env }: SessionOptions = {}) {
  const child = spawn(process.execPath, [binary, ...args], { cwd, env: environment(env) })
  const session: Session = { exit: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    session.stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    session.stderr += chunk
  })
  child.stdin.on('error', () => {})
  const ended = new Promise<Session>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit) => resolve({ ...session, exit }))
  })
  return { child, session, ended }
}
