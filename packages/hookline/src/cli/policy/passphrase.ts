import { readFileSync } from 'node:fs'
import { wrong } from '../../fleet/publish/index.ts'
import { type Invocation, text } from '../command.ts'
import { onInterrupt } from '../interrupt.ts'
import { askOn, isPerson } from '../person.ts'

/** How a passphrase is given: by a file, by a variable, or typed where nobody sees it. */
export async function passphraseFor(invocation: Invocation, question: string, isNew = false): Promise<string> {
  const file = text(invocation.values['passphrase-file'])
  if (file !== undefined) return passphraseIn(file)
  const given = process.env['HOOKLINE_POLICY_PASSPHRASE']
  if (given !== undefined && given !== '') return given
  const { input, output, errors } = invocation
  if (!isPerson(input, errors))
    throw wrong(
      'There is no terminal to type a passphrase at.',
      'Give it with `--passphrase-file <file>`, or in HOOKLINE_POLICY_PASSPHRASE.',
    )
  const interrupt = onInterrupt()
  const desk = askOn(input, output.isTTY ? output : errors, interrupt.signal)
  try {
    const typed = (await desk.secret(`${question}: `)) ?? ''
    if (!isNew) return typed
    if (typed.length < 10) throw wrong('This passphrase is too short.', 'Take ten characters or more.')
    if ((await desk.secret('Once more: ')) !== typed) throw wrong('These are two different ones.', 'Try again.')
    return typed
  } finally {
    desk.close()
    interrupt.release()
  }
}

function passphraseIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw wrong(`The passphrase file ${file} cannot be read: ${code}.`, 'Check the path and its permissions.')
  }
}
