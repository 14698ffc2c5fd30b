import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { onTestFinished } from 'vitest'
import { binary, nobody, unmarked } from './cli.ts'

/** By this name and word, what holds the terminals of editors is known from other programs that hold one. */
const program = fileURLToPath(new URL('./out/bootstrap-fork.mjs', import.meta.url))

export interface Terminal {
  /** Known once it shows something. */
  readonly pid: number
  /** Waits until this has been shown since the last answer. */
  sees(text: string | RegExp): Promise<void>
  types(keys: string): void
  resizes(size: { columns: number; rows: number }): void
  /** The window is closed. */
  hangsUp(): void
  /** The same, and with it goes whoever could see how the program ends. */
  closes(): void
  /** How it ended, and all that was shown, as a person reads it. */
  ended(): Promise<{ exit: number; screen: string }>
}

interface TerminalOptions {
  cwd?: string
  env?: Record<string, string>
  columns?: number
  rows?: number
  /** Gets everything as the terminal would: for a test that looks at the screen as a whole. */
  onShown?(data: string): void
  /** Instead of our command line. */
  program?: readonly [file: string, ...args: string[]]
  /** Nobody reads the code that proves a person, and types it. */
  ignoresCode?: boolean
  /** It closes: the holder of the other terminals stays. */
  ownHolder?: boolean
}

interface Message {
  id: number
  pid?: number
  shown?: string
  exit?: number
}

/** Runs the built command line at a terminal of its own; gone when the test is. */
export function terminal(args: readonly string[], options: TerminalOptions = {}): Terminal {
  const [file, ...rest] = options.program ?? [process.execPath, binary, ...args]
  const env = { ...unmarked(process.env), ...nobody, TERM: 'xterm-256color', CI: '', ...options.env }
  const { cwd = process.cwd(), columns = 100, rows = 40 } = options
  const { tell, tells } = options.ownHolder ? startHolder() : standingHolder()
  let pid = 0
  let shown = ''
  let read = 0
  let over = false
  let typed: string | undefined
  const waiting = new Set<() => void>()
  const look = () => {
    for (const each of waiting) each()
  }
  const end = new Promise<number>((resolve) => {
    tells((message) => {
      pid = message.pid ?? pid
      shown += message.shown ?? ''
      if (message.shown !== undefined) options.onShown?.(message.shown)
      const code = /Type (\d{4}) to confirm: (?:\x1b\[[\d;]*[A-Z])*$/.exec(shown)?.[1]
      if (code !== undefined && code !== typed && message.shown !== undefined && !options.ignoresCode) {
        typed = code
        tell({ keys: `${code}\r` })
      }
      if (message.exit !== undefined) {
        over = true
        resolve(message.exit)
      }
      look()
    })
  })
  tell({ start: { file, args: rest, options: { cols: columns, rows, cwd, env } } })
  const screen = () => stripVTControlCharacters(shown).replaceAll('\r', '')

  onTestFinished(() => tell({ end: true }))
  return {
    get pid() {
      return pid
    },
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
      tell({ keys })
    },
    resizes: (size) => tell({ size }),
    hangsUp: () => tell({ hangUp: true }),
    closes: () => tell({ close: true }),
    ended: async () => ({ exit: await end, screen: screen() }),
  }
}

let holder: ReturnType<typeof newHolder> | undefined
let opened = 0

/** One process holds all terminals of a worker: each would cost a start of Node. */
function standingHolder() {
  if (!holder || holder.hasEnded()) holder = newHolder()
  return holder.terminal(++opened)
}

const startHolder = () => newHolder().terminal(++opened)

function newHolder() {
  // The shell ends at once: whoever runs the tests, an agent even, is not above the terminal.
  const window = spawn('/bin/sh', ['-c', '"$0" "$1" --type=ptyHost <&3 >&4 &', process.execPath, program], {
    detached: true,
    env: unmarked(process.env),
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
  })
  const [send, receive] = window.stdio.slice(3) as [Socket, Socket]
  const listeners = new Map<number, (message: Message) => void>()
  let hasEnded = false
  send.on('error', () => {}).unref()
  receive.on('close', () => (hasEnded = true)).unref()
  createInterface({ input: receive }).on('line', (line) => {
    const message = JSON.parse(line) as Message
    listeners.get(message.id)?.(message)
    if (message.exit !== undefined) listeners.delete(message.id)
  })
  return {
    hasEnded: () => hasEnded,
    terminal: (id: number) => ({
      tell: (message: object) => void send.write(`${JSON.stringify({ id, ...message })}\n`),
      tells: (listen: (message: Message) => void) => void listeners.set(id, listen),
    }),
  }
}
