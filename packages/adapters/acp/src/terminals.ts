import { CLIENT_METHODS } from '@agentclientprotocol/sdk'
import { rpcFailure as failure, isRecord, type Peer, rpcSuccess as success } from 'hookline/internal'
import { inputOf, linesOf, paramsWith, type Wanted, wantedIn } from './command-line.ts'
import { type Desk, EditorError, errorFor, objectionOf, refusal, resultOf } from './desk.ts'
import type { Handler } from './guard.ts'
import type { GuardedSession, Terminal } from './sessions.ts'

export interface GuardedTerminals {
  handlers: Record<string, Handler>
  /** Nobody reads it any more: hooks get its end. */
  close(session: GuardedSession, terminal: Terminal): Promise<void>
}

/**
 * Programs that the agent starts in terminals of the editor: `shell`. The call is decided when the terminal is made, and is over
 * when the agent has read the output of a program that ended, or gives the terminal back. What it reads before is redacted too.
 */
export function guardTerminals(desk: Desk, editor: Peer): GuardedTerminals {
  return {
    handlers: {
      [CLIENT_METHODS.terminal_create]: create,
      [CLIENT_METHODS.terminal_output]: read,
      [CLIENT_METHODS.terminal_release]: release,
    },
    async close(session, terminal) {
      await finish(session, terminal, 'Nobody has read the output.', undefined)
    },
  }

  async function create(...[request, session, signal]: Parameters<Handler>) {
    const { id, params = {} } = request
    const wanted = wantedIn(params)
    if (!wanted) return failure(id, { code: -32602, message: '`terminal/create` needs a `command`, a text.' })
    const { judged, objection } = await judge(session, wanted, signal)
    if (signal.aborted) throw signal.reason
    if (objection !== undefined) return refusal(id, objection, judged.context)
    const final = judged.rewritten ? paramsWith(params, wanted, judged.input) : params
    const response = await editor.request({ ...request, params: final }, signal)
    const terminalId = response.result?.['terminalId']
    if (response.error || typeof terminalId !== 'string') {
      const outcome = await judged.run((): string => {
        throw new EditorError(response.error ?? { code: -32603, message: 'The editor made no terminal.' })
      })
      desk.settle(session, outcome)
      return errorFor(id, outcome)
    }
    session.context.push(...judged.context)
    session.terminals.set(terminalId, { judged })
    return response
  }

  /** All readings of the command line: what one of them may not do is not done. The person is asked once. */
  async function judge(session: GuardedSession, wanted: Wanted, signal: AbortSignal) {
    const [line, ...others] = linesOf(wanted)
    const call = (command: string) => ({ tool_name: 'shell', tool_input: inputOf(wanted, command) })
    const options = desk.options(session, { tool: 'shell', input: { command: line } }, signal)
    let asked: ReturnType<NonNullable<typeof options.ask>> | undefined
    const ask: typeof options.ask = (question, stop) => {
      asked ??= options.ask?.(question, stop)
      return asked
    }
    const judged = await session.hooks.judgeTool(call(line), { ...options, ask, parseInput })
    let objection = objectionOf(judged)
    for (const other of others) {
      if (objection !== undefined) break
      const reading = await session.hooks.judgeTool(call(other), { ...options, ask, parseInput })
      objection = objectionOf(reading)
      if (reading.outcome === 'halted') desk.settle(session, { ...reading, outcome: 'halted', messages: [] })
    }
    if (judged.outcome === 'halted') desk.settle(session, { ...judged, outcome: 'halted', messages: [] })
    return { judged, objection }
  }

  async function read(...[request, session, signal]: Parameters<Handler>) {
    const terminal = session.terminals.get(String(request.params?.['terminalId']))
    const response = await editor.request(request, signal)
    if (response.error) return response
    const result = resultOf(response)
    const { output, exitStatus } = result
    if (typeof output !== 'string') return response
    const shown =
      terminal && isRecord(exitStatus)
        ? await finish(session, terminal, output, exitStatus)
        : await soFar(session, terminal, output)
    return success(request.id, { ...result, output: shown })
  }

  async function release(...[request, session, signal]: Parameters<Handler>) {
    const key = String(request.params?.['terminalId'])
    const terminal = session.terminals.get(key)
    session.terminals.delete(key)
    if (terminal && !terminal.final) {
      const { result } = await editor.ask(CLIENT_METHODS.terminal_output, { ...request.params }, signal)
      const { output, exitStatus } = isRecord(result) ? result : {}
      await finish(session, terminal, String(output ?? ''), isRecord(exitStatus) ? exitStatus : undefined)
    }
    return editor.request(request, signal)
  }

  /** The output of a program that still runs. */
  async function soFar(session: GuardedSession, terminal: Terminal | undefined, output: string): Promise<string> {
    const verdict = await session.hooks.raise('tool_response_transform', {
      ...{ tool_name: 'shell', tool_input: terminal?.judged.input ?? {}, tool_error: false, tool_response: output },
      ...(terminal && { tool_use_id: terminal.judged.id }),
    })
    if (verdict.halt)
      desk.settle(session, { messages: [], context: [], outcome: 'halted', reason: verdict.halt.reason })
    return verdict.rewrite ? String(verdict.payload.tool_response) : output
  }

  function finish(
    session: GuardedSession,
    terminal: Terminal,
    output: string,
    exit: Record<string, unknown> | undefined,
  ): Promise<string> {
    terminal.final ??= (async () => {
      const outcome = await terminal.judged.run<string, string>(() => output, {
        isError: () => exit?.['exitCode'] !== 0,
      })
      desk.settle(session, outcome)
      return String(outcome.output ?? outcome.reason)
    })()
    return terminal.final
  }
}

function parseInput(input: Record<string, unknown>): Record<string, unknown> {
  if (typeof input['command'] !== 'string') throw new Error('`command` is no text')
  return input
}
