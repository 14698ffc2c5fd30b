import { existsSync } from 'node:fs'
import {
  dataDirectory,
  HooklineError,
  type Hooks,
  type Invocation,
  note,
  printable,
  text,
  texts,
  UsageError,
  workingDirectory,
} from 'hookline/internal'
import type { SessionRecord, Team } from '../core/index.ts'
import { type Agent, NotOpened, openAgent, type Raise, type RunEnd } from '../loop/index.ts'
import { createPermissions, type PermissionMode, permissionModes } from '../permissions/index.ts'
import {
  findSession,
  holdSession,
  listSessions,
  newSessionId,
  openSessionLog,
  readSession,
  sessionsDirectory,
} from '../sessions/index.ts'
import { approvedTeam, offerHooks } from '../trust/index.ts'
import { composeHooks } from './hooks.ts'
import { liveOutput } from './live.ts'
import { keepRecord, type RunRecord } from './record.ts'
import type { RunRequest } from './request.ts'
import type { Screen } from './screen.ts'
import { composeTeam, type Supplies, supply } from './team.ts'
import { createWorktree, prepareWorktree, removeWorktree } from './worktree.ts'

export interface Composed {
  agent: Agent
  hooks: Hooks
  team: Team
  cwd: string
  record: RunRecord
  /** Whether the session can be resumed. */
  kept(): boolean
  /** Ends what neither the agent nor the hooks have opened. */
  close(): Promise<void>
}

/** Everything that a run is made of, opened in the order in which one thing needs the other; or why there is no session. */
export async function compose(
  invocation: Invocation,
  request: RunRequest,
  screen: Screen,
  signal: AbortSignal,
): Promise<Composed | { refused: RunEnd }> {
  const { values } = invocation
  const mode = modeOf(values)
  const here = workingDirectory(values)
  const { durable } = request
  const resumed = durable
    ? recordsOrNone(durable.records)
    : request.resume === undefined
      ? undefined
      : await recordsOf(request.resume, here)
  const begun = resumed?.find((record) => record.type === 'session')
  if (begun && !existsSync(begun.cwd))
    throw new HooklineError(note('session-directory', { id: begun.id, directory: begun.cwd }))
  const written = await composeTeam(request, screen, begun?.team)
  const hooks = await composeHooks(invocation, written, screen, request.configs)
  const record = keepRecord()
  const live = liveOutput(hooks, (happening) => {
    record.watch(happening)
    screen.watch(happening)
  })
  const raise: Raise = async (event, payload, options) => {
    const since = performance.now()
    live.beforeRaise(event, payload as Readonly<Record<string, unknown>>)
    const verdict = await hooks.raise(event, payload, options)
    screen.setHooks(hooks.hooks)
    const took = performance.now() - since
    record.hooks(verdict, payload as Readonly<Record<string, unknown>>, hooks.hooks, took)
    screen.hooks(verdict, took)
    return verdict
  }
  let release = async (): Promise<void> => {}
  let cleanUp: Workspace['cleanUp'] = async () => ''
  let kept = true
  try {
    const desk = screen.remote ? withoutPerson(screen) : screen
    const waiting = await offerHooks(hooks, here, written.file, invocation, desk)
    if (!waiting || signal.aborted) throw new NotOpened({ reason: 'canceled', response: '' })
    screen.setWaiting(waiting)
    const place = await openWorkspace(invocation, begun?.cwd ?? here, raise, written.root, screen, signal)
    const { cwd } = place
    cleanUp = place.cleanUp
    const approved = await approvedTeam(written, cwd, invocation, desk)
    const team = approved && withToolsets(approved, request.toolsets)
    if (team === undefined || signal.aborted) throw new NotOpened({ reason: 'canceled', response: '' })
    const sessionId = durable?.id ?? begun?.id ?? newSessionId()
    const free = durable ? () => {} : hold(sessionId)
    release = async () => free()
    const { close, ...supplies } = await supply(team, cwd, invocation, request, screen)
    release = () => close().finally(free)
    const permissions = createPermissions({
      team: team.permissions,
      session: { allow: texts(values['allow']), ask: texts(values['ask']), deny: texts(values['deny']) },
      mode,
      cwd,
    })
    const person = screen.person?.(permissions, cwd)
    const agent = await openAgent({
      team,
      raise,
      ...supplies,
      ...withChannel(supplies, request.outbound),
      cwd,
      permissions,
      watch: live.watch,
      signal,
      channel: screen.channel ?? 'cli',
      projectDir: here,
      ...(process.env['HOOKLINE_ORG_ID'] === undefined ? {} : { orgId: process.env['HOOKLINE_ORG_ID'] }),
      ...(person ? { person } : {}),
      sessionId,
      ...(resumed ? { resume: resumed } : {}),
      ...(durable?.continues ? { continues: durable.continues } : {}),
      openLog: async (id) =>
        durable?.open(id) ??
        openSessionLog(sessionsDirectory(), id, {
          onError({ message }) {
            kept = false
            screen.say([`The session is not kept: ${message}`])
          },
        }),
    })
    return { agent, hooks, team, cwd, record, kept: () => kept, close: release }
  } catch (error) {
    await release()
    await hooks.close()
    const left = await cleanUp()
    if (left !== '') screen.say([left])
    if (!(error instanceof NotOpened)) throw error
    const { end } = error
    if (end.detail !== undefined) screen.say([screen.paint.red(printable(end.detail))])
    return { refused: end }
  }
}

function modeOf(values: Invocation['values']): PermissionMode {
  const named = text(values['permission-mode'])
  const mode = permissionModes.find((each) => each === named)
  if (named !== undefined && mode === undefined)
    throw new UsageError(`\`--permission-mode\` takes ${permissionModes.join(', ')}.`)
  if (values['yolo'] === true && mode !== undefined && mode !== 'yolo')
    throw new UsageError('`--yolo` and another `--permission-mode` cannot be had together.')
  return mode ?? (values['yolo'] === true ? 'yolo' : 'default')
}

const withoutPerson = ({ person: _, ...screen }: Screen): Screen => screen

/** What whoever runs it brings along is for every agent. */
function withToolsets(team: Team, more: RunRequest['toolsets'] = []): Team {
  if (more.length === 0) return team
  const agents = Object.entries(team.agents).map(([name, agent]) => [
    name,
    { ...agent, toolsets: [...agent.toolsets, ...more] },
  ])
  return { ...team, agents: Object.fromEntries(agents) }
}

function withChannel({ send, channels }: Pick<Supplies, 'send' | 'channels'>, more: RunRequest['outbound']) {
  if (!more) return {}
  return {
    channels: [...channels, more.name],
    send: (channel: string, text: string, signal: AbortSignal) =>
      channel === more.name ? more.send(text) : send(channel, text, signal),
  }
}

/** Without a writable directory there is nothing to lock; the log warns that the session is not kept. */
function hold(id: string): () => void {
  try {
    return holdSession(sessionsDirectory(), id)
  } catch (error) {
    if (error instanceof HooklineError) throw error
    return () => {}
  }
}

const recordsOrNone = (records: readonly SessionRecord[]) => (records.length === 0 ? undefined : records)

/** The records of the session to go on with: the one that is named, else the latest that worked here. */
async function recordsOf(id: string, cwd: string): Promise<readonly SessionRecord[]> {
  const directory = sessionsDirectory()
  if (id !== '') return readSession(directory, await findSession(directory, id))
  const [latest] = await listSessions(directory, { cwd, limit: 1 })
  if (!latest) throw new HooklineError(note('session-none', { directory: cwd }))
  return readSession(directory, latest.id)
}

interface Workspace {
  cwd: string
  /** Removes what was made for a session that did not begin after all; gives back what there is to say of what is left. */
  cleanUp(): Promise<string>
}

/** Where the agent works: here, or in a worktree that hooks have prepared. */
async function openWorkspace(
  { values }: Invocation,
  here: string,
  raise: Raise,
  agent: string,
  { say, paint }: Screen,
  signal: AbortSignal,
): Promise<Workspace> {
  const name = text(values['worktree'])
  if (name === undefined) return { cwd: here, cleanUp: async () => '' }
  const worktree = await createWorktree(here, name, dataDirectory())
  const cleanUp = async () => ((await removeWorktree(worktree)) ? '' : `What was made is left at ${worktree.path}.`)
  const { context, refused } = await prepareWorktree(worktree, raise, agent, signal)
  say(context.map(printable))
  if (refused === undefined && !signal.aborted) {
    say([
      `Working in ${paint.bold(worktree.path)}, on the branch ${paint.bold(worktree.branch)}. It stays when you leave.`,
    ])
    return { cwd: worktree.cwd, cleanUp }
  }
  const left = await cleanUp()
  if (signal.aborted) throw new NotOpened({ reason: 'canceled', response: '', ...(left && { detail: left }) })
  const detail = `The worktree was refused: ${refused} ${left}`.trimEnd()
  throw new NotOpened({ reason: 'refused', response: '', detail })
}
