import headless from '@xterm/headless'
import { soon } from './soon.ts'
import { type Terminal, terminal } from './terminal.ts'

/** A terminal of which a test sees what a person sees: the screen as it is now, not all that was ever written to it. */
export interface Screen extends Pick<Terminal, 'types' | 'ended'> {
  readonly pid: number
  /** The lines that are on it, without what is blank at their ends. */
  lines(): string[]
  text(): string
  /** Waits until it looks so. */
  shows(look: string | RegExp | ((text: string) => boolean)): Promise<void>
  resizes(size: { columns: number; rows: number }): void
  /** Whether a program has the whole screen to itself: what was there before comes back when it ends. */
  isFull(): boolean
}

export function screen(args: readonly string[], options: NonNullable<Parameters<typeof terminal>[1]> = {}): Screen {
  const { columns = 100, rows = 30 } = options
  const emulator = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  const watching = new Set<() => void>()
  const lookAgain = () => {
    for (const look of [...watching]) look()
  }
  const held = terminal(args, {
    ...options,
    columns,
    rows,
    onShown: (data) => emulator.write(data, lookAgain),
  })
  const lines = (): string[] => {
    const { active } = emulator.buffer
    return Array.from({ length: emulator.rows }, (_, at) =>
      (active.getLine(active.baseY + at)?.translateToString(true) ?? '').trimEnd(),
    )
  }
  const text = () => lines().join('\n')
  return {
    get pid() {
      return held.pid
    },
    lines,
    text,
    shows: (look) =>
      new Promise((resolve, reject) => {
        const isSo = () =>
          typeof look === 'function'
            ? look(text())
            : typeof look === 'string'
              ? text().includes(look)
              : look.test(text())
        const check = () => {
          if (!isSo()) return
          clearTimeout(timer)
          watching.delete(check)
          resolve()
        }
        const timer = setTimeout(() => {
          watching.delete(check)
          reject(new Error(`The screen does not show ${String(look)}:\n${text()}`))
        }, soon)
        watching.add(check)
        check()
      }),
    types: (keys) => held.types(keys),
    resizes({ columns: wide, rows: high }) {
      emulator.resize(wide, high)
      held.resizes({ columns: wide, rows: high })
    },
    isFull: () => emulator.buffer.active.type === 'alternate',
    async ended() {
      const end = await held.ended()
      // The emulator reads what it is given a moment later.
      await new Promise<void>((resolve) => emulator.write('', resolve))
      return end
    },
  }
}
