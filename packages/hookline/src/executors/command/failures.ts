import { constants, existsSync, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { HookFailure } from '../../core/index.ts'
import { isDirectory } from '../../platform/index.ts'
import { hostDirectory } from '../environment.ts'
import { defaultSearchPath, isAllowed } from './script.ts'
import type { Ending, Order } from './spawn.ts'

/** Full tables that may have room again in a moment. */
export const passing: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

type Attempt = Pick<Order, 'file' | 'cwd' | 'env'>

/** What the system meant. Its own words blame the program for a missing directory or interpreter. */
const meanings: Record<string, (attempt: Attempt) => { detail: string; remedy: string }> = {
  ENOENT: ({ file, cwd }) => {
    const place = resolve(cwd ?? hostDirectory(), file)
    if (!file.includes('/'))
      return {
        detail: `${file} was not found on PATH.`,
        remedy: existsSync(place)
          ? `Write ./${file} to run the file in ${cwd}.`
          : 'Install it, or write its full path.',
      }
    if (!existsSync(place)) return { detail: `${place} does not exist.`, remedy: 'Correct the path of the program.' }
    return {
      detail: `${place} exists, but the interpreter or loader it needs does not.`,
      remedy: 'Install what its first line names, or a build for this system.',
    }
  },
  EACCES: (attempt) => {
    const { file, cwd } = attempt
    if (cwd !== undefined && !isAllowed(cwd, constants.X_OK))
      return { detail: `The working directory ${cwd} may not be entered.`, remedy: 'Correct its permissions.' }
    if (!file.includes('/')) return unusableOnPath(attempt)
    const place = resolve(cwd ?? hostDirectory(), file)
    if (isDirectory(place)) return { detail: `${place} is a directory.`, remedy: 'Name the program inside it.' }
    return { detail: `${place} may not be executed.`, remedy: `Make it executable: chmod +x ${place}` }
  },
  ENOEXEC: ({ file }) => ({
    detail: `${file} is not a program this system can run.`,
    remedy: 'Give it a first line such as #!/bin/sh, or build it for this system.',
  }),
  E2BIG: () => ({
    detail: 'The arguments and the environment together are too large for the system.',
    remedy: 'Shorten `args` and `env`; the payload is on stdin.',
  }),
  ERR_INVALID_ARG_VALUE: () => ({
    detail: 'An argument or environment value holds a NUL byte.',
    remedy: 'Remove it: no system can pass it on.',
  }),
  EMFILE: () => ({ detail: 'The host has too many open files.', remedy: 'Raise its limit (ulimit -n).' }),
  ENFILE: () => ({ detail: 'The system has too many open files.', remedy: 'Raise its limit.' }),
  EAGAIN: () => ({ detail: 'No more processes can be started.', remedy: 'Raise the limit (ulimit -u).' }),
  ENOMEM: () => ({ detail: 'There is no memory to start a process.', remedy: 'Free memory.' }),
  FORK_SERVER: () => ({ detail: 'The process that starts hooks ended unexpectedly.', remedy: 'Try again.' }),
}

/** The system reports the first thing on PATH that it may not use, be it a directory that has nothing to do with the program. */
function unusableOnPath({ file, cwd, env }: Attempt): { detail: string; remedy: string } {
  const directories = (env['PATH'] ?? defaultSearchPath).split(delimiter)
  const closed: string[] = []
  for (const directory of directories) {
    const place = resolve(cwd ?? hostDirectory(), directory, file)
    try {
      if (statSync(place, { throwIfNoEntry: false })?.isFile())
        return { detail: `${place} may not be executed.`, remedy: `Make it executable: chmod +x ${place}` }
    } catch {
      closed.push(directory)
    }
  }
  const unsearched = closed.length > 0 ? ` Not searched, for lack of permission: ${closed.join(', ')}.` : ''
  return { detail: `${file} was not found on PATH.${unsearched}`, remedy: 'Install it, or write its full path.' }
}

export function spawnFailure(error: NonNullable<Ending['error']>, attempt: Attempt): HookFailure {
  const meaning = meanings[error.code]?.(attempt)
  return meaning
    ? new HookFailure('spawn', meaning.detail, meaning.remedy)
    : new HookFailure('spawn', `${attempt.file} could not be started: ${error.message}.`)
}

/** Bytes that are no text, so that a person can read them. */
export function escapeBytes(bytes: Uint8Array, most = 64): string {
  const shown = Array.from(bytes.subarray(0, most), (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  return shown.join('') + (bytes.length > most ? '…' : '')
}
