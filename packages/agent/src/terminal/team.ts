import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  configured,
  dataDirectory,
  formatNote,
  HooklineError,
  hostProgram,
  type Invocation,
  isInstalledFor,
  isRecord,
  parseConfig,
  printable,
  readText,
  shareSessionFiles,
  text,
  texts,
  UsageError,
  userDirectory,
} from 'hookline/internal'
import type { Team } from '../core/index.ts'
import type { AgentOptions } from '../loop/index.ts'
import { missingKey, openModels, rehearsalProvider } from '../models/index.ts'
import { createSender, type OutboundConfig, type Sender } from '../outbound/index.ts'
import { defaultTeam, loadRehearsal, loadTeam, rehearsalsBeside } from '../team/index.ts'
import { openContainer, openSandbox, openTools } from '../tools/index.ts'
import { capabilitiesOf, recheckBeforeStart } from '../trust/index.ts'
import type { RunRequest } from './request.ts'
import type { Screen } from './screen.ts'
import { inviteAt } from './sign-in.ts'

const { env } = process

/** The team of the file, or the usual one; with what the options say of its models and limits. */
export async function composeTeam(request: RunRequest, screen: Screen, earlier: string | undefined): Promise<Team> {
  const file = request.file ?? earlier
  const team = file === undefined ? defaultTeam({ env }) : await readTeamFile(resolve(file), request.model, screen)
  const limited = request.maxIterations === undefined ? {} : { maxIterations: request.maxIterations }
  const models = modelsInstead(team, request, screen)
  const agents = Object.entries(team.agents).map(([name, agent]) => [
    name,
    { ...agent, ...limited, ...(models ? { models } : {}) },
  ])
  return { ...team, agents: Object.fromEntries(agents) }
}

async function readTeamFile(file: string, model: string | undefined, { say }: Screen): Promise<Team> {
  const { team, notes } = await loadTeam(file, env, model)
  if (notes.length > 0) say(notes.map(formatNote))
  return team
}

/** The models that the options choose; or the rehearsal model, when no model of the root agent has its key. */
function modelsInstead(team: Team, { model, script }: RunRequest, { say, paint }: Screen): string[] | undefined {
  if (script !== undefined) return [rehearsalProvider]
  if (model !== undefined) return [model]
  const own = team.agents[team.root]!.models
  const missing = own.map((name) => missingKey(name, { team, env }))
  const rehearses = own.every((name, at) => missing[at] !== undefined || name === rehearsalProvider)
  if (!rehearses) return undefined
  const why =
    missing.find((each): each is HooklineError => each !== undefined)?.notes[0]?.message ?? 'No key for a model is set.'
  say([
    paint.dim(
      `${why} The rehearsal model answers, offline. For a real one, set a key or say \`--model ollama/qwen3\`.`,
    ),
  ])
  return [rehearsalProvider]
}

export type Supplies = Required<Pick<AgentOptions, 'openModel' | 'openTools' | 'send' | 'channels'>> & {
  close(): Promise<void>
}

/** What the agents of a team work with. */
export async function supply(
  team: Team,
  cwd: string,
  invocation: Invocation,
  { script }: RunRequest,
  screen: Screen,
): Promise<Supplies> {
  const { say, person, remote } = screen
  const { values } = invocation
  const dataDir = dataDirectory()
  const kind = text(values['sandbox'])
  const isVirtual = kind === '' || kind === 'virtual'
  const sandbox = isVirtual ? await openSandbox({ cwd }) : undefined
  const { settings, files } = await configured(invocation, [], { mayBeNone: true, quiet: true })
  const ofHooks = [
    join(cwd, '.hookline'),
    ...files.filter(({ text }) => text === undefined).map(({ file }) => resolve(file)),
    ...(team.file === undefined ? [] : [resolve(team.file)]),
  ]
  const container = kind === undefined || isVirtual ? undefined : await openContainer(kind, cwd, ofHooks)
  // Hooks that run in a sandbox and the tools of the agent work on the same files.
  const shared = sandbox?.files ?? (container && { tree: new Map(), apply() {}, run: container.run })
  const unshare = shared ? shareSessionFiles(() => shared) : () => {}
  if (sandbox && sandbox.left > 0) say([`${sandbox.left} files of the workspace did not fit into the sandbox.`])
  const rehearsal = script === undefined ? undefined : await loadRehearsal(script)
  const sender = await openChannels(text(values['channels']), (line) => say([printable(line)]))
  const session = {}
  const anywhere = values['allow-private-ips'] === true || texts(values['trust']).includes('all')
  // What is left of an agent file that could be refused has been approved, with all its settings.
  const approved = new Set(capabilitiesOf(team).flatMap(({ of }) => of))
  return {
    openModel: openModels({
      team,
      env,
      loadRehearsal: rehearsalsBeside(team.file),
      harness: { cwd, env, program: (host) => hostProgram(host, cwd), unguarded: (host) => unguarded(host, cwd) },
      ...(rehearsal ? { rehearsal } : {}),
    }),
    openTools: (agent) =>
      openTools(agent, {
        cwd,
        dataDir,
        session,
        // A file of the project must not open what only the person at this machine can reach.
        allowLocal: (toolset) => anywhere || approved.has(toolset),
        mayNotStart: recheckBeforeStart(team, cwd, invocation),
        readable: [`${dataDir}/tool-results`],
        ...(person && !remote ? { signIn: { invite: inviteAt(screen) } } : {}),
        trustedHints: settings.trust?.readonly_hint ?? [],
        ...(sandbox ? { sandbox } : {}),
        ...(container ? { container } : {}),
        warn: (note) => say([formatNote(note)]),
      }),
    send: sender.send,
    channels: sender.channels,
    async close() {
      unshare()
      await Promise.allSettled([sandbox?.close(), sender.close()])
    },
  }
}

/** A coding agent in which Hookline is not installed works past every hook. */
const unguarded = async (host: string, cwd: string): Promise<string | undefined> =>
  (await isInstalledFor(host, cwd))
    ? undefined
    : `Hookline is not installed in it, so that no hook would see what it does. Install it: hookline install ${host}`

/**
 * By which channels messages may leave: the console, and those that the person has named. An agent file cannot name any:
 * a project must not decide where what it sees is sent.
 */
export async function openChannels(named: string | undefined, write: (line: string) => void): Promise<Sender> {
  const usual = join(userDirectory(), 'channels.yaml')
  const file = named ?? (existsSync(usual) ? usual : undefined)
  const own = file === undefined ? {} : await readChannels(file)
  try {
    return createSender({ console: { type: 'console' }, ...own }, { write })
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
}

async function readChannels(file: string): Promise<OutboundConfig> {
  const read = await readText(file)
  if (!read.ok) throw new HooklineError(read.problem)
  const parsed = await parseConfig(read.text, file)
  if (!parsed.ok) throw new HooklineError(parsed.problem)
  if (!isRecord(parsed.document)) throw new UsageError(`${file} must be a mapping of channels, each with a \`type\`.`)
  return parsed.document as OutboundConfig
}
