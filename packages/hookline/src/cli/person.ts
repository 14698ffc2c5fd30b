import { HooklineError, note } from '../core/index.ts'
import { isToken } from '../trust/index.ts'
import type { Invocation } from './command.ts'

/** What an agent must not do by itself: a person does it at a terminal, or hands over the token that a person has made. */
export function requirePerson({ input, errors, values }: Invocation, directory: string): void {
  const vouched = values['yes'] ? isToken(directory, process.env['HOOKLINE_APPROVE_TOKEN']) : isPerson(input, errors)
  if (!vouched) throw new HooklineError(note('approval-needs-person', {}))
}

export const isPerson = (input: { isTTY?: boolean }, screen: { isTTY?: boolean }): boolean =>
  input.isTTY === true && screen.isTTY === true
