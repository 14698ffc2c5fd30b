import {
  defineCommand,
  journalToRead,
  onInterrupt,
  paintFor,
  readingOptions,
  text,
  UsageError,
  version,
} from 'hookline/internal'
import { isPostgres } from '../store/index.ts'
import { durationFrom } from './duration.ts'
import { startWorkerProcess } from './process.ts'

export const command = defineCommand({
  name: 'worker',
  summary: 'Run turns of the server’s agents: any number of workers share them, and go on with those of one that dies.',
  usage: 'worker --database <postgres://…> [--at-once <number>] [--answer-within <time>]',
  doc: [
    'Takes turns of sessions that `hookline serve --database postgres://…` has begun, beside that server and other workers.',
    'Each step of a turn is in the database before anything follows from it, so that another worker goes on where this one',
    'was stopped; a tool that was interrupted is not run again. It needs the directories in which the agents work, under the',
    'same paths, and the config and approvals of this user.',
    '',
    'Ctrl+C, or SIGTERM, lets turns end that work, for half a minute, and leaves the others to the next worker.',
  ].join('\n'),
  options: {
    database: {
      value: 'url',
      doc: 'The PostgreSQL of the server: `postgres://…`. `HOOKLINE_DATABASE` is the same, and keeps a password out of the list of processes.',
    },
    'at-once': {
      value: 'number',
      doc: 'How many agents work at once. Default: 50. Those that wait for people do not count.',
    },
    'answer-within': {
      value: 'time',
      doc: 'How long a question waits for an answer before it counts as a no: `30m`, `24h`, `7d`. Default: 24h.',
    },
    ...readingOptions,
    json: { doc: 'Print one JSON object when it is ready: id.' },
  },
  examples: ['hookline worker --database postgres://hookline@db.example.com/hookline'],
  exits: { 1: 'It could not start: the database could not be reached.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, output, errors } = invocation
    const interrupt = onInterrupt()
    const answerWithinMs = durationFrom('--answer-within', text(values['answer-within']))
    const atOnce = countFrom(text(values['at-once']))
    const running = await startWorkerProcess({
      database: databaseFrom(text(values['database'])),
      journal: await journalToRead(invocation),
      ...(answerWithinMs !== undefined && { answerWithinMs }),
      ...(atOnce !== undefined && { atOnce }),
      log: (line) => errors.write(`${line}\n`),
    })
    const paint = paintFor(output)
    output.write(
      values['json']
        ? `${JSON.stringify({ id: running.id })}\n`
        : `${paint.bold(`Hookline ${version()}`)}  worker ${running.id}\n${paint.dim('Ctrl+C lets turns end, and stops it.')}\n`,
    )
    await new Promise<void>((done) => {
      if (interrupt.signal.aborted) done()
      else interrupt.signal.addEventListener('abort', () => done(), { once: true })
    })
    interrupt.release()
    if (running.working > 0) errors.write(`Waiting for ${running.working} to end…\n`)
    await running.close()
    return 0
  },
})

function databaseFrom(written = process.env['HOOKLINE_DATABASE'] || undefined): string {
  if (written !== undefined && isPostgres(written)) return written
  throw new UsageError(
    'Workers share a PostgreSQL: `--database postgres://user@host/name`. On a file of SQLite, `hookline serve` runs turns itself.',
  )
}

function countFrom(written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  if (/^[1-9]\d{0,4}$/.test(written)) return Number(written)
  throw new UsageError('`--at-once` takes a number, such as `50`.')
}
