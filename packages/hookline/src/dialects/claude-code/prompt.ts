import type { EventName } from '../../core/index.ts'
import { rowOf, theirName } from './names.ts'

/**
 * `$ARGUMENTS` stands for the payload as JSON; a prompt without it gets the payload at its end. Our templates insert
 * single fields, so the object is written out, field by field.
 */
export function promptToOurs(prompt: string, event: EventName): string {
  const plain = prompt.replaceAll('{{', '{ {')
  const fields = rowOf(event).fields.map(({ theirs, ours }) => `"${theirs}": {{ ${ours} | toJSON }}`)
  const payload = `{"hook_event_name": "${theirName(event)}"${fields.map((field) => `, ${field}`).join('')}}`
  return plain.includes('$ARGUMENTS') ? plain.replaceAll('$ARGUMENTS', () => payload) : `${plain}\n\n${payload}`
}

/** The inverse, for prompts that `promptToOurs` made. */
export function promptToTheirs(prompt: string, event: EventName): string | undefined {
  const payload = promptToOurs('$ARGUMENTS', event)
  const theirs = prompt.endsWith(`\n\n${payload}`)
    ? prompt.slice(0, -payload.length - 2)
    : prompt.replaceAll(payload, () => '$ARGUMENTS')
  return theirs.includes('{{') ? undefined : theirs
}
