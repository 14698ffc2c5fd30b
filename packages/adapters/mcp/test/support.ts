import { PassThrough } from 'node:stream'
import { createHooks, type HooksOptions } from 'hookline'
import { onTestFinished } from 'vitest'
import { guardMcp, lineLink, type McpGuardOptions, type Message } from '../src/index.ts'

/** A client and a server of our own, with the guard between them: each sees what really arrives, as lines. */
export async function guarded(
  options: HooksOptions,
  serve: (message: Message, send: (message: object) => void) => unknown,
  more: Partial<McpGuardOptions> = {},
) {
  const hooks = await createHooks(options)
  const toServer = { in: new PassThrough(), out: new PassThrough() }
  const toClient = { in: new PassThrough(), out: new PassThrough() }
  const atServer: Message[] = []
  const warnings: string[] = []
  const guard = await guardMcp({
    hooks,
    server: 'shop',
    toServer: lineLink(toServer.out, toServer.in),
    toClient: lineLink(toClient.in, toClient.out),
    warn: (text) => warnings.push(text),
    ...more,
  })
  onTestFinished(async () => {
    await guard.close()
    await hooks.close()
  })

  const toThem = (message: object) => toServer.out.write(`${JSON.stringify(message)}\n`)
  lines(toServer.in, (message) => {
    atServer.push(message)
    const result = serve(message, toThem)
    if (message.id !== undefined && message.method !== undefined && result !== undefined)
      toThem({ jsonrpc: '2.0', id: message.id, ...(isFailure(result) ? result : { result }) })
  })

  const atClient: Message[] = []
  const waiting: ((message: Message) => boolean)[] = []
  lines(toClient.out, (message) => {
    atClient.push(message)
    for (const each of [...waiting]) if (each(message)) waiting.splice(waiting.indexOf(each), 1)
  })
  let last = 0
  const write = (text: string) => void toClient.in.write(`${text}\n`)
  const next = (wanted: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      waiting.push((message) => {
        const found = wanted(message)
        if (found) resolve(message)
        return found
      })
    })
  return {
    hooks,
    guard,
    atServer,
    atClient,
    warnings,
    next,
    write,
    end: () => toServer.out.end(),
    send: (message: object) => write(JSON.stringify({ jsonrpc: '2.0', ...message })),
    /** One request, and its response. */
    request(method: string, params: object = {}, id: string | number = ++last): Promise<Message> {
      const answer = next((message) => message.id === id && message.method === undefined)
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return answer
    },
  }
}

const isFailure = (result: unknown): boolean => typeof result === 'object' && result !== null && 'error' in result

function lines(stream: PassThrough, take: (message: Message) => void): void {
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = parts.pop() as string
    for (const part of parts) take(JSON.parse(part) as Message)
  })
}

/** What a call reads: the texts of its result. */
export const textOf = ({ result }: Message): string =>
  ((result?.['content'] ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('\n')

/** A server with these tools, which says back what it got. */
export const echoes =
  (tools: readonly object[] = [{ name: 'refund', inputSchema: { type: 'object' } }]) =>
  ({ method, params }: Message): object | undefined =>
    method === 'tools/list'
      ? { tools }
      : method === 'tools/call'
        ? { content: [{ type: 'text', text: JSON.stringify(params?.['arguments'] ?? null) }] }
        : {}
