import { managedDirectory } from '../../config/index.ts'
import { openSwitch, openTrust } from '../../trust/index.ts'
import { defineCommand } from '../command.ts'
import { requirePerson } from '../person.ts'
import { paintFor } from '../text/paint.ts'

export const command = defineCommand({
  name: 'off',
  summary: 'Switch all hooks off, but for those of the administrator.',
  usage: 'off [--json]',
  doc: [
    'Holds from the next event on, for you, in every project and every running program, until `hookline on`. Hooks of the',
    'administrator stay on. Every command that reads hooks says while they are off.',
    '',
    'It needs a terminal: an agent must not rid itself of its hooks. Where there is none, say --yes and set',
    'HOOKLINE_APPROVE_TOKEN to the token that `hookline approve --new-token` has shown you once.',
  ].join('\n'),
  options: {
    yes: { doc: 'Without a terminal. Needs HOOKLINE_APPROVE_TOKEN.' },
    json: { doc: 'Print one JSON object: hooks, managed.' },
  },
  examples: ['hookline off'],
  exits: { 1: 'There is no person at a terminal, or the switch could not be written.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, output } = invocation
    const { directory } = openTrust().store
    requirePerson(invocation, directory)
    openSwitch(directory).turn('off')
    if (values['json']) output.write(`${JSON.stringify({ hooks: 'off', managed: 'on' })}\n`)
    else
      output.write(
        [
          paintFor(output).yellow('Hooks are off: in every project, none is asked until you say `hookline on`.'),
          `Those of the administrator, in ${managedDirectory()}, stay on.`,
          '',
        ].join('\n'),
      )
    return 0
  },
})
