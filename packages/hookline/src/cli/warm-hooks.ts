import { AsyncLocalStorage } from 'node:async_hooks'
import { statSync } from 'node:fs'
import { freshnessOf } from '../config/index.ts'
import { formatNote, type Note, type WireReply } from '../core/index.ts'
import type { CallAnswer, DaemonStatus, Declined, HostCall, QuestionBroker } from '../daemon/index.ts'
import { executorRow } from '../executors/index.ts'
import type { Hooks } from '../hooks/index.ts'
import { inSurroundings, placeVariables, type Variables } from '../platform/index.ts'
import { replyTo } from './answer.ts'
import { exitFor, wordsOf } from './command.ts'
import { whoCalls } from './hosts/called.ts'
import { type Prepared, prepareHooks, readPayload } from './prepare-hooks.ts'

/** The hooks of one directory for callers with the same variables, loaded and kept. */
interface Project {
  cwd: string
  prepared: Prepared
  opening: Promise<Hooks>
  /** What variables its config was read with. */
  variables: ReadonlyMap<string, string | undefined>
  /** Set once they are open. */
  opened?: Opened
  calls: number
  users: number
  usedAt: number
  retired: boolean
}

interface Opened {
  hooks: number
  /** Whether the same stands in their files. */
  isUnchanged(): boolean
  /** Code of others runs in the process that raises the event. */
  runsInside: boolean
}

export interface WarmHooks {
  answer(call: HostCall, signal: AbortSignal): Promise<CallAnswer | Declined>
  projects(): DaemonStatus['projects']
  forget(): number
  close(): Promise<void>
}

/** So many are kept; of more, those that were used least lately are loaded anew. */
const mostProjects = 64
/** A question stops waiting so long before the caller gives up. */
const toSpareMs = 2_000
/** Background hooks of a project that was replaced may take so long. */
const drainMs = 60_000

/** Node has read these when it started: for a call with others, it is the wrong process. */
const readAtStart = ['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TZ']

/** What `dispatch --host` does, for many callers in one process: each with its own directory, variables and umask. */
export function openWarmHooks(log: (line: string) => void, questions: QuestionBroker): WarmHooks {
  const known = new Map<string, Project[]>()
  const loads = new Map<string, Promise<Project>>()
  const closing = new Set<Promise<void>>()
  const said = new AsyncLocalStorage<string[]>()
  const ownVariables = { ...process.env }

  const warn = (note: Note): void => {
    const lines = said.getStore()
    if (lines) lines.push(`${formatNote(note)}\n`)
    else log(formatNote(note))
  }

  async function answer(call: HostCall, signal: AbortSignal): Promise<CallAnswer | Declined> {
    const why = notHere(call)
    if (why) return { decline: why }
    const lines: string[] = []
    const { cwd, env, umask } = call
    return inSurroundings({ cwd, env, umask }, () =>
      said.run(lines, async () => {
        try {
          const reply = await replyFor(call, signal)
          if ('decline' in reply) return reply
          const { exit, stdout, stderr } = reply
          return { exit, stdout, stderr: lines.join('') + stderr }
        } catch (error) {
          return { exit: exitFor(error), stdout: '', stderr: `${lines.join('')}${wordsOf(error)}\n` }
        }
      }),
    )
  }

  /** In a container, a path may lead somewhere else than here. */
  function notHere({ cwd, directory, env }: HostCall): string | undefined {
    const stats = statSync(cwd, { bigint: true, throwIfNoEntry: false })
    if (!stats || `${stats.dev}:${stats.ino}` !== directory) return 'directory'
    return readAtStart.some((name) => env[name] !== ownVariables[name]) ? 'variables' : undefined
  }

  async function replyFor(call: HostCall, signal: AbortSignal): Promise<WireReply | Declined> {
    const { host, event, payload: bytes, cwd, env, umask, deadlineMs } = call
    const payload = readPayload(bytes.toString('utf8'))
    const { caller, elsewhere } = await whoCalls(host, payload, cwd)
    if (elsewhere) return { kind: 'wire', exit: 0, stdout: '{}', stderr: '' }
    const project = await projectFor({ cwd, env, umask })
    project.users++
    project.calls++
    try {
      if (!project.opened) await project.opening.catch(() => {})
      // Code of others could keep, change or end what all calls share.
      if (project.opened?.runsInside) return { decline: 'code' }
      const { prepared, opening } = project
      const asking = { questions, forMs: deadlineMs - toSpareMs, notify: prepared.notify, signal }
      return await replyTo({ ...prepared, dialect: caller, payload, named: event, asking }, opening)
    } finally {
      project.users--
      if (project.retired) release(project)
    }
  }

  /** As it is on disk now, whatever was loaded before. */
  async function projectFor(around: Pick<HostCall, 'cwd' | 'env' | 'umask'>): Promise<Project> {
    const { cwd, env } = around
    const key = JSON.stringify([cwd, ...placeVariables.map((name) => env[name])])
    const found = known.get(key)?.find((each) => hasSame(env, each.variables))
    if (found && (await isFresh(found))) {
      found.usedAt = Date.now()
      return found
    }
    if (found && !found.retired) drop(key, found)
    const loading = loads.get(key)
    if (loading) return loading.catch(() => {}).then(() => projectFor(around))
    const own = load(key, around).finally(() => loads.delete(key))
    loads.set(key, own)
    return own
  }

  async function isFresh(project: Project): Promise<boolean> {
    if (!project.opened) await project.opening.catch(() => {})
    const { opened, prepared } = project
    return opened !== undefined && prepared.isCurrent() && opened.isUnchanged()
  }

  async function load(key: string, { cwd, env, umask }: Pick<HostCall, 'cwd' | 'env' | 'umask'>): Promise<Project> {
    const configuredBy = new Map<string, string | undefined>()
    const project: Project = {
      ...{ cwd, variables: configuredBy, calls: 0, users: 0, usedAt: Date.now(), retired: false },
      ...(await inSurroundings({ cwd, env, umask, configuredBy }, async () => {
        const invocation = { values: {}, errors: process.stderr }
        const prepared = await prepareHooks(invocation, { mayBeNone: true, warn })
        return { prepared, opening: prepared.open({}) }
      })),
    }
    known.set(key, [...(known.get(key) ?? []), project])
    project.opening.then(
      ({ hooks, reads, until = Number.POSITIVE_INFINITY }) => {
        const runsInside = hooks.some(({ run }) => executorRow(run.type)?.runsInside)
        project.opened = { hooks: hooks.length, isUnchanged: whileFresh(freshnessOf(reads), until), runsInside }
      },
      () => drop(key, project),
    )
    makeRoom()
    return project
  }

  function drop(key: string, project: Project): void {
    const rest = (known.get(key) ?? []).filter((each) => each !== project)
    if (rest.length > 0) known.set(key, rest)
    else known.delete(key)
    project.retired = true
    release(project)
  }

  /** Whoever uses it ends with it. */
  function release({ users, opening }: Project): void {
    if (users > 0) return
    const closed = opening
      .then((hooks) => hooks.close({ drainMs }))
      .catch(() => {})
      .finally(() => closing.delete(closed))
    closing.add(closed)
  }

  function makeRoom(): void {
    const all = [...known].flatMap(([key, list]) => list.map((project) => ({ key, project })))
    const idle = all.filter(({ project }) => project.users === 0).sort((a, b) => a.project.usedAt - b.project.usedAt)
    for (const { key, project } of idle.slice(0, Math.max(0, all.length - mostProjects))) drop(key, project)
  }

  const all = () => [...known.values()].flat()
  const forget = () => {
    const entries = [...known].flatMap(([key, list]) => list.map((project) => [key, project] as const))
    for (const [key, project] of entries) drop(key, project)
    return entries.length
  }
  return {
    answer,
    projects: () => all().map(({ cwd, opened, calls }) => ({ cwd, hooks: opened?.hooks ?? 0, calls })),
    forget,
    async close() {
      forget()
      await Promise.all(closing)
    },
  }
}

const whileFresh = (isUnchanged: () => boolean, until: number) => () => Date.now() < until && isUnchanged()

const hasSame = (env: Variables, variables: Project['variables']): boolean =>
  [...variables].every(([name, value]) => env[name] === value)
