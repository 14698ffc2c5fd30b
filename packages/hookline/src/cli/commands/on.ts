import { note } from '../../core/index.ts'
import { openSwitch, openTrust } from '../../trust/index.ts'
import { defineCommand } from '../command.ts'
import { recordNote } from '../journal-note.ts'
import { paintFor } from '../text/paint.ts'

export const command = defineCommand({
  name: 'on',
  summary: 'Switch hooks on again.',
  usage: 'on [--json]',
  doc: 'Takes effect with the next event, in every project and every running program.',
  options: { json: { doc: 'Print one JSON object: hooks, were_off_since.' } },
  examples: ['hookline on'],
  exits: { 1: 'The switch could not be written.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, output } = invocation
    const master = openSwitch(openTrust().store.directory)
    const since = master.since()
    master.on()
    if (since !== undefined) await recordNote(note('switched-on', { since }), {}, invocation)
    if (values['json']) output.write(`${JSON.stringify({ hooks: 'on', were_off_since: since ?? null })}\n`)
    else {
      const before = since === undefined ? 'They were on already.' : `They were off since ${since}.`
      output.write(`${paintFor(output).green('Hooks are on.')} ${before}\n`)
    }
    return 0
  },
})
