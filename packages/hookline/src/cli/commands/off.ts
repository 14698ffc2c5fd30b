import { managedDirectory } from '../../platform/index.ts'
import { openSwitch, openTrust } from '../../trust/index.ts'
import { defineCommand, text, UsageError } from '../command.ts'
import { recordNote } from '../journal-note.ts'
import { requirePerson } from '../person.ts'
import { paintFor } from '../text/paint.ts'

export const command = defineCommand({
  name: 'off',
  summary: 'Switch all hooks off, except those of the administrator.',
  usage: 'off [--for <time>] [--reason <text>]',
  doc: [
    'Takes effect with the next event, for you, in every project and every running program, until `hookline on`; with --for,',
    'it ends by itself. Hooks of the administrator stay on. Every command that reads hooks reminds you that they are off, and',
    'the journal has an entry with your reason.',
    '',
    'It needs a terminal: an agent must not switch its own hooks off. Without a terminal, pass --yes and set',
    'HOOKLINE_APPROVE_TOKEN to the token that `hookline approve --new-token` showed you.',
  ].join('\n'),
  options: {
    for: {
      value: 'time',
      doc: 'For how long: `15m`, `2h`; a day at most. They are on again after that, whoever is there.',
    },
    reason: { value: 'text', doc: 'Why, for whoever reads the journal.' },
    yes: { doc: 'Without a terminal. Needs HOOKLINE_APPROVE_TOKEN.' },
    json: { doc: 'Print one JSON object: hooks, managed, until.' },
  },
  examples: ['hookline off --for 15m --reason "repairing the hook config"'],
  exits: { 1: 'There is no person at a terminal, or the switch could not be written.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, output } = invocation
    const { directory } = openTrust().store
    const [span, reason] = [text(values['for']), text(values['reason'])]
    const until = span === undefined ? undefined : new Date(Date.now() + readSpan(span)).toISOString()
    const by = await requirePerson(invocation, directory)
    const off = openSwitch(directory)
    off.turnOff({ until, reason })
    await recordNote(off.off()!, { by, ...(until && { until }), ...(reason && { reason }) }, invocation)
    if (values['json']) output.write(`${JSON.stringify({ hooks: 'off', managed: 'on', until: until ?? null })}\n`)
    else
      output.write(
        [
          paintFor(output).yellow(
            `Hooks are off: in every project, none runs until ${until === undefined ? '' : `${until}, or until `}you run \`hookline on\`.`,
          ),
          `Those of the administrator, in ${managedDirectory()}, stay on.`,
          '',
        ].join('\n'),
      )
    return 0
  },
})

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A day at most: who forgets it has guards again the next morning. */
function readSpan(span: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(span) ?? []
  const length = Number(count) * (units[unit ?? ''] ?? Number.NaN)
  if (!(length > 0 && length <= units['d']!))
    throw new UsageError('`--for` takes a time such as `15m` or `2h`, a day at most.')
  return length
}
