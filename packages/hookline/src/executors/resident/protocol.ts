import { isUtf8 } from 'node:buffer'
import { HookFailure, parseJson, stringifyJson } from '../../core/index.ts'
import { escapeBytes } from '../command/failures.ts'

/**
 * The language of resident hooks: JSON-RPC 2.0, one message per line. The params of `hooks/intercept` are what a
 * command hook reads on stdin, the result is what it would print.
 */
export const intercept = 'hooks/intercept'
export const ping = 'hooks/ping'

/** `params` is JSON text already. Line ends between its tokens are only layout; inside strings they are escaped. */
export function requestLine(id: number, method: string, params?: string): string {
  const body = params === undefined ? '' : `,"params":${params.replace(/[\r\n]+/g, ' ')}`
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}"${body}}\n`
}

/** What one line of a resident hook says: a reply to a request, a message that asks nothing of us, or noise. */
export type Message =
  | { kind: 'reply'; id: number; stdout: string }
  | { kind: 'reply'; id: number; failure: HookFailure }
  | { kind: 'other' }
  | { kind: 'noise'; text: string }

export function readLine(line: Buffer): Message {
  const text = line.toString('utf8').trim()
  if (text === '') return { kind: 'other' }
  const parsed = isUtf8(line) ? parseJson(text) : ({ ok: false, detail: 'it is not UTF-8' } as const)
  if (parsed.ok) return understand(parsed.value, line)
  const id = idOf(text)
  if (id === undefined) return { kind: 'noise', text: escapeBytes(line, 200) }
  return {
    kind: 'reply',
    id,
    failure: new HookFailure('invalid-output', `Its reply cannot be used: ${parsed.detail}.`),
  }
}

function understand(value: unknown, line: Buffer): Message {
  const { jsonrpc, id, result, error, method } = (Array.isArray(value) ? {} : (value ?? {})) as Record<string, unknown>
  if (typeof method === 'string') return { kind: 'other' }
  // A result that was undefined is not there any more when it has been written as JSON.
  const isReply = result !== undefined || error !== undefined || jsonrpc === '2.0'
  if (typeof id !== 'number' || !isReply) return { kind: 'noise', text: escapeBytes(line, 200) }
  if (error !== undefined && error !== null) return { kind: 'reply', id, failure: failureOf(error) }
  return { kind: 'reply', id, stdout: textOf(result) }
}

/** No result is an empty reply; text is plain text; anything else is the JSON it would have printed. */
function textOf(result: unknown): string {
  if (result === undefined || result === null) return ''
  return typeof result === 'string' ? result : stringifyJson(result)
}

/** An error is to a resident hook what a failing exit is to a command. */
function failureOf(error: unknown): HookFailure {
  const { code, message } = (typeof error === 'object' ? error : {}) as { code?: unknown; message?: unknown }
  const text = typeof message === 'string' ? message : stringifyJson(error)
  return code === methodNotFound
    ? new HookFailure('exit', `It does not know ${intercept}: ${text}`, `Answer the method ${intercept}.`)
    : new HookFailure('exit', `It answered with an error: ${text}`)
}

const methodNotFound = -32601

/** To which request a reply belongs that may be read by JSON.parse but not by us. */
function idOf(text: string): number | undefined {
  try {
    const { id, method } = JSON.parse(text) as { id?: unknown; method?: unknown }
    return typeof id === 'number' && method === undefined ? id : undefined
  } catch {
    return undefined
  }
}
