import { isAbsolute, resolve } from 'node:path'
import { type Call, note, now } from '../core/index.ts'
import { callerDirectory, callerEnvironment, homeDirectory, isDirectory, type Variables } from '../platform/index.ts'
import { injectingVariable } from '../shell/index.ts'

export type Environment = Record<string, string>

/**
 * Taken out of the host's environment: what injects code (a project that gets such a variable into the host, through a
 * `.env` file, say, would otherwise run inside every guard), and the token that approves hooks. A hook that needs one
 * names it in its own `env`.
 */
const isTakenOut = (name: string): boolean => {
  const family = injectingVariable(name)
  return (family !== undefined && !family.personal) || name === 'HOOKLINE_APPROVE_TOKEN'
}

/** What a hook with `clean_env` gets of the host's environment. */
const cleanNames =
  /^(PATH|HOME|USER|LOGNAME|SHELL|SHLVL|LANG|LANGUAGE|LC_\w+|TERM|TZ|TMPDIR|TMP|TEMP|SYSTEMROOT|COMSPEC|PATHEXT)$/i

/** Longer values are better read from the payload; one string over 128 KiB makes the system refuse to start anything. */
const longestValue = 32 * 1024

export function hookEnvironment(call: Call, clean = false): Environment {
  const environment = { ...hostEnvironment(clean) }
  const { env } = call.request()
  for (const name in env) {
    const value = env[name] as string
    const problem = problemOf(value)
    if (problem === undefined) environment[name] = value
    else call.note(note('env-value-dropped', { name, detail: problem }, { hook: call.hook.id }))
  }
  for (const name in call.hook.env) environment[name] = call.hook.env[name] as string
  return Object.assign(environment, ours(call))
}

/** For a process that serves many calls: without the scalars of any one of them. */
export function lastingEnvironment(call: Call, clean = false): Environment {
  return { ...hostEnvironment(clean), ...call.hook.env, ...ours(call) }
}

/** How many hooks deep it runs, and whether somebody only tries it. */
function ours({ event }: Call): Environment {
  return { HOOKLINE_DEPTH: String(event.depth + 1), ...(event.synthetic && { HOOKLINE_SYNTHETIC: '1' }) }
}

/** The hook's own, else the session's as its payload says; undefined is the host's. */
export function workingDirectory(call: Call): string | undefined {
  const session = call.event.payload['cwd']
  const base = typeof session === 'string' && isAbsolute(session) ? session : undefined
  const own = call.hook.workingDir
  if (own === undefined) return base
  return isAbsolute(own) ? own : resolve(base ?? hostDirectory(), own)
}

/** Where to run when the working directory is gone, which is noted. */
export function directoryInstead(call: Call, missing: string): string {
  const session = call.event.payload['cwd']
  const candidates = [
    typeof session === 'string' ? resolve(session) : hostDirectory(),
    hostDirectory(),
    homeDirectory(),
  ]
  const used = candidates.find(isDirectory) ?? '/'
  call.note(note('working-dir-missing', { directory: missing, used }, { hook: call.hook.id }))
  return used
}

/** The host may stand in a directory that is gone. */
export function hostDirectory(): string {
  try {
    return callerDirectory()
  } catch {
    return homeDirectory()
  }
}

interface Snapshots {
  of: Variables
  full?: Environment
  clean?: Environment
  at: number
}

let snapshots: Snapshots = { of: process.env, at: Number.NEGATIVE_INFINITY }

/** Reading process.env is slow (each name is a system call away), so one reading serves for a second. */
function hostEnvironment(clean: boolean): Environment {
  const moment = now()
  const of = callerEnvironment()
  if (of !== snapshots.of || moment - snapshots.at > 1_000) snapshots = { of, at: moment }
  if (clean) snapshots.clean ??= snapshot(of, (name) => cleanNames.test(name))
  else snapshots.full ??= snapshot(of, (name) => !isTakenOut(name))
  return (clean ? snapshots.clean : snapshots.full) as Environment
}

function snapshot(variables: Variables, keep: (name: string) => boolean): Environment {
  const kept = Object.entries(variables).filter(([name, value]) => value !== undefined && keep(name))
  // Without SHLVL, bash takes a socket on stdin for a remote shell and sources ~/.bashrc, which may print.
  return { SHLVL: '1', ...Object.fromEntries(kept) } as Environment
}

function problemOf(value: string): string | undefined {
  if (value.length > longestValue) return `it is ${value.length} characters long`
  if (value.includes('\0')) return 'it holds a NUL byte'
  return undefined
}
