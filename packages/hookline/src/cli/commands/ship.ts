import { HooklineError } from '../../core/index.ts'
import { fleetDirectory, machineDirectory, openMachine, openShipper, type ShipState } from '../../fleet/index.ts'
import { defineCommand, UsageError } from '../command.ts'
import { onInterrupt } from '../interrupt.ts'
import { journalToRead } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'

/** How often it looks for new lines. */
const everyMs = 1_000

export const command = defineCommand({
  name: 'ship',
  summary: 'Send the journal of this machine to the server of its fleet, and go on with what is written.',
  usage: 'ship [--once] [--journal <file>]',
  doc: [
    'The daemon of an enrolled machine does this by itself; the command is for machines without one, such as runners of CI,',
    'and to see why nothing arrives. Lines go as they stand in the journal, which holds no secrets, in order, compressed; the',
    'server checks their chain. How far it is, is kept beside the enrolment, and the server knows it as well: nothing is lost or',
    'sent twice when either of them is killed. Ctrl+C stops it.',
  ].join('\n'),
  options: {
    once: { doc: 'Send what is there now, and end.' },
    ...readingOptions,
    json: { doc: 'Print one JSON object at the end: sent, unsent.' },
  },
  examples: ['hookline ship --once'],
  exits: {
    1: 'This machine is enrolled nowhere, or by root; or, with --once, the server does not take it.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const { values, positionals, output, errors } = invocation
    if (positionals.length > 0) throw new UsageError('`hookline ship` takes options alone.')
    const directory = fleetDirectory()
    if (directory === undefined) {
      errors.write('This machine is in no fleet. `hookline enroll <url> --token …` joins one.\n')
      return 1
    }
    if (directory === machineDirectory() && process.getuid?.() !== 0) {
      errors.write(
        'Root has enrolled this machine, and its key is root’s: the daemon of root sends your journal as well.\n',
      )
      return 1
    }
    const interrupt = onInterrupt()
    const options = { machine: openMachine(directory), journal: await journalToRead(invocation), directory }
    const log = (line: string) => void errors.write(`${line[0]!.toUpperCase()}${line.slice(1)}\n`)
    const shipper = openShipper({ ...options, log, ...(!values['once'] && { everyMs }) })
    try {
      if (values['once']) await shipper.catchUp()
      else await new Promise<void>((done) => interrupt.signal.addEventListener('abort', () => done(), { once: true }))
    } catch (error) {
      if (error instanceof HooklineError) throw error
      errors.write(`${(error as Error).message}\n`)
      return 1
    } finally {
      await shipper.close()
      interrupt.release()
    }
    output.write(values['json'] ? `${JSON.stringify(shipper.state)}\n` : `${shown(shipper.state)}\n`)
    return 0
  },
})

const shown = ({ sent, unsent }: ShipState): string =>
  unsent === 0
    ? `Sent ${sent} lines; the server has everything.`
    : `Sent ${sent} lines; ${unsent} are still here alone.`
