import { createInterface, cursorTo, moveCursor } from 'node:readline'
import { Writable } from 'node:stream'

/** The line at the bottom of a terminal on which a person types, while above it things are written. */
export interface Line {
  /** May end inside a line; the next text continues there. */
  write(text: string): void
  /** The prompt that waits for input; undefined: it appears when the person types. */
  rest(prompt: string | undefined): void
  /** One answer; undefined at the end of input, or when the signal aborts. */
  ask(question: string, signal: AbortSignal, hidden?: boolean): Promise<string | undefined>
  close(): void
}

export interface LineEvents {
  /** What was typed; several lines when they were pasted together. */
  line(text: string): void
  /** Ctrl+C. */
  interrupt(): void
  /** Ctrl+D: nothing more will be typed. */
  end(): void
}

/** Shown before what is typed while the agent works. */
const aside = '… '

export function openLine(input: NodeJS.ReadStream, output: NodeJS.WriteStream, events: LineEvents): Line {
  let prompt: string | undefined
  let visible = false
  let closed = false
  /** What is typed is not shown. */
  let hiding = false
  /** The beginning of a line, held back while the person types. */
  let held = ''
  let inside = false
  let pasted: string[] | undefined
  let asking: ((answer: string | undefined) => void) | undefined
  const settled = new Set<() => void>()

  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (visible && !hiding) output.write(chunk)
      done()
    },
  })
  Object.defineProperties(echo, { columns: { get: () => output.columns }, isTTY: { value: true } })
  const reader = createInterface({ input, output: echo, terminal: true, historySize: 200, prompt: '' })
  const resized = () => echo.emit('resize')
  output.on('resize', resized)
  input.on('keypress', settle)
  reader.on('line', (text) => {
    // Enter has moved the cursor down, if anything was shown.
    visible = false
    forgetRows()
    if (pasted) return void pasted.push(text)
    pasted = [text]
    setImmediate(() => {
      const all = (pasted ?? []).join('\n')
      pasted = undefined
      release()
      const answer = asking
      asking = undefined
      if (answer) answer(all)
      else if (all.trim() !== '') events.line(all)
      settle()
    })
  })
  // An answer is not something to say again.
  reader.on('history', (history: string[]) => {
    if (asking) history.shift()
  })
  reader.on('SIGINT', () => {
    if (reader.line !== '') clear()
    events.interrupt()
  })
  // A terminal that went away cannot be set back; whoever holds the input ends the session.
  reader.on('error', () => {})
  reader.on('close', () => {
    if (closed) return
    closed = true
    asking?.(undefined)
    hide()
    events.end()
  })

  /** Shows the prompt when it waits for input, or when the person has begun to type. */
  function settle(): void {
    if (closed || pasted) return
    const wanted = prompt !== undefined || reader.line !== ''
    if (wanted && !visible) show()
    if (!wanted && visible) hide()
    if (reader.line === '') for (const each of [...settled]) each()
  }

  function show(): void {
    if (inside) output.write('\n')
    inside = false
    visible = true
    reader.setPrompt(prompt ?? aside)
    forgetRows()
    reader.prompt(true)
  }

  function hide(): void {
    if (!visible) return
    erase()
    visible = false
    release()
  }

  function erase(): void {
    moveCursor(output, 0, -reader.getCursorPos().rows)
    cursorTo(output, 0)
    output.write('\x1b[J')
    forgetRows()
  }

  /** Else readline would go up over what was written since. */
  function forgetRows(): void {
    ;(reader as { prevRows?: number }).prevRows = 0
  }

  function release(): void {
    if (held === '') return
    output.write(held)
    inside = true
    held = ''
  }

  function clear(): void {
    reader.write(null, { ctrl: true, name: 'e' })
    reader.write(null, { ctrl: true, name: 'u' })
  }

  /**
   * A line that is being typed is finished first: it must not become the answer to a question that came up meanwhile.
   */
  function untilEmpty(signal: AbortSignal): Promise<void> {
    if (reader.line === '' && !pasted) return Promise.resolve()
    line.write('(There is a question; send or clear your line first.)\n')
    return new Promise((resolve) => {
      const done = () => {
        settled.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      settled.add(done)
      signal.addEventListener('abort', done)
    })
  }

  const line: Line = {
    write(text) {
      if (text === '') return
      if (!visible) {
        output.write(text)
        inside = !text.endsWith('\n')
        return
      }
      const all = held + text
      const end = all.lastIndexOf('\n') + 1
      held = all.slice(end)
      if (end === 0) return
      erase()
      output.write(all.slice(0, end))
      reader.prompt(true)
    },
    rest(next) {
      prompt = next
      if (visible && !closed) {
        erase()
        visible = false
        release()
      }
      settle()
    },
    async ask(question, signal, hidden = false) {
      await untilEmpty(signal)
      if (closed || signal.aborted) return undefined
      const before = prompt
      return new Promise((resolve) => {
        const answered = (answer: string | undefined) => {
          signal.removeEventListener('abort', stop)
          asking = undefined
          if (hiding) output.write('\n')
          hiding = false
          line.rest(before)
          resolve(answer)
        }
        const stop = () => {
          clear()
          answered(undefined)
        }
        signal.addEventListener('abort', stop)
        asking = answered
        line.rest(question)
        hiding = hidden
      })
    },
    close() {
      closed = true
      hide()
      input.off('keypress', settle)
      output.off('resize', resized)
      reader.close()
      if (inside) output.write('\n')
    },
  }
  return line
}
