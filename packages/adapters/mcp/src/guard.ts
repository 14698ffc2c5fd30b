import { randomUUID } from 'node:crypto'
import type { Hooks } from 'hookline'
import {
  rpcCode as code,
  rpcFailure as failure,
  type RpcId as Id,
  isRecord,
  isRequest,
  isResponse,
  type Link,
  type RpcMessage as Message,
  makePeer,
  type RpcRequest as Request,
  type RpcError,
  rpcSuccess as success,
} from 'hookline/internal'
import { makeQuestions } from './ask.ts'
import { makeCatalogue } from './catalogue.ts'
import { memoryPins, type PinStore } from './pins.ts'
import { type CallResult, refusalOf, rewrittenContents, rewrittenResult, withContext } from './result.ts'

export interface McpGuardOptions {
  hooks: Hooks
  /** What rules and the journal call the server: its tools are `mcp__<server>__<tool>`. */
  server: string
  toServer: Link
  toClient: Link
  /** Where descriptions of tools are remembered. Default: in memory, for this connection. */
  pins?: PinStore
  /** Of the session that hooks see. Default: a new one. */
  session?: string
  cwd?: string
  /** Gets what a person should know: what was withheld, what could not be read, what hooks say to the user. */
  warn?(text: string): void
}

export interface McpGuard {
  /** Settles when either side has closed the connection and hooks have seen the end of the session. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** What hooks judge. As a notification, which nobody could answer, it goes nowhere. */
const judged = new Set(['tools/call', 'resources/read'])

/**
 * Stands between an MCP client and a server. Messages go through as they are, in both directions, but for: calls of tools
 * and reads of resources, which hooks judge, rewrite and redact; and lists of tools, without those that are withheld.
 */
export async function guardMcp(options: McpGuardOptions): Promise<McpGuard> {
  const { hooks, server, toServer, toClient, pins = memoryPins(), warn = () => {} } = options
  const session = hooks.session(options.session ?? randomUUID(), { cwd: options.cwd ?? process.cwd() })
  const serverSide = makePeer(toServer)
  const clientSide = makePeer(toClient)
  const catalogue = makeCatalogue(server, pins, warn)
  const questions = makeQuestions(server, clientSide, (message) => toClient.send(message))
  const running = new Map<Id, AbortController>()
  const calls = new Set<Promise<void>>()
  /** Tasks whose result the client has not read. */
  const tasks = new Map<string, { read(request: Request): void; stop: AbortController }>()
  /** Requests that went to the server as they are: only their responses go back as they are, each once. */
  const passed = new Set<Id>()
  let halted: string | undefined
  let over: Promise<void> | undefined
  let settle: () => void = () => {}
  const closed = new Promise<void>((resolve) => {
    settle = resolve
  })

  const requests: Readonly<Record<string, (request: Request) => Promise<void>>> = {
    initialize: connect,
    'tools/list': list,
    'tools/call': call,
    'resources/read': (request) => guarded(request, 'resources/read', { uri: request.params?.['uri'] }),
    'tasks/result': finishTask,
  }

  toClient.onmessage = (message) => void fromClient(message).catch((error) => warn(said(error)))
  toServer.onmessage = (message) => void fromServer(message).catch((error) => warn(said(error)))
  toClient.onerror = (error) => warn(`From the client: ${said(error)}`)
  toServer.onerror = (error) => warn(`From the server ${server}: ${said(error)}`)
  toClient.onclose = () => void end('The client closed the connection.', true)
  toServer.onclose = () => {
    const reason = `The MCP server ${server} has ended.`
    if (!over) warn(reason)
    void end(reason)
  }
  await toServer.start()
  await toClient.start()
  await session.start('mcp')
  return { closed, close: () => end('The guard was closed.', true) }

  async function fromClient(message: Message): Promise<void> {
    if (isResponse(message)) {
      if (!clientSide.deliver(message)) await toServer.send(message)
      return
    }
    const method = message.method ?? ''
    if (!isRequest(message)) {
      if (judged.has(method)) return warn(`${method} without an id was left out: nobody could be answered.`)
      if (method === 'notifications/cancelled') cancel(message.params?.['requestId'])
      return toServer.send(message)
    }
    const handle = Object.hasOwn(requests, method) ? requests[method] : undefined
    if (!handle) {
      passed.add(message.id)
      return toServer.send(message)
    }
    const work = handle(message)
    calls.add(work)
    try {
      await work
    } catch (error) {
      await toClient.send(failure(message.id, { code: code.failed, message: `Hookline: ${said(error)}` }))
    } finally {
      calls.delete(work)
    }
  }

  async function fromServer(message: Message): Promise<void> {
    if (serverSide.deliver(message)) return
    // A second response to a call would pass by the hooks that judge the first.
    if (isResponse(message) && !passed.delete(message.id))
      return warn(`The server ${server} answered ${JSON.stringify(message.id)}, which nobody waits for: left out.`)
    if (message.method === 'notifications/tools/list_changed') catalogue.isKnown = false
    // Where each request has a stream of its own, what belongs to none of them goes with the one that runs.
    const [relatedRequestId] = isResponse(message) ? [] : [...running.keys()].slice(-1)
    await toClient.send(message, relatedRequestId === undefined ? {} : { relatedRequestId })
  }

  async function connect(request: Request): Promise<void> {
    questions.capabilities = request.params?.['capabilities']
    const response = await serverSide.request(request)
    const version = response.result?.['protocolVersion']
    if (typeof version === 'string') {
      toServer.setProtocolVersion?.(version)
      toClient.setProtocolVersion?.(version)
    }
    await toClient.send(response)
  }

  async function list(request: Request): Promise<void> {
    const response = await serverSide.request(request)
    await toClient.send(await admitted(response, request.params?.['cursor'] === undefined))
  }

  async function admitted(response: Message, begins: boolean): Promise<Message> {
    const { tools, nextCursor } = response.result ?? {}
    if (!Array.isArray(tools)) return response
    const kept = await catalogue.admit(tools, begins)
    if (nextCursor === undefined) catalogue.isKnown = true
    return { ...response, result: { ...response.result, tools: kept } }
  }

  /** A client may call what it has never listed; the list is looked at all the same. */
  async function look(meta: unknown): Promise<void> {
    let cursor: unknown
    for (let page = 0; !catalogue.isKnown && page < mostPages; page++) {
      const params = { ...(isRecord(meta) && { _meta: meta }), ...(cursor !== undefined && { cursor }) }
      const response = await serverSide.ask('tools/list', params)
      if (response.error) return
      await admitted(response, page === 0)
      cursor = response.result?.['nextCursor']
    }
  }

  async function call(request: Request): Promise<void> {
    if (questions.answers(request)) return
    const { name, arguments: input = {}, _meta } = request.params ?? {}
    if (typeof name !== 'string' || !isRecord(input))
      return toClient.send(
        failure(request.id, {
          code: code.invalidParams,
          message: 'A call needs the `name` of a tool, and `arguments` that are an object.',
        }),
      )
    if (!catalogue.isKnown) await look(withoutProgress(_meta))
    return guarded(request, name, input)
  }

  /** One call through all its events. What comes back to the client is what hooks have left of it. */
  async function guarded(request: Request, tool: string, input: Record<string, unknown>): Promise<void> {
    if (running.has(request.id))
      return toClient.send(
        failure(request.id, { code: code.invalidRequest, message: 'A request with this id is running.' }),
      )
    const stop = new AbortController()
    running.set(request.id, stop)
    const isCall = request.method === 'tools/call'
    let answerTo = request.id
    let original: CallResult = {}
    const ask = questions.forCall(request, (id) => {
      running.delete(answerTo)
      running.set(id, stop)
      answerTo = id
    })
    try {
      const outcome = await session.guardTool(
        { tool_name: `mcp__${server}__${tool}`, tool_input: input, tool_category: 'mcp' },
        async (final, { signal }): Promise<CallResult> => {
          const started = { ...request, id: answerTo, params: paramsFor(request, tool, final) }
          const { result, error } = await serverSide.request(started, signal)
          if (error) throw new ServerError(error)
          original = isTask(result) ? await resultOfTask(answerTo, result, signal) : (result ?? {})
          return original
        },
        {
          signal: stop.signal,
          ...(ask && { ask }),
          rules: () => {
            const reason = halted ?? catalogue.objection(tool)
            return reason === undefined ? undefined : { ruling: 'deny', source: 'mcp_guard', reason }
          },
          isError: (result) => result.isError === true,
          parseOutput: (rewritten) =>
            isCall ? rewrittenResult(original, rewritten) : rewrittenContents(input, rewritten),
        },
      )
      for (const message of outcome.messages) warn(message)
      if (outcome.outcome === 'halted') halted = outcome.reason || 'A hook has ended this run.'
      if (stop.signal.aborted) return
      await toClient.send(isCall ? answerOf(answerTo, outcome) : contentsOf(answerTo, outcome))
    } finally {
      running.delete(answerTo)
    }

    /** The call is answered with a task at once; its hooks go on when the client reads the result. */
    async function resultOfTask(id: Id, task: TaskResult, signal: AbortSignal): Promise<CallResult> {
      await toClient.send(success(id, task))
      running.delete(id)
      const read = await new Promise<Request>((resolve, reject) => {
        tasks.set(task.task.taskId, { read: resolve, stop })
        signal.addEventListener('abort', () => reject(signal.reason))
      })
      answerTo = read.id
      running.set(read.id, stop)
      const { result, error } = await serverSide.request(read, signal)
      if (error) throw new ServerError(error)
      return result ?? {}
    }
  }

  async function finishTask(request: Request): Promise<void> {
    const id = String(request.params?.['taskId'])
    const task = tasks.get(id)
    tasks.delete(id)
    if (task) return task.read(request)
    // Nobody here has seen the call that it belongs to, so no hook could have judged it.
    await toClient.send(failure(request.id, { code: code.invalidParams, message: `There is no unread task ${id}.` }))
  }

  function cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number')
      running.get(id)?.abort(new Error('The client canceled the call.'))
  }

  /** Where the client still listens, calls that run are answered first. */
  function end(reason: string, isAlone = false): Promise<void> {
    over ??= (async () => {
      if (isAlone) for (const stop of running.values()) stop.abort(new Error(reason))
      for (const { stop } of tasks.values()) stop.abort(new Error(reason))
      serverSide.end(reason)
      clientSide.end(reason)
      await Promise.allSettled(calls)
      await session.end('closed').catch((error) => warn(said(error)))
      await Promise.allSettled([toServer.close(), toClient.close()])
      settle()
    })()
    return over
  }
}

const mostPages = 100

interface TaskResult extends Record<string, unknown> {
  task: { taskId: string }
}

const isTask = (result: unknown): result is TaskResult =>
  isRecord(result) && isRecord(result['task']) && typeof result['task']['taskId'] === 'string'

/** What the server answered in place of a result, as it was. */
class ServerError extends Error {
  constructor(readonly error: RpcError) {
    super(error.message)
  }
}

type Outcome = Awaited<ReturnType<ReturnType<Hooks['session']>['guardTool']>>

function answerOf(id: Id, outcome: Outcome): Message {
  const { output, reason, context } = outcome
  if (outcome.outcome === 'refused' || (outcome.outcome === 'halted' && !outcome.ran))
    return success(id, withContext(refusalOf(reason), context))
  const thrown = 'thrown' in outcome ? outcome.thrown : undefined
  if (thrown instanceof ServerError) return failure(id, redacted(thrown.error, String(output)))
  if (typeof output === 'string') return success(id, withContext(refusalOf(output), context))
  return success(id, withContext(output as CallResult, context))
}

/** A read has no place for a refusal or for context: an error says why. */
function contentsOf(id: Id, outcome: Outcome): Message {
  const { output, reason } = outcome
  const thrown = 'thrown' in outcome ? outcome.thrown : undefined
  if (thrown instanceof ServerError) return failure(id, redacted(thrown.error, String(output)))
  const isRead = isRecord(output) && (outcome.outcome === 'ran' || outcome.outcome === 'halted')
  return isRead ? success(id, output) : failure(id, { code: code.failed, message: reason || String(output) })
}

/** Where hooks changed the message, `data` may hold what they took out. */
const redacted = (error: RpcError, message: string): RpcError =>
  message === error.message ? error : { code: error.code, message }

/** Only what hooks judged is changed: `_meta`, and what this guard does not know, stays. */
function paramsFor(
  { method, params = {} }: Request,
  tool: string,
  input: Record<string, unknown>,
): Record<string, unknown> {
  if (method !== 'tools/call') return { ...params, ...input }
  return params['arguments'] === undefined && Object.keys(input).length === 0
    ? params
    : { ...params, name: tool, arguments: input }
}

function withoutProgress(meta: unknown): unknown {
  if (!isRecord(meta)) return undefined
  const { progressToken: _, ...rest } = meta
  return rest
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error))
