import { spawn } from 'node:child_process'
import type { Scope } from '../hosts/index.ts'
import {
  canaryCommand,
  canaryReason,
  type Ground,
  type Host,
  isEntryCommand,
  type ListedHook,
  type Listing,
  lineFor,
} from '../hosts/index.ts'
import { installationOf } from './host.ts'
import { programOf } from './status.ts'

/** What is proved about an installation. */
export interface Proof {
  /** The canary, through the line that the host runs: whether it was refused, in how many milliseconds, and what was said. */
  canary: { blocked: boolean; ms: number; said: string }
  /** What the host says of its hooks; absent where it cannot say, or is not here. */
  listed?: { ours: number; trusted?: boolean }
}

/** Runs what the host would run, on a call that is always refused; and lets the host list its hooks, where it can. */
export async function prove(host: Host, scope: Scope, ground: Ground): Promise<Proof> {
  const [canary, listed] = await Promise.all([raiseCanary(host, scope, ground), listHooks(host, ground)])
  const ours = listed?.filter(({ command }) => isEntryCommand(command))
  return {
    canary,
    ...(ours && {
      listed: {
        ours: ours.length,
        ...(ours.some(({ trusted }) => trusted !== undefined) && { trusted: ours.every(({ trusted }) => trusted) }),
      },
    }),
  }
}

async function raiseCanary(host: Host, scope: Scope, { project, env }: Ground): Promise<Proof['canary']> {
  const line = lineFor(host, installationOf(scope), 'pre_tool_use')
  const start = performance.now()
  const { exit, stdout, stderr } = await run(
    '/bin/sh',
    ['-c', line],
    JSON.stringify(host.setup.canary(canaryCommand, project)),
    { cwd: project, env },
  )
  const said = stdout + stderr
  return {
    blocked: (exit === 0 && stdout.includes(canaryReason)) || (exit === 2 && stderr.includes(canaryReason)),
    ms: Math.round(performance.now() - start),
    said: said.trim(),
  }
}

interface Ended {
  exit: number | null
  stdout: string
  stderr: string
}

function run(
  program: string,
  args: readonly string[],
  input: string,
  place: { cwd: string; env: Ground['env'] },
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: place.cwd, env: place.env as NodeJS.ProcessEnv, stdio: 'pipe' })
    const ended: Ended = { exit: null, stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (ended.stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (ended.stderr += chunk))
    child.stdin.on('error', () => {})
    child.on('error', (error) => resolve({ ...ended, stderr: error.message }))
    child.on('close', (exit) => resolve({ ...ended, exit }))
    child.stdin.end(input)
  })
}

/** How long a host may take to list its hooks. */
const patience = 30_000

async function listHooks(host: Host, ground: Ground): Promise<readonly ListedHook[] | undefined> {
  const program = programOf(host, ground)
  const { listing } = host.setup
  return program && listing ? ask(program, listing, ground) : undefined
}

function ask(program: string, listing: Listing, ground: Ground): Promise<readonly ListedHook[] | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, listing.args, {
      cwd: ground.project,
      env: ground.env as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let text = ''
    const finish = (hooks: readonly ListedHook[] | undefined) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      resolve(hooks)
    }
    const timer = setTimeout(() => finish(undefined), patience)
    const look = () =>
      [...text.split('\n'), text].map((line) => listing.hooks(line)).find((hooks) => hooks !== undefined)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const hooks = chunk.includes('\n') ? look() : undefined
      if (hooks) finish(hooks)
    })
    child.stdin.on('error', () => {})
    child.on('error', () => finish(undefined))
    child.on('close', () => finish(look()))
    const lines = listing.input(ground)
    if (lines.length > 0) child.stdin.write(`${lines.join('\n')}\n`)
    else child.stdin.end()
  })
}
