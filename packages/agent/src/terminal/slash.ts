import { columns, count, didYouMean, printable } from 'hookline/internal'
import type { AgentSpec } from '../core/index.ts'
import { permissionModes } from '../permissions/index.ts'
import { described, showBudgets, showCost } from './show.ts'
import type { SlashCommand, SlashContext } from './slash-command.ts'
import { hooks } from './slash-hooks.ts'
import { stats, why } from './slash-record.ts'
import { model, sessions } from './slash-session.ts'

/** The commands at the prompt, one entry each; `/help` derives from it. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: {
    doc: 'This list.',
    anytime: true,
    run(_words, context) {
      const { say, paint, width } = context
      const rows = Object.entries(slashCommands).map(([name, { usage = '', doc }]): [string, string] => [
        paint.cyan(`/${name} ${usage}`.trim()),
        doc,
      ])
      for (const [name, prompt] of Object.entries(ownCommands(context)))
        rows.push([paint.cyan(`/${printable(name)}`), printable(prompt.split('\n')[0] ?? '')])
      const typing = 'What you type while the agent works steers it. Ctrl+C stops it; twice, the session ends.'
      say([...described(rows, width()), '', typing])
    },
  },
  hooks,
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
    run: (_words, { agent, say, paint }) => say([showCost(agent.totals), ...showBudgets(agent.budgets, paint)]),
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

/** What can be typed here: our commands, and those of the agent file. */
export function offered(agent: AgentSpec | undefined): { name: string; usage?: string; doc: string }[] {
  const own = Object.entries(slashCommands).map(([name, { usage, doc }]) => ({ name, ...(usage && { usage }), doc }))
  const prompts = Object.entries(agent?.commands ?? {}).filter(([name]) => !Object.hasOwn(slashCommands, name))
  return [...own, ...prompts.map(([name, text]) => ({ name, doc: text.replace(/\s+/g, ' ').slice(0, 80) }))]
}
