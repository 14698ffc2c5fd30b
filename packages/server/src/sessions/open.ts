import { resolve } from 'node:path'
import type { HostedOptions, openHosted, Person, RunEnd } from '@hookline/agent'
import { type ConfigFile, loadPackage, note } from 'hookline/internal'
import { Refusal } from '../http/problem.ts'
import type { Questions } from '../questions/index.ts'
import type { Hub } from '../stream/index.ts'
import { type Asks, personElsewhere } from './person.ts'
import type { SessionRow } from './rows.ts'

type AgentLibrary = typeof import('@hookline/agent')
type KeptElsewhere = NonNullable<HostedOptions['durable']>
type Composed = Exclude<Awaited<ReturnType<typeof openHosted>>, { refused: RunEnd }>

/** Beside this package, in its version. */
export const agentLibrary = (): Promise<AgentLibrary> => loadPackage<AgentLibrary>('@hookline/agent')

/** A session that is open in this process. */
export interface OpenSession {
  agent: Composed['agent']
  hooks: Composed['hooks']
  asks: Asks
  /** Sends what is still held back of a text that streams. */
  flush(): Promise<void>
  /** Raises `session_end`. */
  close(reason: string): Promise<void>
  /** Raises nothing: another process goes on with it. */
  leave(): Promise<void>
}

export interface Opening {
  row: Pick<SessionRow, 'project' | 'settings'>
  /** A session to go on with; absent: a new one. */
  id?: string
  /** Kept and answered elsewhere, and handed from one process to the next. */
  surviving?: KeptElsewhere & {
    person: Person
    /** False while it only repeats what was done before. */
    isLive(): boolean
  }
  configs: readonly ConfigFile[]
  /** Where messages of it go, besides the channels that the user has. */
  channel?: Outbound | undefined
  journal: string
  /** Where its questions are asked, unless they are answered elsewhere. */
  questions?: Questions | undefined
  hub: Hub
  log(line: string): void
}

export interface Outbound {
  name: string
  /** What hooks know it by: `telegram`, `slack` … */
  kind: string
  send(text: string): Promise<void>
}

const noAsks: Asks = { open: [], answer: () => false }

/** What is streamed in small pieces goes out together. */
const gatherMs = 40

/** Opens the agent with everything that a run on a terminal has. Refused by a hook: the refusal has the hook's reason. */
export async function openSession({
  row,
  id: known,
  surviving,
  configs,
  channel,
  journal,
  questions,
  hub,
  log,
}: Opening): Promise<OpenSession & { id: string }> {
  const { openHosted } = await agentLibrary()
  const { project: cwd, settings } = row
  const opening = new AbortController()
  let id = known ?? surviving?.id ?? ''
  const early: string[] = []
  let held: { type: string; data: { text: string } } | undefined
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const ready = held
    held = undefined
    if (ready) await hub.publish(ready.type, ready.data, id)
  }
  const publish = (type: string, data: object) => {
    void flush()
      .then(() => hub.publish(type, data, id))
      .catch((error: unknown) => log(`An event could not be kept: ${String(error)}`))
  }
  const { person, asks } = surviving
    ? { person: surviving.person, asks: noAsks }
    : personElsewhere(
        () => id,
        cwd,
        questions!,
        (ask) => publish('agent.asks', ask),
      )
  const composed = await openHosted({
    ...{ cwd, configs, journal, signal: opening.signal, person: () => person },
    ...(surviving && { durable: surviving }),
    ...(settings.file !== undefined && { file: resolve(cwd, settings.file) }),
    ...(settings.rehearse !== undefined && { rehearse: resolve(cwd, settings.rehearse) }),
    ...(settings.model !== undefined && { model: settings.model }),
    ...(settings.permission_mode !== undefined && { permissionMode: settings.permission_mode }),
    ...(known !== undefined && { resume: known }),
    ...(channel && { outbound: channel }),
    say: (lines) => (id === '' ? early.push(...lines) : publish('agent.says', { lines })),
    watch(happening) {
      id ||= happening.session_id
      if (surviving && !surviving.isLive()) return
      const { type, session_id, ...data } = happening
      // The turn's own outcome says it.
      if (type === 'turn.failed') return
      const own = session_id === id ? data : { ...data, session_id }
      if ((type === 'text' || type === 'reasoning') && session_id === id) gather(`agent.${type}`, happening.text, own)
      else publish(`agent.${type}`, own)
    },
  })
  if ('refused' in composed) {
    const { detail = 'The session was stopped as it began.', user_message } = composed.refused
    throw new Refusal(422, note('request-conflict', { detail: user_message ?? detail }))
  }

  if (early.length > 0) publish('agent.says', { lines: early })

  function gather(type: string, text: string, data: object): void {
    if (held && held.type !== type) void flush()
    held = held ? { type, data: { ...held.data, text: held.data.text + text } } : { type, data: { ...data, text } }
    timer ??= setTimeout(() => void flush().catch(() => {}), gatherMs)
  }

  const { agent, hooks, close } = composed
  const release = async (): Promise<void> => {
    await hooks.close()
    await close()
    await flush()
  }

  return {
    id,
    agent,
    hooks,
    asks,
    flush,
    async close(reason) {
      opening.abort()
      await agent.end(reason)
      await release()
    },
    async leave() {
      await agent.leave()
      await release()
    },
  }
}
