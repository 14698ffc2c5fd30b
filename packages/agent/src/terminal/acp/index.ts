import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { HooklineError, type Invocation, paintFor, version } from 'hookline/internal'
import { isSessionId, listSessions, removeSession, sessionsDirectory } from '../../sessions/index.ts'
import { endings } from '../converse.ts'
import { readRequest } from '../request.ts'
import { type AcpSession, openAcpSession } from './session.ts'

/**
 * `hookline run --acp`: an editor drives the agent over standard input and output, in the Agent Client Protocol. Each of
 * its sessions is one of ours, with all hooks; what has to be known besides goes to standard error. Ends when the editor
 * hangs up, or on a signal: every session is ended in order.
 */
export async function serveAcp(invocation: Invocation): Promise<number> {
  const request = await readRequest(invocation, 'later')
  const sessions = new Map<string, AcpSession>()
  const { agent: methods } = acp.methods
  const say = (lines: readonly string[]) => void invocation.errors.write(lines.map((line) => `${line}\n`).join(''))

  async function open(context: acp.AgentContext, given: Opening, resume?: string): Promise<AcpSession> {
    const session = await openAcpSession({
      client: context,
      invocation: { ...invocation, values: { ...invocation.values, cwd: given.cwd } },
      request: { ...request, resume, toolsets: (given.mcpServers ?? []).map(toolsetOf) },
      say,
      paint: paintFor(invocation.errors),
    }).catch(asRequestError)
    sessions.set(session.id, session)
    return session
  }

  function find(id: string): AcpSession {
    const found = sessions.get(id)
    if (found) return found
    throw acp.RequestError.sessionNotFound(id)
  }

  async function reopen(context: acp.AgentContext, id: string, given: Opening): Promise<AcpSession> {
    if (!isSessionId(id)) throw acp.RequestError.sessionNotFound(id)
    return sessions.get(id) ?? (await open(context, given, id))
  }

  async function close(id: string): Promise<void> {
    const session = sessions.get(id)
    sessions.delete(id)
    await session?.close('other')
  }

  const app = acp
    .agent({ name: 'hookline' })
    .onRequest(methods.initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: 'hookline', title: 'Hookline', version: version() },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.session.new, async ({ client, params }) => {
      const session = await open(client, params)
      session.offerCommands()
      return { sessionId: session.id, modes: session.modes() }
    })
    .onRequest(methods.session.load, async ({ client, params }) => {
      const session = await reopen(client, params.sessionId, params)
      await session.replay()
      session.offerCommands()
      return { modes: session.modes() }
    })
    .onRequest(methods.session.resume, async ({ client, params }) => {
      const session = await reopen(client, params.sessionId, params)
      session.offerCommands()
      return { modes: session.modes() }
    })
    .onRequest(methods.session.setMode, ({ params }) => {
      find(params.sessionId).setMode(params.modeId)
      return {}
    })
    .onRequest(methods.session.list, async ({ params }) => ({
      sessions: (
        await listSessions(sessionsDirectory(), { limit: 100, ...(params.cwd ? { cwd: params.cwd } : {}) })
      ).map(({ id, cwd, title, updated }) => ({ sessionId: id, cwd, title, updatedAt: updated })),
    }))
    .onRequest(methods.session.close, async ({ params }) => {
      await close(params.sessionId)
      return {}
    })
    .onRequest(methods.session.delete, async ({ params }) => {
      await close(params.sessionId)
      await removeSession(sessionsDirectory(), params.sessionId).catch(() => {})
      return {}
    })
    .onRequest(methods.session.prompt, ({ params, signal }) => find(params.sessionId).prompt(params.prompt, signal))
    .onNotification(methods.session.cancel, ({ params }) => find(params.sessionId).cancel())

  const connection = app.connect(
    acp.ndJsonStream(
      Writable.toWeb(invocation.output) as WritableStream<Uint8Array>,
      Readable.toWeb(invocation.input) as ReadableStream<Uint8Array>,
    ),
  )
  const exit = await Promise.race([connection.closed.then(() => 0), untilSignal()])
  await Promise.all([...sessions.values()].map((session) => session.close('other')))
  return exit
}

type Opening = Pick<acp.NewSessionRequest, 'cwd'> & { mcpServers?: readonly acp.McpServer[] }

/** A server that the editor has for its agents, as an agent file would name it. */
function toolsetOf(server: acp.McpServer) {
  const { name } = server
  const record = (pairs: readonly { name: string; value: string }[] = []) =>
    Object.fromEntries(pairs.map((pair) => [pair.name, pair.value]))
  if ('command' in server)
    return { type: 'mcp', name, command: server.command, args: [...server.args], env: record(server.env) }
  if (!('url' in server)) throw acp.RequestError.invalidParams({ name }, 'This kind of MCP server is not supported.')
  const transport_type = server.type === 'sse' ? 'sse' : 'streamable'
  const remote = { url: server.url, transport_type, headers: record(server.headers) }
  // The person has set it up in the editor; it may well be on their own machine.
  return { type: 'mcp', name, remote, allow_private_ips: true }
}

function asRequestError(error: unknown): never {
  if (error instanceof acp.RequestError) throw error
  const message = error instanceof HooklineError ? (error.notes[0]?.message ?? error.message) : (error as Error).message
  throw acp.RequestError.internalError({ details: message }, message)
}

/** The exit code of the signal that ends it. */
function untilSignal(): Promise<number> {
  return new Promise((resolve) => {
    for (const [name, exit] of Object.entries({ ...endings, SIGINT: 130 })) process.once(name, () => resolve(exit))
  })
}
