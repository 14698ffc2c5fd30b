import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ChatRequest {
  model: string
  messages: { role: string; content: string }[]
  [key: string]: unknown
}

export interface ChatServer {
  url: string
  requests: { body: ChatRequest; authorization: string | undefined }[]
  close(): Promise<void>
}

export type Respond = (request: ChatRequest, response: ServerResponse, count: number) => void

/** A server on the loopback for OpenAI chat completions. */
export async function chatServer(respond: Respond): Promise<ChatServer> {
  const requests: ChatServer['requests'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest
      requests.push({ body, authorization: request.headers.authorization })
      respond(body, response, requests.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function say(
  response: ServerResponse,
  content: string | null,
  more: { finish?: string; refusal?: string } = {},
) {
  const message = { role: 'assistant', content, ...(more.refusal === undefined ? {} : { refusal: more.refusal }) }
  const choices = [{ index: 0, message, finish_reason: more.finish ?? 'stop' }]
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  answer(response, 200, { id: 'chat-1', object: 'chat.completion', created: 1, model: 'stub', choices, usage })
}

export function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
