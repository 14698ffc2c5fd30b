import { createInterface } from 'node:readline/promises'
import {
  columns,
  defineCommand,
  type Invocation,
  type Paint,
  paintFor,
  printable,
  text,
  UsageError,
  widthOf,
} from 'hookline/internal'
import {
  exportMarkdown,
  findSession,
  listSessions,
  readSession,
  removeSession,
  type SessionSummary,
  sessionsDirectory,
} from '../sessions/index.ts'

export const command = defineCommand({
  name: 'sessions',
  summary: 'List, show, resume, export or delete sessions of the agent.',
  usage: 'sessions [list | show <id> | resume <id> [prompt] | export <id> | delete <id> …] [options]',
  doc: [
    'A session is kept as it happens, so that nothing is lost when its process is killed. An id can be shortened to its',
    'beginning, or to its last part. `resume` goes on with a session, as `hookline run --resume=<id>` does.',
  ].join('\n'),
  options: {
    json: { doc: 'Print JSON: a list of sessions, or one session with all its records.' },
    all: { doc: 'List everything, sub-agents’ sessions too. Default: the latest 20 of your own.' },
    here: { doc: 'List only the sessions that worked in this directory.' },
    format: { value: 'name', choices: ['markdown', 'json'], doc: 'How `export` writes. Default: markdown.' },
    yes: { doc: 'Delete without asking.' },
  },
  choices: ['list', 'show', 'resume', 'export', 'delete'],
  examples: ['hookline sessions', 'hookline sessions resume 3fa2c1', 'hookline sessions export 3fa2c1 > session.md'],
  exits: { 1: 'There is no such session, or nobody agreed to delete it.', 64: 'Wrong usage.' },
  async run(invocation) {
    const [verb = 'list', ...words] = invocation.positionals
    const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
    if (!act) throw new UsageError(`\`${verb}\` is none of: ${Object.keys(verbs).join(', ')}.`)
    return act(invocation, words)
  },
})

const verbs: Readonly<Record<string, (invocation: Invocation, words: readonly string[]) => Promise<number>>> = {
  async list({ values, output }) {
    const sessions = await listSessions(sessionsDirectory(), {
      ...(values['all'] ? { children: true } : { limit: 20 }),
      ...(values['here'] ? { cwd: process.cwd() } : {}),
    })
    if (values['json']) output.write(`${JSON.stringify(sessions, null, 2)}\n`)
    else output.write(`${showList(sessions, paintFor(output), widthOf(output)).join('\n')}\n`)
    return 0
  },
  async show({ values, output }, words) {
    const records = await read(only(words))
    if (values['json']) output.write(asJson(records))
    else {
      const { showTranscript } = await import('../terminal/index.ts')
      output.write(`${showTranscript(records, paintFor(output), widthOf(output)).join('\n')}\n`)
    }
    return 0
  },
  async export({ values, output }, words) {
    const format = text(values['format']) ?? (values['json'] ? 'json' : 'markdown')
    const write = { markdown: exportMarkdown, json: asJson }[format]
    if (!write) throw new UsageError('`--format` takes markdown or json.')
    output.write(write(await read(only(words))))
    return 0
  },
  async resume(invocation, [id, ...prompt]) {
    if (id === undefined) throw new UsageError('Which session? Run `hookline sessions` for a list.')
    const { command: run } = await import('./run.ts')
    return run.run({ ...invocation, values: { resume: id }, positionals: prompt })
  },
  async delete({ values, input, output, errors }, words) {
    if (words.length === 0) throw new UsageError('Which session? Run `hookline sessions` for a list.')
    const ids = await Promise.all(words.map((word) => findSession(sessionsDirectory(), word)))
    if (!values['yes'] && !(await agrees(`Delete ${ids.join(', ')} for good? [y/N] `, input, errors))) {
      errors.write('Nothing was deleted. Add `--yes` where nobody can answer.\n')
      return 1
    }
    for (const id of ids) await removeSession(sessionsDirectory(), id)
    output.write(`Deleted ${ids.join(', ')}.\n`)
    return 0
  },
}

function only([id, more]: readonly string[]): string {
  if (id === undefined || more !== undefined)
    throw new UsageError('Name one session. Run `hookline sessions` for a list.')
  return id
}

const read = async (word: string) => readSession(sessionsDirectory(), await findSession(sessionsDirectory(), word))
const asJson = (records: readonly unknown[]): string => `${JSON.stringify(records, null, 2)}\n`

async function agrees(question: string, input: NodeJS.ReadStream, screen: NodeJS.WriteStream): Promise<boolean> {
  if (!input.isTTY || !screen.isTTY) return false
  const asker = createInterface({ input, output: screen })
  try {
    return /^\s*y(?:es)?\s*$/i.test(await asker.question(question))
  } finally {
    asker.close()
  }
}

function showList(sessions: readonly SessionSummary[], paint: Paint, width: number): string[] {
  if (sessions.length === 0) return ['There are no sessions yet. `hookline run` begins one.']
  const head = ['session', 'last active', 'agent', 'state', 'about'].map(paint.dim)
  const rows = sessions.map(({ id, updated, agent, title, ended, parent }) => [
    paint.bold(id),
    ago(new Date(updated)),
    agent,
    ended === undefined ? paint.yellow('open') : 'ended',
    `${parent === undefined ? '' : paint.dim(`(of ${parent}) `)}${printable(title)}`,
  ])
  return columns([head, ...rows], width)
}

const steps = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [Number.POSITIVE_INFINITY, 'day'],
] as const

/** `3 minutes ago`; a date after a week. */
function ago(then: Date, now = new Date()): string {
  let amount = Math.max(0, (now.getTime() - then.getTime()) / 1000)
  if (amount > 7 * 24 * 3600) return then.toISOString().slice(0, 10)
  for (const [size, unit] of steps) {
    if (amount < size) return `${Math.floor(amount)} ${unit}${Math.floor(amount) === 1 ? '' : 's'} ago`
    amount /= size
  }
  return then.toISOString()
}
