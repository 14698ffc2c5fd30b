import { existsSync } from 'node:fs'
import { formatNote, HooklineError, note, printable } from '../../core/index.ts'
import { isAlwaysOn } from '../../dialects/docker-agent/index.ts'
import { type Person, requireToken, setPassphrase, shortest } from '../../person/index.ts'
import { ownHome, realPath } from '../../platform/index.ts'
import {
  type Approvable,
  type ApprovedBy,
  type Approver,
  type Inspection,
  isCalled,
  isInside,
  makeToken,
  openTrust,
} from '../../trust/index.ts'
import { defineCommand, type Invocation, texts, UsageError } from '../command.ts'
import { configOptions, configured } from '../configured.ts'
import { inspectHooks } from '../inspect-hooks.ts'
import { interrupted, onInterrupt } from '../interrupt.ts'
import { recordNote } from '../journal-note.ts'
import { type Asker, askOn, personAt, requirePerson } from '../person.ts'
import { isOnlyWords, isWaiting, showInspection } from '../text/inspection.ts'
import { paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'approve',
  summary: 'Show exactly what a hook would run, and approve it.',
  usage: 'approve [<file>] [<id or command> …] [--all]',
  doc: [
    'Shows every hook that is not approved yet, or those that you name: what it runs, the digest of every file, what a',
    'script says, what cannot be pinned, and what changed since it was last approved; then asks. An approval holds for these exact bytes:',
    'after any change, in the config or in a script, the hook does not run until you approve it again.',
    '',
    'Approving needs a terminal. Without one, pass --yes and set HOOKLINE_APPROVE_TOKEN to the token that --new-token',
    'showed you. An agent may approve its own hooks with --self if you allow it, see docs/trust.md.',
    '',
    'Name a hook by its id; a command or a URL names every hook that runs it. A file name is short for `--config`. What an',
    'agent file starts, reaches and allows without asking is shown and approved like hooks.',
  ].join('\n'),
  options: {
    ...configOptions,
    all: { doc: 'Show all of them and ask once.' },
    yes: { doc: 'Do not ask. Needs HOOKLINE_APPROVE_TOKEN, and hooks by name or --all.' },
    self: {
      doc: 'Do not ask, and need no token: only where `trust.self_approve` is `loopback` in your own config. Needs hooks by name or --all.',
    },
    'new-token': {
      doc: 'Make a token for approving without a terminal, and show it once. It replaces the previous one.',
    },
    'new-passphrase': {
      doc: 'Choose a passphrase. From then on it is what proves that you are there, instead of a code that the terminal shows.',
    },
    json: { doc: 'Print a list of `{id, state, digest}` at the end; all else goes to standard error.' },
  },
  examples: ['hookline approve', 'hookline approve agent.yaml', 'hookline approve --config team.yaml guard'],
  exits: {
    1: 'The config or the approvals could not be read, or there is no terminal to ask on.',
    2: 'At least one hook was not approved.',
    64: 'Wrong usage.',
    [interrupted]: 'Interrupted; what you had not answered yet is not approved.',
  },
  async run(given) {
    const invocation = withFiles(given)
    const { values, positionals, output, errors } = invocation
    const trust = openTrust()
    if (values['new-token']) {
      await requirePerson({ ...invocation, values: {} }, trust.store.directory)
      output.write(`${makeToken(trust.store.directory)}\n`)
      return 0
    }
    if (values['new-passphrase']) return newPassphrase(invocation, trust.store.directory)
    const asksNobody = values['yes'] === true || values['self'] === true
    if (asksNobody && positionals.length === 0 && !values['all'])
      throw new UsageError(`With \`--${values['self'] ? 'self' : 'yes'}\`, name the hooks, or pass \`--all\`.`)
    const { inspections: hooks, brought, notes } = await inspectHooks(trust, invocation, { cached: false })
    for (const each of notes) errors.write(`${formatNote(each)}\n`)
    const inspections = [...hooks.filter(({ hook }) => !isAlwaysOn(hook)), ...brought]
    const chosen = choose(inspections, positionals)
    // Words alone keep nothing from holding: they are approved by who asks for that.
    const words = positionals.length > 0 || values['all'] === true
    const isOpen = (thing: Thing) => isWaiting(thing) || thing.state === 'refused' || (words && isOnlyWords(thing))
    const open = chosen.filter(isOpen)
    const { by, person } = open.length > 0 ? await approverOf(invocation, trust) : { by: 'person' as const }
    const interrupt = onInterrupt()
    const approved = await approveEach(trust, chosen, open, inspections, invocation, { by, person }, interrupt.signal)
    interrupt.release()
    if (by !== 'person') {
      const done = chosen.filter((each) => isOpen(each) && approved.has(each.hook.id))
      const code = by === 'self' ? 'hook-self-approved' : 'hook-token-approved'
      for (const { hook, digest } of done) {
        const warning = note(code, { id: hook.id }, { hook: hook.id })
        await recordNote(warning, { digest, file: hook.origin.where?.file }, invocation)
      }
    }
    const state = ({ hook, state }: Thing) => (approved.has(hook.id) ? 'approved' : state)
    if (values['json'])
      output.write(
        `${JSON.stringify(chosen.map((each) => ({ id: each.hook.id, state: state(each), digest: each.digest })))}\n`,
      )
    if (interrupt.signal.aborted) return interrupted
    return chosen.some((each) => isOpen(each) && !approved.has(each.hook.id)) ? 2 : 0
  },
})

/** A hook, or what an agent file brings beside. */
type Thing = Inspection<Approvable>

/** Whoever changes it has proven to be the person by the one that counts until then. */
async function newPassphrase(invocation: Invocation, directory: string): Promise<number> {
  const { input, output, errors } = invocation
  const screen = output.isTTY ? output : errors
  const person = personAt(invocation, directory)
  const interrupt = onInterrupt()
  const asker = askOn(input, screen, interrupt.signal)
  try {
    if (!(await person.confirm(asker))) throw needsPerson()
    const typed = (await asker.secret(`The new passphrase, ${shortest} characters or more: `)) ?? ''
    const isGood = typed.length >= shortest && (await asker.secret('Once more: ')) === typed
    if (isGood) setPassphrase(directory, typed)
    screen.write(
      isGood
        ? 'From now on, your passphrase proves that you are there.\n'
        : 'Nothing was changed: it is too short, or the two differ.\n',
    )
    return isGood ? 0 : 2
  } finally {
    asker.close()
    interrupt.release()
  }
}

/** Words that name files, as if they had been given with `--config`. Hooks are not called like files. */
function withFiles(invocation: Invocation): Invocation {
  const { values, positionals } = invocation
  const config = [...texts(values['config']), ...positionals.filter(isFile)]
  if (config.length === 0) return invocation
  return { ...invocation, values: { ...values, config }, positionals: positionals.filter((word) => !isFile(word)) }
}

const isFile = (word: string): boolean => /\.(ya?ml|jsonc?)$/.test(word) && existsSync(word)

/** Who approves, and how they show it. */
interface Chosen {
  by: ApprovedBy
  person?: Person | undefined
}

/** Who approves here; throws when that is nobody who may. */
async function approverOf(invocation: Invocation, trust: Approver): Promise<Chosen> {
  const { values } = invocation
  if (values['self']) {
    if (await maySelfApprove(invocation)) return { by: 'self' }
    throw new HooklineError(note('self-approve-off', {}))
  }
  if (!values['yes']) return { by: 'person', person: personAt(invocation, trust.store.directory) }
  requireToken(trust.store.directory)
  return { by: 'token' }
}

/**
 * Only the user and the administrator can allow it, by a file that lies outside the workspace: whoever can write there
 * and call us with a variable could otherwise say that this file is the user's.
 */
export async function maySelfApprove(invocation: Pick<Invocation, 'values' | 'errors'>): Promise<boolean> {
  const { settings, files, cwd } = await configured(invocation, [], { mayBeNone: true })
  if (settings.trust?.self_approve !== 'loopback') return false
  const own = files.filter(({ layer }) => layer === 'user').map(({ file }) => realPath(file))
  return isInside(ownHome(), cwd) || !own.some((file) => isInside(file, realPath(cwd)))
}

async function approveEach(
  trust: Approver,
  chosen: readonly Thing[],
  open: readonly Thing[],
  all: readonly Thing[],
  invocation: Invocation,
  { by, person }: Chosen,
  interrupt: AbortSignal,
): Promise<Set<string>> {
  const { values, output, errors, input } = invocation
  const screen = values['json'] || !output.isTTY ? errors : output
  const paint = paintFor(screen)
  const say = (lines: readonly string[]) => screen.write(`${lines.join('\n')}\n`)
  const approved = new Set<string>()
  if (open.length === 0) say([nothingOpen(chosen)])
  const approvable = open.filter(({ state }) => state !== 'refused')
  const asker = by !== 'person' || approvable.length === 0 ? nobody : askOn(input, screen, interrupt)
  const groups = values['all'] || by !== 'person' ? [approvable] : together(approvable)
  for (const refused of open.filter(({ state }) => state === 'refused'))
    say([...showInspection(refused, paint, widthOf(screen)), ''])
  for (const group of groups.filter(({ length }) => length > 0)) {
    for (const each of group) say([...showInspection(each, paint, widthOf(screen)), ''])
    const what = group.length === 1 ? `\`${group[0]!.hook.id}\`` : `all ${group.length} of them`
    const agreed = async () => (await asker.ask(`Approve ${what}? [y/N] `)) && (await person?.confirm(asker))
    if (by === 'person' && !(await agreed())) {
      say([...(interrupt.aborted ? [''] : []), `Not approved: ${what}.`, ''])
      if (interrupt.aborted) break
      continue
    }
    await trust.approve(group, all, by)
    for (const { hook } of group) approved.add(hook.id)
    say([paint.green(`Approved ${what}.`), ''])
  }
  asker.close()
  return approved
}

function nothingOpen(chosen: readonly Thing[]): string {
  if (chosen.length === 0) return 'There is nothing to approve here.'
  const words = chosen.filter(isOnlyWords).map(({ hook }) => printable(hook.id))
  if (words.length > 0)
    return [
      'Nothing needs approval: what is not approved here only tightens, and holds already.',
      `Agents are told where a rule stands, but not its words; to let them read those: hookline approve ${words.join(' ')}`,
    ].join('\n')
  return chosen.some(({ state }) => state === 'holds')
    ? 'Nothing needs approval: what is not approved here only tightens, and holds already.'
    : 'Everything is approved already.'
}

const nobody: Asker = { ask: async () => false, line: async () => undefined, secret: async () => undefined, close() {} }

function choose(inspections: readonly Thing[], names: readonly string[]): readonly Thing[] {
  if (names.length === 0) return inspections
  const known = inspections.map(({ hook }) => hook.id)
  const unknown = names.filter((name) => !inspections.some((each) => isNamed(each, name)))
  if (unknown.length > 0)
    throw new UsageError(`There is no hook \`${unknown.join('`, `')}\` here. There are: ${known.join(', ') || 'none'}.`)
  const named = new Set(inspections.filter((each) => names.some((name) => isNamed(each, name))).map(digestOf))
  return inspections.filter((each) => named.has(each.digest))
}

/** Hooks of one bundle of ours are approved together, and have one digest. */
const digestOf = ({ digest }: Thing): string => digest

function together(things: readonly Thing[]): Thing[][] {
  return [...new Set(things.map(digestOf))].map((digest) => things.filter((each) => each.digest === digest))
}

const isNamed = ({ hook: { id, run } }: Thing, name: string): boolean => isCalled(name, id, run)

const needsPerson = () => new HooklineError(note('approval-needs-person', {}))
