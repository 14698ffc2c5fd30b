import { createInterface } from 'node:readline'
import { formatNote, HooklineError, note } from '../../core/index.ts'
import { type Approver, type Inspection, isToken, makeToken, openTrust } from '../../trust/index.ts'
import { defineCommand, type Invocation, UsageError } from '../command.ts'
import { configOptions } from '../configured.ts'
import { inspectHooks } from '../inspect-hooks.ts'
import { showInspection } from '../text/inspection.ts'
import { count } from '../text/layout.ts'
import { paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'approve',
  summary: 'Look at exactly what a hook would run, and let it.',
  usage: 'approve [--config <file>] [<id> …] [--all]',
  doc: [
    'Shows every hook that is not approved yet, or those that you name: what it runs, the digest of every file, what',
    'cannot be pinned, and what has changed since it was approved before; then asks. An approval holds for these exact',
    'bytes: any change, in the config or in a script, and the hook does not run until you approve it again.',
    '',
    'Approving needs a terminal. Where there is none, say --yes and set HOOKLINE_APPROVE_TOKEN to the token that',
    '--new-token has shown you once.',
  ].join('\n'),
  options: {
    ...configOptions,
    all: { doc: 'Show all of them and ask once.' },
    yes: { doc: 'Do not ask. Needs HOOKLINE_APPROVE_TOKEN, and ids or --all.' },
    'new-token': {
      doc: 'Make a token for approving without a terminal, and show it once. It replaces the one before.',
    },
    json: { doc: 'Print a list of `{id, state, digest}` at the end; all else goes to standard error.' },
  },
  examples: ['hookline approve', 'hookline approve --config team.yaml guard'],
  exits: {
    1: 'The config or the approvals could not be read, or there is nobody to ask.',
    2: 'At least one hook was not approved.',
    64: 'Wrong usage.',
  },
  async run(invocation) {
    const { values, positionals, output, errors } = invocation
    const trust = openTrust()
    const isPerson = invocation.input.isTTY && errors.isTTY
    if (values['new-token']) {
      if (!isPerson) throw needsPerson()
      output.write(`${makeToken(trust.store.directory)}\n`)
      return 0
    }
    if (values['yes'] && positionals.length === 0 && !values['all'])
      throw new UsageError('With `--yes`, name the hooks by their ids, or say `--all`.')
    const { inspections, notes } = await inspectHooks(trust, invocation, true)
    for (const said of notes) errors.write(`${formatNote(said)}\n`)
    const chosen = choose(inspections, positionals)
    if (!values['yes'] ? !isPerson : !isToken(trust.store.directory, process.env['HOOKLINE_APPROVE_TOKEN']))
      if (chosen.some(isOpen)) throw needsPerson()
    const approved = await approveEach(trust, chosen, inspections, invocation)
    const state = ({ hook, state }: Inspection) => (approved.has(hook.id) ? 'approved' : state)
    if (values['json'])
      output.write(
        `${JSON.stringify(chosen.map((each) => ({ id: each.hook.id, state: state(each), digest: each.digest })))}\n`,
      )
    return chosen.some((each) => isOpen(each) && !approved.has(each.hook.id)) ? 2 : 0
  },
})

async function approveEach(
  trust: Approver,
  chosen: readonly Inspection[],
  all: readonly Inspection[],
  { values, output, errors, input }: Invocation,
): Promise<Set<string>> {
  const screen = values['json'] || !output.isTTY ? errors : output
  const paint = paintFor(screen)
  const say = (lines: readonly string[]) => screen.write(`${lines.join('\n')}\n`)
  const approved = new Set<string>()
  const open = chosen.filter(isOpen)
  if (open.length === 0) say([chosen.length === 0 ? 'There are no hooks here.' : 'Everything is approved already.'])
  const approvable = open.filter(({ state }) => state !== 'refused')
  const asker = values['yes'] || approvable.length === 0 ? nobody : askOn(input, screen)
  const groups = values['all'] || values['yes'] ? [approvable] : approvable.map((each) => [each])
  for (const refused of open.filter(({ state }) => state === 'refused'))
    say([...showInspection(refused, paint, widthOf(screen)), ''])
  for (const group of groups.filter(({ length }) => length > 0)) {
    for (const each of group) say([...showInspection(each, paint, widthOf(screen)), ''])
    const what = group.length === 1 ? `\`${group[0]!.hook.id}\`` : `these ${count(group.length, 'hook')}`
    if (!values['yes'] && !(await asker.ask(`Approve ${what}? [y/N] `))) {
      say([`Not approved: ${what}.`])
      continue
    }
    await trust.approve(group, all)
    for (const { hook } of group) approved.add(hook.id)
    say([paint.green(`Approved ${what}.`)])
  }
  asker.close()
  return approved
}

const nobody: Asker = { ask: async () => false, close() {} }

interface Asker {
  ask(question: string): Promise<boolean>
  close(): void
}

/** Asks on a terminal, one line per question. Anything but a plain yes is a no, and so is an end of the input. */
function askOn(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Asker {
  const terminal = createInterface({ input, terminal: false })
  const lines = terminal[Symbol.asyncIterator]()
  return {
    async ask(question) {
      output.write(question)
      const { value, done } = await lines.next()
      return !done && /^\s*y(?:es)?\s*$/i.test(value)
    },
    close: () => terminal.close(),
  }
}

function choose(inspections: readonly Inspection[], ids: readonly string[]): readonly Inspection[] {
  const known = inspections.map(({ hook }) => hook.id)
  const unknown = ids.filter((id) => !known.includes(id))
  if (unknown.length > 0)
    throw new UsageError(`There is no hook \`${unknown.join('`, `')}\` here. There are: ${known.join(', ') || 'none'}.`)
  return ids.length === 0 ? inspections : inspections.filter(({ hook }) => ids.includes(hook.id))
}

const isOpen = ({ state }: Inspection): boolean => state !== 'approved' && state !== 'vouched'
const needsPerson = () => new HooklineError(note('approval-needs-person', {}))
