import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_METHODS, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import type { Hooks } from 'hookline'
import {
  rpcFailure as failure,
  type RpcId as Id,
  isRecord,
  isRequest,
  isResponse,
  type Link,
  type RpcMessage as Message,
  makePeer,
  type RpcRequest as Request,
} from 'hookline/internal'
import { makeDesk } from './desk.ts'
import { guardFiles } from './files.ts'
import { guardPermissions } from './permissions.ts'
import { guardPrompts } from './prompts.ts'
import { type GuardedSession, openSession } from './sessions.ts'
import { guardTerminals } from './terminals.ts'
import { isToolCall } from './tool-calls.ts'

export interface AcpGuardOptions {
  hooks: Hooks
  toAgent: Link
  toEditor: Link
  /** Of sessions whose directory the editor has not said. Default: that of the process. */
  cwd?: string
  /** Whether the answer "always" is offered, after which the agent asks no more. */
  always?: boolean
  /** Gets what a person should know, where the editor has no place for it. */
  warn?(text: string): void
}

export interface AcpGuard {
  /** Settles when either side has closed the connection and hooks have seen the end of every session. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Answers a request of one side, with or without the other. */
export type Handler = (request: Request, session: GuardedSession, signal: AbortSignal) => Promise<Message>

/**
 * Stands between an editor and an agent. Messages go through as they are, in both directions and in their order, but for: what
 * the agent wants of the editor (permission, files, terminals), which hooks judge, rewrite and redact; and prompts.
 */
export async function guardAcp(options: AcpGuardOptions): Promise<AcpGuard> {
  const { hooks, toAgent, toEditor, cwd = process.cwd(), always = false, warn = () => {} } = options
  const agent = makePeer(toAgent)
  const editor = makePeer(toEditor)
  const sessions = new Map<string, GuardedSession>()
  const running = new Map<string, AbortController>()
  const work = new Set<Promise<unknown>>()
  /** Responses of the agent that are looked at on their way; at once, so that nothing overtakes them. */
  const watched = new Map<Id, (response: Message) => Message>()
  const desk = makeDesk({ editor, toEditor, toAgent, warn })
  let over: Promise<void> | undefined
  let settle: () => void = () => {}
  const closed = new Promise<void>((resolve) => {
    settle = resolve
  })

  const terminals = guardTerminals(desk, editor)
  const permissions = guardPermissions(desk, editor, always)
  /** What hooks judge. As a notification, which nobody could answer, it goes nowhere. */
  const ofAgent: Readonly<Record<string, Handler>> = {
    ...guardFiles(desk, editor),
    ...terminals.handlers,
    ...permissions.handlers,
  }
  const ofEditor: Readonly<Record<string, Handler>> = guardPrompts(desk, agent)
  const opening: Readonly<Record<string, (request: Request) => Request>> = {
    [AGENT_METHODS.initialize]: initialize,
    [AGENT_METHODS.session_new]: (request) => opened(request, (response) => response.result?.['sessionId']),
    [AGENT_METHODS.session_load]: (request) => opened(request, () => request.params?.['sessionId']),
    [AGENT_METHODS.session_resume]: (request) => opened(request, () => request.params?.['sessionId']),
    [AGENT_METHODS.session_close]: ended,
  }

  toEditor.onmessage = (message) => void fromEditor(message).catch((error) => warn(said(error)))
  toAgent.onmessage = (message) => void fromAgent(message).catch((error) => warn(said(error)))
  toEditor.onerror = (error) => warn(`From the editor: ${said(error)}`)
  toAgent.onerror = (error) => warn(`From the agent: ${said(error)}`)
  toEditor.onclose = () => void end('The editor closed the connection.', true)
  toAgent.onclose = () => void end('The agent has ended.')
  await toAgent.start()
  await toEditor.start()
  return { closed, close: () => end('The guard was closed.', true) }

  async function fromEditor(message: Message): Promise<void> {
    if (isResponse(message)) {
      if (!editor.deliver(message)) await toAgent.send(message)
      return
    }
    const method = message.method ?? ''
    if (!isRequest(message)) {
      if (Object.hasOwn(ofEditor, method))
        return warn(`${method} without an id was left out: nobody could be answered.`)
      if (method === PROTOCOL_METHODS.cancel_request)
        running.get(keyFor('editor', message.params?.['requestId']))?.abort()
      if (method === AGENT_METHODS.session_cancel) sessionOf(message)?.turn.abort()
      return toAgent.send(message)
    }
    const open = own(opening, method)
    if (open) return toAgent.send(open(message))
    return answered(message, 'editor', own(ofEditor, method), toEditor, toAgent)
  }

  async function fromAgent(message: Message): Promise<void> {
    if (isResponse(message)) {
      const look = watched.get(message.id)
      watched.delete(message.id)
      if (look) return toEditor.send(look(message))
      if (!agent.deliver(message)) await toEditor.send(message)
      return
    }
    const method = message.method ?? ''
    if (!isRequest(message)) {
      if (Object.hasOwn(ofAgent, method)) return warn(`${method} without an id was left out: nobody could be answered.`)
      if (method === PROTOCOL_METHODS.cancel_request)
        running.get(keyFor('agent', message.params?.['requestId']))?.abort()
      if (method === CLIENT_METHODS.session_update) updated(message)
      return toEditor.send(message)
    }
    return answered(message, 'agent', own(ofAgent, method), toAgent, toEditor)
  }

  /** Every request gets one response, whatever goes wrong on the way. */
  async function answered(
    request: Request,
    from: Side,
    handle: Handler | undefined,
    back: Link,
    on: Link,
  ): Promise<void> {
    if (!handle) return on.send(request)
    const key = keyFor(from, request.id)
    if (running.has(key))
      return back.send(failure(request.id, { code: -32600, message: 'A request with this id is running.' }))
    const stop = new AbortController()
    running.set(key, stop)
    const job = respond(request, handle, stop.signal)
    try {
      await back.send(await track(job))
    } finally {
      running.delete(key)
    }
  }

  async function respond(request: Request, handle: Handler, signal: AbortSignal): Promise<Message> {
    const session = sessionOf(request)
    if (!session) return failure(request.id, { code: -32602, message: 'A request needs the `sessionId` of a session.' })
    try {
      await session.started
      return await handle(request, session, signal)
    } catch (error) {
      if (signal.aborted) return failure(request.id, { code: -32800, message: 'Request cancelled' })
      return failure(request.id, { code: -32603, message: `Hookline: ${said(error)}` })
    }
  }

  /** Only this version is known here: of another one, no hook could judge what it does not see. */
  function initialize(request: Request): Request {
    desk.capabilities = request.params?.['clientCapabilities']
    const wanted = request.params?.['protocolVersion']
    watched.set(request.id, (response) => {
      const version = response.result?.['protocolVersion']
      if (response.error || version === PROTOCOL_VERSION) return response
      const message = `Hookline guards version ${PROTOCOL_VERSION} of the protocol; the agent speaks ${version}.`
      return failure(request.id, { code: -32022, message })
    })
    const capped = typeof wanted === 'number' && wanted > PROTOCOL_VERSION
    return capped ? { ...request, params: { ...request.params, protocolVersion: PROTOCOL_VERSION } } : request
  }

  function opened(request: Request, idIn: (response: Message) => unknown): Request {
    const directory = request.params?.['cwd']
    const place = typeof directory === 'string' ? directory : cwd
    const known = request.params?.['sessionId']
    // What a session has said before comes ahead of the response.
    if (typeof known === 'string') begin(known, place)
    watched.set(request.id, (response) => {
      const id = idIn(response)
      if (!response.error && typeof id === 'string') begin(id, place)
      return response
    })
    return request
  }

  function begin(id: string, place: string): GuardedSession {
    const session = sessions.get(id) ?? openSession(hooks, id, place, desk.start)
    sessions.set(id, session)
    void track(session.started.catch((error) => warn(said(error))))
    return session
  }

  function ended(request: Request): Request {
    const session = sessionOf(request)
    if (session) {
      sessions.delete(session.id)
      void track(finish(session))
    }
    return request
  }

  function sessionOf({ params }: Message): GuardedSession | undefined {
    const id = params?.['sessionId']
    return typeof id === 'string' ? (sessions.get(id) ?? begin(id, cwd)) : undefined
  }

  function updated(message: Message): void {
    const session = sessionOf(message)
    const update = message.params?.['update']
    if (!session || !isRecord(update)) return
    if (update['sessionUpdate'] === 'agent_message_chunk') hear(session, update['content'])
    if (!isToolCall(update)) return
    const call = session.see(update)
    if (call['status'] === 'completed' || call['status'] === 'failed')
      void track(permissions.finished(session, call)).catch((error) => warn(said(error)))
  }

  function track<T>(job: Promise<T>): Promise<T> {
    work.add(job)
    const forget = () => void work.delete(job)
    job.then(forget, forget)
    return job
  }

  async function finish(session: GuardedSession): Promise<void> {
    session.turn.abort()
    for (const terminal of session.terminals.values()) await terminals.close(session, terminal)
    await session.hooks.end('closed')
  }

  /** Where the editor still listens, requests that run are answered first. */
  function end(reason: string, isAlone = false): Promise<void> {
    over ??= (async () => {
      if (isAlone) for (const stop of running.values()) stop.abort(new Error(reason))
      agent.end(reason)
      editor.end(reason)
      await Promise.allSettled(work)
      for (const session of sessions.values()) await finish(session).catch((error) => warn(said(error)))
      await Promise.allSettled([toAgent.close(), toEditor.close()])
      settle()
    })()
    return over
  }
}

const longestAnswer = 100_000

function hear(session: GuardedSession, content: unknown): void {
  const text = isRecord(content) ? content['text'] : undefined
  if (typeof text === 'string') session.said = (session.said + text).slice(-longestAnswer)
}

type Side = 'agent' | 'editor'

/** Each side counts its requests by itself. */
const keyFor = (side: Side, id: unknown): string => `${side} ${typeof id} ${String(id)}`

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error))
