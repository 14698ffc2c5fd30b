import { spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { HooklineError, note } from '../core/index.ts'
import { type Desk, type Person, personHere, requireToken } from '../person/index.ts'
import type { Invocation } from './command.ts'
import { onInterrupt } from './interrupt.ts'

/**
 * What an agent must not do by itself: a person does it at a terminal, and proves to be one, or hands over the token
 * that a person has made. Gives back which of them it was.
 */
export async function requirePerson(invocation: Invocation, directory: string): Promise<'person' | 'token'> {
  if (invocation.values['yes']) {
    requireToken(directory)
    return 'token'
  }
  const person = personAt(invocation, directory)
  const { input, output, errors } = invocation
  const interrupt = onInterrupt()
  const asker = askOn(input, output.isTTY ? output : errors, interrupt.signal)
  const isProven = await person.confirm(asker)
  asker.close()
  interrupt.release()
  if (!isProven) throw new HooklineError(note('approval-needs-person', {}))
  return 'person'
}

/** The person at this terminal, before they have proven to be one; throws where nobody can be. */
export const personAt = ({ input, errors }: Pick<Invocation, 'input' | 'errors'>, directory: string): Person =>
  personHere(directory, isPerson(input, errors))

export const isPerson = (input: { isTTY?: boolean }, screen: { isTTY?: boolean }): boolean =>
  input.isTTY === true && screen.isTTY === true

export interface Asker extends Desk {
  ask(question: string): Promise<boolean>
  close(): void
}

/** Asks on a terminal, one line per question. Anything but a plain yes is a no; so is an end of the input, and Ctrl+C. */
export function askOn(input: NodeJS.ReadStream, output: NodeJS.WriteStream, interrupt: AbortSignal): Asker {
  const terminal = createInterface({ input, terminal: false, signal: interrupt })
  const lines = terminal[Symbol.asyncIterator]()
  const line = async (question: string) => {
    output.write(question)
    const { value, done } = await lines.next()
    return done ? undefined : value
  }
  return {
    line,
    async ask(question) {
      return /^\s*y(?:es)?\s*$/i.test((await line(question)) ?? 'no')
    },
    async secret(question) {
      echo(input, 'off')
      try {
        return await line(question)
      } finally {
        echo(input, 'on')
        output.write('\n')
      }
    },
    close: () => terminal.close(),
  }
}

/** Not with raw mode: the terminal goes on to know Ctrl+C and the backspace. */
function echo(input: NodeJS.ReadStream & { fd?: number }, to: 'on' | 'off'): void {
  spawnSync('stty', [to === 'on' ? 'echo' : '-echo'], {
    stdio: [input.fd ?? 0, 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  })
}
