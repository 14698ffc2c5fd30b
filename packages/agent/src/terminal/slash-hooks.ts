import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  breadth,
  columns,
  configured,
  count,
  describeMatcher,
  didYouMean,
  type Hook,
  HooklineError,
  type Inspection,
  indent,
  isAdministrators,
  isAlwaysOn,
  isCalled,
  personAt,
  placeOf,
  printable,
  shortened,
  showInspection,
  texts,
  waitingHooks,
  wrap,
} from 'hookline/internal'
import { trustFor } from '../trust/index.ts'
import { described } from './show.ts'
import type { SlashCommand, SlashContext } from './slash-command.ts'

/** `/hooks`: what runs in this session, and whether it may. */
export const hooks: SlashCommand = {
  usage: '[list | on | off | doctor | approve | revoke | help]',
  doc: 'The hooks of this session; turn one or all off or on again; try the guards; approve and revoke.',
  anytime: true,
  async run(words, context) {
    const [name = 'list', ...rest] = words.split(/\s+/).filter((word) => word !== '')
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    if (verb) return verb.run(context, rest.join(' '))
    context.say([`\`/hooks\` takes ${Object.keys(verbs).join(', ')}.${didYouMean(name, Object.keys(verbs))}`])
  },
}

interface Verb {
  usage: string
  doc: string
  run(context: SlashContext, words: string): unknown
}

const verbs: Readonly<Record<string, Verb>> = {
  list: {
    usage: 'list',
    doc: 'Every hook: its event, what it matches and runs, where it comes from, and whether it may run.',
    run: list,
  },
  on: {
    usage: 'on [id]',
    doc: 'Turn a hook on again; without an id, all of them.',
    run: (context, id) => (id === '' ? turnAll(context, true) : turn(context, id, true)),
  },
  off: {
    usage: 'off [id]',
    doc: 'Turn a hook off until the session ends; without an id, all but those of the administrator.',
    run: (context, id) => (id === '' ? turnAll(context, false) : turn(context, id, false)),
  },
  doctor: { usage: 'doctor', doc: 'Run every hook on a payload of ours, and say which work.', run: doctor },
  approve: {
    usage: 'approve [[event] <id or command>]',
    doc: 'Show what a hook would run, and approve it; without a name, all that wait.',
    run: approve,
  },
  revoke: {
    usage: 'revoke <id or command>',
    doc: 'Take an approval back: the hook does not run any more.',
    async run(context, id) {
      if (id === '') return context.say(['Which hook? `/hooks revoke <id or command>`.'])
      await runOwn(['revoke', id], context)
    },
  },
  help: {
    usage: 'help',
    doc: 'This list.',
    run({ say, paint, width }) {
      say(
        described(
          Object.values(verbs).map(({ usage, doc }) => [paint.cyan(`/hooks ${usage}`), doc]),
          width(),
        ),
      )
    },
  },
}

async function list(context: SlashContext): Promise<void> {
  const { hooks, say, paint, width, cwd } = context
  if (hooks.hooks.length === 0) return say(['There are no hooks in this session.'])
  const waiting = new Set((await waitingHere(context)).map(({ hook }) => hook.id))
  const isOff = hooks.hooks.filter(({ enabled }) => !enabled).length
  // Where every hook always runs, a column that says so only takes room.
  const isMatched = hooks.hooks.some(({ matcher }) => matcher.length > 0)
  const head = ['hook', 'event', ...(isMatched ? ['matcher'] : []), 'runs', 'from'].map(paint.dim)
  const rows = hooks.hooks.map((hook) => [
    nameOf(printable(hook.id), hook.enabled, waiting.has(hook.partOf?.id ?? hook.id), paint),
    hook.event,
    ...(isMatched ? [printable(describeMatcher(hook.matcher))] : []),
    printable(`${hook.run.type} ${hook.run['name'] ?? ''}`.trim()),
    printable(hook.origin.layer === 'code' ? 'hookline' : fromOf(hook, cwd)),
  ])
  const table = columns([head, ...rows], width())
  const fits = table.every((line) => breadth(line) <= width())
  const narrow = rows.flatMap(([id = '', ...about]) => [
    id,
    ...indent(wrap(paint.dim(about.filter(Boolean).join(' · ')), width() - 2), 2),
  ])
  const state = [
    count(hooks.hooks.length, 'hook'),
    ...(isOff > 0 ? [`${isOff} off (/hooks on)`] : []),
    ...(waiting.size > 0 ? [`${waiting.size} not approved (/hooks approve)`] : []),
  ]
  say([...(fits ? table : narrow), paint.dim(state.join(' · '))])
}

/** As short as it can be said from here. */
function fromOf(hook: Hook, cwd: string): string {
  const { file, line } = hook.origin.where ?? {}
  return file === undefined ? placeOf(hook) : `${shortened(file, cwd)}${line === undefined ? '' : `:${line}`}`
}

function nameOf(id: string, enabled: boolean, waits: boolean, paint: SlashContext['paint']): string {
  if (!enabled) return paint.dim(`${id} (off)`)
  return waits ? `${id} ${paint.yellow('✗ not approved')}` : id
}

/** Hooks that a person could approve; with `--trust all`, nothing waits. */
async function waitingHere({ hooks, cwd, invocation }: SlashContext): Promise<Inspection[]> {
  const trust = trustFor(invocation)
  return trust ? (await waitingHooks(trust, hooks, cwd)).filter(({ hook }) => !isAlwaysOn(hook)) : []
}

/** The person sees it all, says yes, and proves to be one, at the one door there is for that. It counts from the next event on. */
async function approve(context: SlashContext, words: string): Promise<void> {
  const { say, paint, width, desk, invocation } = context
  const all = await waitingHere(context)
  const chosen = words === '' ? all : named(all, words)
  if (chosen.length === 0)
    return say([
      words === '' || all.length === 0
        ? 'Nothing here waits for approval.'
        : `Nothing that waits is called \`${printable(words)}\`. There are: ${all.map(({ hook }) => printable(hook.id)).join(', ')}.`,
    ])
  const trust = trustFor(invocation)!
  for (const each of chosen) say([...showInspection(each, paint, width()), ''])
  const open = chosen.filter(({ state }) => state !== 'refused')
  if (open.length === 0) return
  const ids = open.map(({ hook }) => printable(hook.id)).join(', ')
  const elsewhere = `Approve in a terminal: \`hookline approve ${open.map(({ hook }) => hook.id).join(' ')}\`.`
  if (!desk) return say([elsewhere])
  try {
    const person = personAt({ input: invocation.input, errors: invocation.output }, trust.store.directory)
    const answer = await desk.line(`Approve ${ids}? [y/N] `)
    const isAgreed = /^\s*y(?:es)?\s*$/i.test(answer ?? '') && (await person.confirm(desk))
    if (!isAgreed) return say([`Not approved: ${ids}.`])
    await trust.approve(open, all)
    say([paint.green(`✓ Approved ${ids}. It counts from the next event on.`)])
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error
    say([printable(error.message), elsewhere])
  }
}

/** By an id, a command or a URL; Starchild writes the event before it. */
function named(waiting: readonly Inspection[], words: string): Inspection[] {
  const find = (name: string) => waiting.filter(({ hook }) => isCalled(name, hook.id, hook.run))
  const found = find(words)
  return found.length > 0 ? found : find(words.replace(/^\S+\s+/, ''))
}

/** Runs in a process of its own, because `doctor` changes its environment. */
async function doctor({ say, cwd, team, invocation }: SlashContext): Promise<void> {
  const { files } = await configured(invocation, [], { mayBeNone: true, quiet: true })
  const named = files.flatMap(({ file, text }) => (text === undefined ? [file] : []))
  const approved = texts(invocation.values['trust']).flatMap((each) => ['--trust', each])
  await runOwn(['doctor', '--cwd', cwd, ...approved, ...named, ...(team.file ? [team.file] : [])], { say })
}

/** A command of ours in a process of its own. */
async function runOwn(words: readonly string[], { say }: Pick<SlashContext, 'say'>): Promise<void> {
  const args = [process.argv[1]!, ...words]
  const done = await promisify(execFile)(process.execPath, args, { maxBuffer: 4 * 1024 * 1024 }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => ({ stdout: '', stderr: error.message, ...error }),
  )
  say(`${done.stdout}${done.stderr}`.trim().split('\n').map(printable))
}

/** The master switch, for this session. What the administrator has set stays on. */
function turnAll({ hooks, say }: SlashContext, enabled: boolean): void {
  const own = hooks.hooks.filter((hook) => !isAdministrators(hook.origin.layer) && !isAlwaysOn(hook))
  for (const { id } of own) hooks.enable(id, enabled)
  say([
    `${count(own.length, 'hook')} ${own.length === 1 ? 'is' : 'are'} ${enabled ? 'on' : 'off until the session ends'}.`,
  ])
}

function turn({ hooks, say }: SlashContext, id: string, enabled: boolean): void {
  const known = hooks.hooks.map((hook) => hook.id)
  if (known.includes(id)) {
    hooks.enable(id, enabled)
    say([`\`${printable(id)}\` is ${enabled ? 'on' : 'off until the session ends'}.`])
  } else say([`There is no hook \`${printable(id)}\` here.${didYouMean(id, known)} \`/hooks\` lists them.`])
}
