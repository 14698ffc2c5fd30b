import { StdinBuffer, setKittyProtocolActive, type Terminal } from '@mariozechner/pi-tui'
import { sanitise } from 'hookline/internal'

/** How the library empties the screen and what can be scrolled back to before it draws everything anew. */
const emptying = '\x1b[2J\x1b[H\x1b[3J'
const drawn = '\x1b[?2026l'

/** A terminal that does not answer within this time does not know kitty's keys. */
const answerMs = 150

export interface Device extends Terminal {
  /** The next time that everything is drawn anew, all of it is, and not only what fits on the screen. */
  replay(): void
}

/**
 * The terminal as the library sees it. Nothing here throws when the terminal is gone: `gone` says so. `top` is the first
 * line that was on the screen until now, of all that were drawn; what the person
 * can scroll back to is theirs and is never erased: where the library would do so, the part that fits on the screen is
 * drawn and the rest is left as it was printed.
 */
export function openDevice(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  { gone, top }: { gone(): void; top(): number },
): Device {
  let stop: (() => void) | undefined
  let kitty = false
  let otherKeys = false
  let whole = false
  let isOurs = false

  const write = (text: string): void => void output.write(kept(text))

  /** Like `text`, but without emptying what can be scrolled back to. */
  function kept(text: string): string {
    const at = text.indexOf(emptying)
    if (at < 0) return text
    const end = text.lastIndexOf(drawn)
    const lines = text.slice(at + emptying.length, end).split('\r\n')
    // What has come below the screen since is printed on its way.
    const from = whole ? 0 : Math.min(top(), Math.max(0, lines.length - device.rows))
    const shown = lines.slice(from)
    // What stood on the screen before we came is moved up, once, so that it can be scrolled back to.
    const moved = isOurs ? '' : `\x1b[${device.rows};1H${'\n'.repeat(device.rows)}`
    isOurs = true
    whole = false
    return `${text.slice(0, at)}${moved}\x1b[H\x1b[J${shown.join('\r\n')}${text.slice(end)}`
  }

  const device: Device = {
    start(onInput, onResize) {
      const buffer = new StdinBuffer({ timeout: 10 })
      buffer.on('data', (sequence) => {
        if (kitty || !/^\x1b\[\?\d+u$/.test(sequence)) return onInput(sequence)
        kitty = true
        setKittyProtocolActive(true)
        output.write('\x1b[>7u')
      })
      buffer.on('paste', (text) => onInput(pasted(text)))
      const read = (data: string) => {
        const text = unmarkedPaste(data)
        if (text === undefined) return buffer.process(data)
        onInput(pasted(text.replace(/\r$/, '')))
        if (text.endsWith('\r')) onInput('\r')
      }
      raw(input, true)
      input.setEncoding('utf8').resume()
      input.on('data', read).on('error', gone).on('end', gone)
      output.on('resize', onResize)
      output.write('\x1b[?2004h\x1b[?u')
      const unanswered = setTimeout(() => {
        if (kitty) return
        otherKeys = true
        output.write('\x1b[>4;2m')
      }, answerMs).unref()
      stop = () => {
        clearTimeout(unanswered)
        buffer.destroy()
        input.off('data', read).off('end', gone).pause()
        output.off('resize', onResize)
        output.write(`\x1b[?2004l${kitty ? '\x1b[<u' : ''}${otherKeys ? '\x1b[>4;0m' : ''}`)
        setKittyProtocolActive(false)
        kitty = false
        otherKeys = false
        raw(input, false)
      }
    },
    stop() {
      stop?.()
      stop = undefined
    },
    drainInput: async () => {},
    write,
    get columns() {
      return output.columns || 80
    },
    get rows() {
      return output.rows || 24
    },
    get kittyProtocolActive() {
      return kitty
    },
    moveBy: (lines) => lines !== 0 && write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`),
    hideCursor: () => write('\x1b[?25l'),
    showCursor: () => write('\x1b[?25h'),
    clearLine: () => write('\x1b[K'),
    clearFromCursor: () => write('\x1b[J'),
    clearScreen: () => write('\x1b[2J\x1b[H'),
    setTitle: () => {},
    setProgress: () => {},
    replay() {
      whole = true
    },
  }
  return device
}

/**
 * The library draws what it is given: colours of a log that is pasted, and whatever else moves a cursor, are left out.
 * Terminals send the end of a line as the key that is pressed for it.
 */
const pasted = (text: string): string => `\x1b[200~${sanitise(text.replace(/\r\n?/g, '\n'))}\x1b[201~`

/** Several lines that arrive at once, from a terminal that does not mark what is pasted. */
function unmarkedPaste(data: string): string | undefined {
  const text = data.replace(/\r\n?/g, '\r')
  return data.includes('\x1b') || !/[^\r]\r+[^\r]/.test(text) ? undefined : text
}

/** A terminal that is gone cannot be set. */
function raw(input: NodeJS.ReadStream, to: boolean): void {
  try {
    input.setRawMode?.(to)
  } catch {}
}
