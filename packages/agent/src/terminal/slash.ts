import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  columns,
  configured,
  count,
  describeMatcher,
  didYouMean,
  type Hooks,
  type Invocation,
  type Paint,
  placeOf,
  printable,
  texts,
} from 'hookline/internal'
import type { Team } from '../core/index.ts'
import type { Agent, RunEnd } from '../loop/index.ts'
import { showCost } from './show.ts'

/** What a command at the prompt can use. */
export interface SlashContext {
  agent: Agent
  hooks: Hooks
  team: Team
  cwd: string
  /** The options of the run. */
  invocation: Pick<Invocation, 'values' | 'errors'>
  paint: Paint
  width(): number
  say(lines: readonly string[]): void
  /** Works like a prompt: it can be steered and cancelled. */
  work(run: () => Promise<RunEnd>): Promise<void>
  quit(): void
}

interface SlashCommand {
  usage?: string
  doc: string
  /** It works while the agent is busy. */
  anytime?: true
  run(words: string, context: SlashContext): unknown
}

/** The commands at the prompt, one entry each; `/help` derives from it. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: {
    doc: 'This list.',
    anytime: true,
    run(_words, { say, paint, width }) {
      const rows = Object.entries(slashCommands).map(([name, { usage = '', doc }]) => [
        paint.cyan(`/${name} ${usage}`.trim()),
        doc,
      ])
      const typing = 'What you type while the agent works steers it. Ctrl+C stops it; twice, the session ends.'
      say([...columns(rows, width()), '', typing])
    },
  },
  hooks: {
    usage: '[list | on <id> | off <id> | doctor]',
    doc: 'The hooks of this session; turn one off or on again; try the guards.',
    anytime: true,
    run: (words, context) => hooksCommand(words, context),
  },
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
  quit: { doc: 'End the session. It can be resumed.', anytime: true, run: (_words, { quit }) => quit() },
}

/** A command at the prompt. `working`: the agent is at it. */
export async function runSlash(text: string, context: SlashContext, working: boolean): Promise<void> {
  const [, name = '', words = ''] = text.trim().match(/^\/(\S*)\s*([\s\S]*)$/) ?? []
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined
  if (!command) {
    const hint = didYouMean(name, Object.keys(slashCommands))
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
  const [verb = 'list', id = ''] = words.split(/\s+/).filter((word) => word !== '')
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
    say(columns([head, ...rows], width()))
  },
  on: (context, id) => turn(context, id, true),
  off: (context, id) => turn(context, id, false),
  /** Runs in a process of its own, because `doctor` changes its environment. */
  async doctor({ say, cwd, team, invocation }) {
    const { files } = await configured(invocation, [], { mayBeNone: true, quiet: true })
    const named = files.flatMap(({ file, text }) => (text === undefined ? [file] : []))
    const approved = texts(invocation.values['trust']).flatMap((each) => ['--trust', each])
    const args = [process.argv[1]!, 'doctor', '--cwd', cwd, ...approved, ...named, ...(team.file ? [team.file] : [])]
    const done = await promisify(execFile)(process.execPath, args, { maxBuffer: 4 * 1024 * 1024 }).catch(
      (error: Error & { stdout?: string; stderr?: string }) => ({ stdout: '', stderr: error.message, ...error }),
    )
    say(`${done.stdout}${done.stderr}`.trim().split('\n').map(printable))
  },
}

function turn({ hooks, say }: SlashContext, id: string, enabled: boolean): void {
  const known = hooks.hooks.map((hook) => hook.id)
  if (known.includes(id)) {
    hooks.enable(id, enabled)
    say([`\`${printable(id)}\` is ${enabled ? 'on' : 'off until the session ends'}.`])
  } else say([`There is no hook \`${printable(id)}\` here.${didYouMean(id, known)} \`/hooks\` lists them.`])
}
