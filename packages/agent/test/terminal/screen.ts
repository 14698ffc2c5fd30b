import xterm from '@xterm/headless'
import { type Terminal, terminal } from '../../../hookline/test/support/terminal.ts'

/** A terminal by what is on its screen, as a person sees it. */
export interface Screen extends Pick<Terminal, 'types' | 'closes' | 'ended'> {
  readonly pid: number
  /** Waits until this is on the screen. */
  shows(text: string | RegExp): Promise<void>
  /** Waits until this is no longer on it. */
  hides(text: string | RegExp): Promise<void>
  lines(): string[]
  /** With all that can be scrolled back to. */
  everything(): string[]
  /** What was sent to it, codes and all. */
  raw(): string
  /** As a terminal sends what is pasted. */
  pastes(text: string): void
  resize(columns: number, rows: number): void
}

export interface ScreenOptions {
  cwd?: string
  env?: Record<string, string>
  columns?: number
  rows?: number
  program?: readonly [file: string, ...args: string[]]
  ownHolder?: boolean
}

const patienceMs = 45_000

export function openScreen(args: readonly string[], options: ScreenOptions = {}): Screen {
  const { columns = 100, rows = 40 } = options
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    allowProposedApi: true,
    logLevel: 'off',
  })
  const waiting = new Set<() => void>()
  let raw = ''
  const window = terminal(args, {
    ...options,
    onShown(text) {
      raw += text
      emulator.write(text, () => {
        for (const check of waiting) check()
      })
    },
  })
  const read = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, at) => emulator.buffer.active.getLine(from + at)?.translateToString(true) ?? '',
    )
  const lines = () => read(emulator.buffer.active.baseY, emulator.buffer.active.baseY + emulator.rows)

  function until(isThere: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (problem?: string) => {
        clearTimeout(timer)
        waiting.delete(check)
        if (problem === undefined) resolve()
        else reject(new Error(`${problem}:\n${lines().join('\n')}`))
      }
      const timer = setTimeout(() => done(what), patienceMs)
      const check = () => isThere() && done()
      waiting.add(check)
      check()
    })
  }
  const has = (text: string | RegExp) => {
    const screen = lines().join('\n')
    return typeof text === 'string' ? screen.includes(text) : text.test(screen)
  }

  return {
    get pid() {
      return window.pid
    },
    types: window.types,
    closes: window.closes,
    ended: window.ended,
    shows: (text) => until(() => has(text), `The screen does not show ${text}`),
    hides: (text) => until(() => !has(text), `The screen still shows ${text}`),
    lines,
    everything: () => read(0, emulator.buffer.active.length),
    raw: () => raw,
    pastes: (text) => window.types(`\x1b[200~${text}\x1b[201~`),
    resize(columns, rows) {
      emulator.resize(columns, rows)
      window.resizes({ columns, rows })
    },
  }
}

/** The input is there, and the agent waits. */
export const ready = /─{20}\n\s*\n─{20}/

/** Types it as soon as the agent waits. */
export async function says(screen: Screen, text: string): Promise<void> {
  await screen.shows(ready)
  await screen.hides('Esc stops')
  screen.types(`${text}\r`)
}

/** Proves to be a person by the code that is shown. */
export async function typesCode(screen: Screen): Promise<void> {
  await screen.shows(/Type \d{4} to confirm/)
  screen.types(`${/Type (\d{4}) to confirm/.exec(screen.lines().join('\n'))?.[1]}\r`)
}
