import { createInterface } from 'node:readline'
import { HooklineError, note } from '../core/index.ts'
import { isToken } from '../trust/index.ts'
import type { Invocation } from './command.ts'

/** What an agent must not do by itself: a person does it at a terminal, or hands over the token that a person has made. */
export function requirePerson({ input, errors, values }: Invocation, directory: string): void {
  const isAllowed = values['yes'] ? isToken(directory, process.env['HOOKLINE_APPROVE_TOKEN']) : isPerson(input, errors)
  if (!isAllowed) throw new HooklineError(note('approval-needs-person', {}))
}

export const isPerson = (input: { isTTY?: boolean }, screen: { isTTY?: boolean }): boolean =>
  input.isTTY === true && screen.isTTY === true

export interface Asker {
  ask(question: string): Promise<boolean>
  close(): void
}

/** Asks on a terminal, one line per question. Anything but a plain yes is a no; so is an end of the input, and Ctrl+C. */
export function askOn(input: NodeJS.ReadStream, output: NodeJS.WriteStream, interrupt: AbortSignal): Asker {
  const terminal = createInterface({ input, terminal: false, signal: interrupt })
  const lines = terminal[Symbol.asyncIterator]()
  return {
    async ask(question) {
      output.write(question)
      const { value, done } = await lines.next()
      return !done && /^\s*y(?:es)?\s*$/i.test(value)
    },
    close: () => terminal.close(),
  }
}

/** Ctrl+C and other requests to end abort the work, which cleans up after itself. */
export interface Interrupt {
  readonly signal: AbortSignal
  /** From now on, Ctrl+C does what it always does. */
  release(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The exit code of a program that was interrupted, as shells know it: 128 and SIGINT. */
export const interrupted = 130

export function onInterrupt(): Interrupt {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const signal of signals) process.on(signal, stop)
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
