/** A terminal of which a program shows the whole screen, and gives it back as it was. */
export interface FullScreen {
  size(): { columns: number; rows: number }
  /** `cursor`: the end of the last line is where something is typed. */
  show(lines: readonly string[], cursor: boolean): void
  bell(): void
  /** Keys as they come, one text for each. */
  onKeys(listener: (keys: string) => void): void
  onResize(listener: () => void): void
  restore(): void
}

const enter = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const leave = '\x1b[?7h\x1b[?25h\x1b[?1049l'

/** Whatever ends the process, the terminal is as it was before. */
export function openFullScreen(input: NodeJS.ReadStream, output: NodeJS.WriteStream): FullScreen {
  let last = ''
  let open = true
  const restore = () => {
    if (!open) return
    open = false
    input.setRawMode?.(false)
    input.pause()
    output.write(leave)
  }
  process.on('exit', restore)
  input.setRawMode?.(true)
  input.setEncoding('utf8')
  input.resume()
  output.write(enter)
  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    show(lines, cursor) {
      if (!open) return
      const text = lines.map((line) => `${line}\x1b[K`).join('\r\n')
      const frame = `\x1b[?25l\x1b[H${text}\x1b[J${cursor ? '\x1b[?25h' : ''}`
      if (frame === last) return
      last = frame
      output.write(frame)
    },
    bell: () => void output.write('\x07'),
    onKeys(listener) {
      input.on('data', (chunk: string) => {
        for (const key of keysIn(chunk)) listener(key)
      })
    },
    onResize(listener) {
      output.on('resize', () => {
        last = ''
        listener()
      })
    },
    restore() {
      process.off('exit', restore)
      restore()
    },
  }
}

/** An escape sequence is one key; so is each character else. */
function keysIn(chunk: string): string[] {
  return chunk.match(/\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])|[\s\S]/gu) ?? []
}
