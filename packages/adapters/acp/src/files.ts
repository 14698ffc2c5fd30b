import { CLIENT_METHODS } from '@agentclientprotocol/sdk'
import { rpcFailure as failure, type Peer, type RpcRequest as Request, rpcSuccess as success } from 'hookline/internal'
import { type Desk, EditorError, errorFor, resultOf } from './desk.ts'
import type { Handler } from './guard.ts'
import type { GuardedSession } from './sessions.ts'

/** Files that the agent reads and writes through the editor: `read_file` and `write_file`. */
export function guardFiles(desk: Desk, editor: Peer): Record<string, Handler> {
  return {
    async [CLIENT_METHODS.fs_read_text_file](request, session, signal) {
      const { path, line, limit } = request.params ?? {}
      if (typeof path !== 'string') return invalid(request, 'path')
      const input = { path, ...(line != null && { line }), ...(limit != null && { limit }) }
      const { outcome, result } = await through(request, session, signal, 'read_file', input, ({ content }) => content)
      return outcome.outcome === 'ran' && !outcome.error
        ? success(request.id, { ...result, content: outcome.output })
        : errorFor(request.id, outcome)
    },
    async [CLIENT_METHODS.fs_write_text_file](request, session, signal) {
      const { path, content } = request.params ?? {}
      if (typeof path !== 'string') return invalid(request, 'path')
      if (typeof content !== 'string') return invalid(request, 'content')
      const { outcome, result } = await through(
        request,
        session,
        signal,
        'write_file',
        { path, content },
        () => 'written',
      )
      return outcome.outcome === 'ran' && !outcome.error ? success(request.id, result) : errorFor(request.id, outcome)
    },
  }

  /** The editor does it with the input that hooks have left; what hooks see of the result is text. */
  async function through(
    request: Request,
    session: GuardedSession,
    signal: AbortSignal,
    tool: string,
    input: { path: string; content?: string },
    seen: (result: Record<string, unknown>) => unknown,
  ) {
    let result: Record<string, unknown> = {}
    const outcome = await session.hooks.guardTool<Record<string, unknown>, string, string>(
      { tool_name: tool, tool_input: input },
      async (final, execution) => {
        const started = { ...request, params: { ...request.params, ...final, sessionId: session.id } }
        result = resultOf(await editor.request(started, execution.signal))
        const text = seen(result)
        if (typeof text === 'string') return text
        throw new EditorError({ code: -32603, message: 'The editor answered with no text.' })
      },
      { ...desk.options(session, { tool, input }, signal), parseInput },
    )
    desk.settle(session, outcome)
    if (signal.aborted) throw signal.reason
    return { outcome, result }
  }
}

function parseInput(input: Record<string, unknown>): Record<string, unknown> {
  if (typeof input['path'] !== 'string') throw new Error('`path` is no text')
  if ('content' in input && typeof input['content'] !== 'string') throw new Error('`content` is no text')
  return input
}

const invalid = ({ id, method }: Request, key: string) =>
  failure(id, { code: -32602, message: `\`${method}\` needs \`${key}\`, a text.` })
