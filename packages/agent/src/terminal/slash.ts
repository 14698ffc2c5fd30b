import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  breadth,
  columns,
  configured,
  count,
  describeMatcher,
  didYouMean,
  isAlwaysOn,
  placeOf,
  printable,
  texts,
  wrap,
} from 'hookline/internal'
import type { AgentSpec } from '../core/index.ts'
import { permissionModes } from '../permissions/index.ts'
import { showCost } from './show.ts'
import type { SlashCommand, SlashContext } from './slash-command.ts'
import { stats, why } from './slash-record.ts'
import { model, sessions } from './slash-session.ts'

/** The commands at the prompt, one entry each; `/help` derives from it. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: {
    doc: 'This list.',
    anytime: true,
    run(_words, context) {
      const { say, paint, width } = context
      const rows = Object.entries(slashCommands).map(([name, { usage = '', doc }]) => [
        paint.cyan(`/${name} ${usage}`.trim()),
        doc,
      ])
      for (const [name, prompt] of Object.entries(ownCommands(context)))
        rows.push([paint.cyan(`/${printable(name)}`), printable(prompt.split('\n')[0] ?? '')])
      const typing = 'What you type while the agent works steers it. Ctrl+C stops it; twice, the session ends.'
      say([...columns(rows, width()), '', typing])
    },
  },
  hooks: {
    usage: '[list | on [id] | off [id] | doctor | approve [id] | revoke <id> | help]',
    doc: 'The hooks of this session; turn one or all off or on again; try the guards; approve and revoke.',
    anytime: true,
    run: (words, context) => hooksCommand(words, context),
  },
  why,
  undo: {
    doc: 'Put files back to how they were before the latest snapshot.',
    run: async (_words, context) =>
      withSnapshots(context, async (snapshots) => {
        const files = await snapshots.undo()
        if (files.length === 0) return ['There is nothing to undo.']
        return [`Put back ${count(files.length, 'file')}:`, ...files.map((file) => `  ${printable(file)}`)]
      }),
  },
  snapshots: {
    usage: '[keep <n>]',
    doc: 'What can be undone; `keep 2` undoes all but the first two.',
    run: async (words, context) =>
      withSnapshots(context, async (snapshots) => {
        const keep = words.match(/^keep\s+(\d+)$/)?.[1]
        if (keep !== undefined) return [`Put back ${count((await snapshots.reset(Number(keep))).length, 'file')}.`]
        const all = await snapshots.list()
        if (all.length === 0) return ['There are no snapshots yet.']
        return columns(all.map(({ at, by, files }, index) => [String(index + 1), at, count(files.length, 'file'), by]))
      }),
  },
  compact: {
    doc: 'Replace the conversation so far by a summary.',
    async run(_words, { agent, say }) {
      const outcome = await agent.compact()
      if (outcome === 'nothing') say(['There is nothing to compact yet.'])
    },
  },
  mode: {
    usage: `[${permissionModes.join(' | ')}]`,
    doc: 'What may run without asking you.',
    anytime: true,
    run(words, { agent, say }) {
      const mode = permissionModes.find((each) => each === words)
      if (words !== '' && !mode) return say([`\`/mode\` takes ${permissionModes.join(', ')}.`])
      if (mode) agent.setPermissionMode(mode)
      say([`The permission mode is ${agent.permissionMode}.`])
    },
  },
  clear: { doc: 'Begin the conversation anew.', run: (_words, { agent }) => agent.clear() },
  goal: {
    usage: '<text>',
    doc: 'Work until this is done and the claim holds.',
    run: (words, { agent, work, say }) =>
      words === '' ? say(['Which goal? `/goal <text>`.']) : work(() => agent.goal(words)),
  },
  later: {
    usage: '<text>',
    doc: 'Say this when the agent has answered.',
    anytime: true,
    run: (words, { agent, say, paint }) => {
      if (words === '') return say(['Say what? `/later <text>`.'])
      agent.followUp(words)
      say([paint.dim('Queued.')])
    },
  },
  agent: {
    usage: '[name]',
    doc: 'Who is in the team; with a name, that agent takes over.',
    async run(words, { agent, team, say, paint }) {
      if (words !== '' && team.agents[words]) return agent.switchTo(words)
      const rows = Object.values(team.agents).map(({ name, description }) => [
        `${name === agent.agentName ? paint.green('●') : ' '} ${printable(name)}`,
        printable(description),
      ])
      say([...(words === '' ? [] : [`There is no agent \`${printable(words)}\`.`]), ...columns(rows)])
    },
  },
  model,
  notify: {
    usage: '<channel> <text>',
    doc: 'Send a message, if hooks let it through.',
    async run(words, { agent, say }) {
      const [, channel, text] = words.match(/^(\S+)\s+([\s\S]+)$/) ?? []
      if (channel === undefined || text === undefined) return say(['Where, and what? `/notify <channel> <text>`.'])
      const { sent, reason } = await agent.notify(channel, text)
      if (!sent) say([`Not sent${reason ? `: ${printable(reason)}` : '.'}`])
    },
  },
  cost: {
    doc: 'What the session has used so far.',
    anytime: true,
    run: (_words, { agent, say }) => say([showCost(agent.totals)]),
  },
  stats,
  sessions,
  quit: { doc: 'End the session. It can be resumed.', anytime: true, run: (_words, { quit }) => quit() },
}

/** The commands of the agent file, of the agent that answers now. */
const ownCommands = ({ team, agent }: SlashContext) => team.agents[agent.agentName]?.commands ?? {}

/** What such a command stands for; words after its name go behind it. */
function promptOf(name: string, words: string, context: SlashContext): string | undefined {
  const commands = ownCommands(context)
  if (!Object.hasOwn(commands, name)) return undefined
  return words === '' ? commands[name] : `${commands[name]}\n\n${words}`
}

/** A command at the prompt. `working`: the agent is at it. */
export async function runSlash(text: string, context: SlashContext, working: boolean): Promise<void> {
  const [, name = '', words = ''] = text.trim().match(/^\/(\S*)\s*([\s\S]*)$/) ?? []
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined
  const own = command ? undefined : promptOf(name, words, context)
  if (own !== undefined) {
    if (working) return context.agent.followUp(own)
    return context.work(() => context.agent.prompt(own))
  }
  if (!command) {
    const hint = didYouMean(name, [...Object.keys(slashCommands), ...Object.keys(ownCommands(context))])
    return context.say([`There is no command \`/${printable(name)}\`.${hint} \`/help\` lists them.`])
  }
  if (working && !command.anytime) return context.say([`\`/${name}\` has to wait until the agent has answered.`])
  await command.run(words, context)
}

type Snapshots = NonNullable<Awaited<ReturnType<typeof import('hookline/internal')['openSessionSnapshots']>>>

async function withSnapshots(
  { agent, cwd, hooks, say }: SlashContext,
  work: (snapshots: Snapshots) => Promise<string[]>,
): Promise<void> {
  const { openSessionSnapshots } = await import('hookline/internal')
  const snapshots = await openSessionSnapshots({ cwd, session: agent.sessionId })
  if (!snapshots) return say(['Snapshots need a git repository, and there is none here.'])
  if (!hooks.hooks.some(({ run, enabled }) => run['name'] === 'snapshot' && enabled))
    return say(['No snapshots are taken in this session. Start it with `--snapshots`.'])
  say(await work(snapshots))
}

/** `/hooks`: list, on, off, doctor. */
async function hooksCommand(words: string, context: SlashContext): Promise<void> {
  const [verb = 'list', ...rest] = words.split(/\s+/).filter((word) => word !== '')
  const id = rest.join(' ')
  const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (!act)
    return context.say([`\`/hooks\` takes ${Object.keys(verbs).join(', ')}.${didYouMean(verb, Object.keys(verbs))}`])
  await act(context, id)
}

const verbs: Readonly<Record<string, (context: SlashContext, id: string) => unknown>> = {
  list({ hooks, say, paint, width }) {
    if (hooks.hooks.length === 0) return say(['There are no hooks in this session.'])
    const head = ['hook', 'event', 'matcher', 'runs', 'from'].map(paint.dim)
    const rows = hooks.hooks.map((hook) => [
      hook.enabled ? printable(hook.id) : paint.dim(`${printable(hook.id)} (off)`),
      hook.event,
      printable(describeMatcher(hook.matcher)),
      printable(`${hook.run.type} ${hook.run['name'] ?? ''}`.trim()),
      printable(hook.origin.layer === 'code' ? 'hookline' : placeOf(hook)),
    ])
    const table = columns([head, ...rows], width())
    if (table.every((line) => breadth(line) <= width())) return say(table)
    say(
      rows.flatMap(([id = '', ...about]) => [
        id,
        ...wrap(paint.dim(`  ${about.filter(Boolean).join(' · ')}`), width()),
      ]),
    )
  },
  on: (context, id) => (id === '' ? turnAll(context, true) : turn(context, id, true)),
  off: (context, id) => (id === '' ? turnAll(context, false) : turn(context, id, false)),
  help({ say, paint, width }) {
    say(
      columns(
        Object.entries(verbDocs).map(([verb, doc]) => [paint.cyan(`/hooks ${verb}`), doc]),
        width(),
      ),
    )
  },
  /** Approving needs proof of a person, which only a terminal of its own can ask for. */
  approve({ say, team }, words) {
    const what = words.replace(/^\S+\s+(?=\S)/, '')
    const file = team.file === undefined ? '' : ` ${team.file}`
    say([
      `Approve in another terminal, where you can prove to be a person: \`hookline approve${what === '' ? file : ` ${printable(what)}`}\`.`,
      'It counts here from the next event on.',
    ])
  },
  async revoke(context, id) {
    if (id === '') return context.say(['Which hook? `/hooks revoke <id or command>`.'])
    await runOwn(['revoke', id], context)
  },
  /** Runs in a process of its own, because `doctor` changes its environment. */
  async doctor({ say, cwd, team, invocation }) {
    const { files } = await configured(invocation, [], { mayBeNone: true, quiet: true })
    const named = files.flatMap(({ file, text }) => (text === undefined ? [file] : []))
    const approved = texts(invocation.values['trust']).flatMap((each) => ['--trust', each])
    await runOwn(['doctor', '--cwd', cwd, ...approved, ...named, ...(team.file ? [team.file] : [])], { say })
  },
}

const verbDocs: Readonly<Record<string, string>> = {
  list: 'Every hook: its event, what it matches and runs, and where it comes from.',
  'on [id]': 'Turn a hook on again; without an id, all of them.',
  'off [id]': 'Turn a hook off until the session ends; without an id, all but those of the administrator.',
  doctor: 'Run every hook on a payload of ours, and say which work.',
  'approve [event] <command>': 'How to approve a hook.',
  'revoke <command>': 'Take an approval back: the hook does not run any more.',
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
  const own = hooks.hooks.filter((hook) => hook.origin.layer !== 'managed' && !isAlwaysOn(hook))
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

/** What can be typed here: our commands, and those of the agent file. */
export function offered(agent: AgentSpec | undefined): { name: string; usage?: string; doc: string }[] {
  const own = Object.entries(slashCommands).map(([name, { usage, doc }]) => ({ name, ...(usage && { usage }), doc }))
  const prompts = Object.entries(agent?.commands ?? {}).filter(([name]) => !Object.hasOwn(slashCommands, name))
  return [...own, ...prompts.map(([name, text]) => ({ name, doc: text.replace(/\s+/g, ' ').slice(0, 80) }))]
}
