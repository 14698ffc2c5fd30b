import { isRecord } from '../../core/index.ts'

/**
 * One JSON-RPC message, as loosely as a relay needs it: what it does not know goes through as it is. So `params` and `result`
 * are read key by key, with `?.`: they may be lists or null.
 */
export interface Message {
  jsonrpc: '2.0'
  id?: Id
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: RpcError
}

export type Request = Message & { id: Id }

export type Id = string | number

export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** What a guard uses of a transport; those of the MCP SDK have this shape. */
export interface Link {
  start(): Promise<void>
  send(message: Message, options?: { relatedRequestId?: Id }): Promise<void>
  close(): Promise<void>
  setProtocolVersion?: ((version: string) => void) | undefined
  onmessage?: ((message: Message) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
}

/** Codes of JSON-RPC 2.0. */
export const code = { invalidRequest: -32600, invalidParams: -32602, failed: -32000 } as const

export const isId = (value: unknown): value is Id => typeof value === 'string' || typeof value === 'number'

/** A response has an id and no method; everything else that has a method is a request or a notification. */
export const isResponse = (message: Message): message is Request => message.method === undefined && isId(message.id)

export const isRequest = (message: Message): message is Request & { method: string } =>
  message.method !== undefined && isId(message.id)

/** What one line or body holds. Batches (in the protocol until 2025-06-18) are taken apart: each part is judged. */
export function messagesIn(text: string): Message[] {
  const value: unknown = JSON.parse(text)
  const all = Array.isArray(value) ? value : [value]
  const messages = all.filter(isMessage)
  if (messages.length < all.length || all.length === 0) throw new Error('this is no JSON-RPC 2.0 message')
  return messages
}

const isMessage = (value: unknown): value is Message =>
  isRecord(value) &&
  value['jsonrpc'] === '2.0' &&
  (value['id'] === undefined || value['id'] === null || isId(value['id'])) &&
  (value['method'] === undefined
    ? 'result' in value || isError(value['error'])
    : typeof value['method'] === 'string') &&
  (value['params'] === undefined || value['params'] === null || typeof value['params'] === 'object')

const isError = (value: unknown): boolean =>
  isRecord(value) && typeof value['code'] === 'number' && typeof value['message'] === 'string'

export const failure = (id: Id, error: RpcError): Message => ({ jsonrpc: '2.0', id, error })
export const success = (id: Id, result: Record<string, unknown>): Message => ({ jsonrpc: '2.0', id, result })
