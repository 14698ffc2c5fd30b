import { startDaemon } from '../../install/index.ts'
import { defineCommand } from '../command.ts'
import { onInterrupt } from '../interrupt.ts'
import { journalToRead } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'
import { isPerson } from '../person.ts'
import { feed } from '../watch/feed.ts'
import { inJson, inLines } from '../watch/lines.ts'
import { openScreen } from '../watch/screen.ts'

export const command = defineCommand({
  name: 'watch',
  summary: 'Watch every decision of every agent live, and answer what they wait for.',
  usage: 'watch [--json]',
  doc: [
    'What was blocked, asked, rewritten and let through today and from now on, in every agent on this machine, with the',
    'rule that decided and how long it took. A guard that failed and let something through is shown on top.',
    '',
    'Where an agent cannot ask you itself, its questions wait here: y once, s for the session, a for always (adds a rule,',
    'shown before it is written), n no, d details. `/` filters, `?` lists the keys, q quits. While this is open, such',
    'questions wait for you, at most as long as the agent does; when you close it, they are refused at once.',
    '',
    'Without a terminal, every decision is a line.',
  ].join('\n'),
  options: {
    ...readingOptions,
    json: {
      doc: 'One JSON object on a line for everything from now on: `type` is decision, asked, settled or daemon.',
    },
  },
  examples: ['hookline watch', 'hookline watch --json | jq -r \'select(.type == "asked") | .question.what\''],
  exits: { 1: 'The journal could not be read.' },
  async run(invocation) {
    const { values, input, output } = invocation
    const journal = await journalToRead(invocation)
    const interrupt = onInterrupt()
    const quitting = new AbortController()
    const signal = AbortSignal.any([interrupt.signal, quitting.signal])
    const isScreen = !values['json'] && isPerson(input, output)
    const screen = isScreen ? openScreen(invocation, () => quitting.abort()) : undefined
    if (screen?.attached) startDaemon()
    const listener = screen?.listener ?? (values['json'] ? inJson(invocation) : inLines(invocation))
    try {
      await feed(listener, { journal, attached: screen?.attached ?? false, signal })
    } finally {
      screen?.close()
      interrupt.release()
    }
    return 0
  },
})
