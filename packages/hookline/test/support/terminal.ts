import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { binary, nobody } from './cli.ts'

export interface Terminal {
  pid: number
  /** Waits until this has been shown since the last answer. */
  sees(text: string | RegExp): Promise<void>
  types(keys: string): void
  /** How it ended, and all that was shown, as a person reads it. */
  ended(): Promise<{ exit: number; screen: string }>
}

/** Runs the built command line at a terminal of its own; gone when the test is. */
export function terminal(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; columns?: number } = {},
): Terminal {
  const child = spawn(process.execPath, [binary, ...args], {
    cols: options.columns ?? 100,
    rows: 40,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...process.env, ...nobody, TERM: 'xterm-256color', CI: '', ...options.env } as Record<string, string>,
  })
  let shown = ''
  let read = 0
  const waiting = new Set<() => void>()
  const look = () => {
    for (const each of waiting) each()
  }
  child.onData((chunk) => {
    shown += chunk
    look()
  })
  const end = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      resolve(exitCode)
      look()
    })
  })
  let over = false
  void end.then(() => {
    over = true
    look()
  })
  const screen = () => stripVTControlCharacters(shown).replaceAll('\r', '')

  onTestFinished(() => {
    if (!over) process.kill(child.pid, 'SIGKILL')
  })
  return {
    pid: child.pid,
    sees: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const fresh = screen().slice(read)
          const found = typeof text === 'string' ? fresh.includes(text) : text.test(fresh)
          if (!found && !over) return
          waiting.delete(check)
          if (found) resolve()
          else reject(new Error(`It ended without showing ${text}:\n${fresh}`))
        }
        waiting.add(check)
        check()
      }),
    types(keys) {
      read = screen().length
      child.write(keys)
    },
    ended: async () => ({ exit: await end, screen: screen() }),
  }
}
