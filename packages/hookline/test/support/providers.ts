import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a stub of a provider answers, in any protocol. */
export interface StubAnswer {
  text?: readonly string[]
  reasoning?: string
  calls?: readonly { id: string; name: string; arguments: string }[]
  /** `input` is all that was sent, what came from the cache included. */
  usage?: { input: number; output: number; cached?: number; written?: number; reasoning?: number }
  /** The answer is held back. */
  filtered?: true
  /** Instead of a stream: an answer with this status. */
  status?: number
  body?: unknown
  headers?: Record<string, string>
  /** After the text: the connection is lost, the server ends as if that were all, or says that it failed. */
  then?: 'lost' | 'ends' | 'overloaded'
}

export interface StubRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

export interface ProviderStub {
  url: string
  requests: StubRequest[]
  close(): Promise<void>
}

export type StubProtocol = keyof typeof protocols

/** A provider on the loopback that streams as the real one does. */
export async function stubProvider(
  protocol: StubProtocol,
  answer: (request: StubRequest, count: number) => StubAnswer | Promise<StubAnswer>,
): Promise<ProviderStub> {
  const requests: StubRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      send(response, await answer(requests.at(-1)!, requests.length), protocols[protocol])
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${protocols[protocol].base}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Protocol {
  base: string
  begin(answer: StubAnswer): object[]
  end(answer: StubAnswer): object[]
  overloaded: object
  /** Anthropic names its events; OpenAI's chat says when it is done. */
  named?: true
  done?: string
}

function send(response: ServerResponse, answer: StubAnswer, protocol: Protocol): void {
  const { status, body, headers, then } = answer
  if (status !== undefined) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  const write = (event: object) => {
    const name = protocol.named ? `event: ${(event as { type: string }).type}\n` : ''
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
  }
  protocol.begin(answer).forEach(write)
  if (then === 'lost') {
    // What was written must arrive before the connection goes.
    setTimeout(() => response.destroy(), 20)
    return
  }
  if (then === 'overloaded') write(protocol.overloaded)
  else if (then !== 'ends') {
    protocol.end(answer).forEach(write)
    if (protocol.done) response.write(`data: ${protocol.done}\n\n`)
  }
  response.end()
}

/** In pieces, as arguments come. */
const halves = (text: string) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)]

const chunk = (delta: object, finish: string | null = null) => ({
  ...{ id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'stub' },
  choices: [{ index: 0, delta, finish_reason: finish }],
})

const chat: Protocol = {
  base: 'v1',
  begin: ({ text = [], reasoning, calls = [] }) => [
    ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
    ...text.map((content) => chunk({ role: 'assistant', content })),
    ...calls.flatMap(({ id, name, arguments: args }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...halves(args).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
  ],
  end: ({ calls = [], usage, filtered }) => [
    chunk({}, filtered ? 'content_filter' : calls.length > 0 ? 'tool_calls' : 'stop'),
    ...(usage
      ? [
          {
            ...chunk({}),
            choices: [],
            usage: {
              prompt_tokens: usage.input,
              completion_tokens: usage.output,
              total_tokens: usage.input + usage.output,
              prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
              completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
            },
          },
        ]
      : []),
  ],
  overloaded: { error: { message: 'The server is overloaded.', type: 'overloaded_error', code: 503 } },
  done: '[DONE]',
}

const responses: Protocol = {
  base: 'v1',
  begin: ({ text = [], reasoning, calls = [] }) => [
    { type: 'response.created', response: { id: 'resp-1', created_at: 1, model: 'stub', service_tier: null } },
    ...(reasoning === undefined ? [] : thinkingItem(reasoning)),
    ...(text.length === 0 ? [] : textItem(text)),
    ...calls.flatMap(({ id, name, arguments: args }, index) => {
      const item = { type: 'function_call', id: `fc-${id}`, call_id: id, name }
      const at = { output_index: index + 2 }
      return [
        { type: 'response.output_item.added', ...at, item: { ...item, arguments: '' } },
        ...halves(args).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          ...at,
          item_id: item.id,
          delta,
        })),
        { type: 'response.output_item.done', ...at, item: { ...item, arguments: args, status: 'completed' } },
      ]
    }),
  ],
  end: ({ usage, filtered }) => [
    {
      type: filtered ? 'response.incomplete' : 'response.completed',
      response: {
        ...{ id: 'resp-1', service_tier: null },
        incomplete_details: filtered ? { reason: 'content_filter' } : null,
        usage: {
          input_tokens: usage?.input ?? 1,
          output_tokens: usage?.output ?? 1,
          input_tokens_details: { cached_tokens: usage?.cached ?? 0 },
          output_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
        },
      },
    },
  ],
  overloaded: {
    type: 'error',
    sequence_number: 9,
    error: { type: 'server_error', code: 'server_is_overloaded', message: 'overloaded', param: null },
  },
}

function textItem(text: readonly string[]): object[] {
  const item = { type: 'message', id: 'msg-1', role: 'assistant', status: 'in_progress', content: [] }
  const at = { output_index: 1, item_id: 'msg-1', content_index: 0 }
  return [
    { type: 'response.output_item.added', output_index: 1, item },
    ...text.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_item.done', output_index: 1, item: { ...item, status: 'completed' } },
  ]
}

function thinkingItem(reasoning: string): object[] {
  const item = { type: 'reasoning', id: 'rs-1', summary: [], encrypted_content: 'sealed' }
  const at = { item_id: 'rs-1', output_index: 0, summary_index: 0 }
  const summary = [{ type: 'summary_text', text: reasoning }]
  return [
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: reasoning },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, summary } },
  ]
}

const anthropic: Protocol = {
  base: 'v1',
  named: true,
  begin: ({ text = [], reasoning, calls = [], usage }) => [
    {
      type: 'message_start',
      message: {
        ...{ id: 'msg-1', type: 'message', role: 'assistant', content: [], model: 'stub', stop_reason: null },
        usage: {
          input_tokens: (usage?.input ?? 1) - (usage?.cached ?? 0) - (usage?.written ?? 0),
          cache_read_input_tokens: usage?.cached ?? 0,
          cache_creation_input_tokens: usage?.written ?? 0,
          output_tokens: 1,
        },
      },
    },
    ...[
      ...(reasoning === undefined
        ? []
        : [
            block({ type: 'thinking', thinking: '' }, [
              { type: 'thinking_delta', thinking: reasoning },
              { type: 'signature_delta', signature: 'signed' },
            ]),
          ]),
      ...(text.length === 0
        ? []
        : [
            block(
              { type: 'text', text: '' },
              text.map((part) => ({ type: 'text_delta', text: part })),
            ),
          ]),
      ...calls.map(({ id, name, arguments: args }) =>
        block(
          { type: 'tool_use', id, name, input: {} },
          halves(args).map((part) => ({ type: 'input_json_delta', partial_json: part })),
        ),
      ),
    ].flatMap((events, index) => events.map((event) => ({ ...event, index }))),
  ],
  end: ({ calls = [], usage, filtered }) => [
    {
      type: 'message_delta',
      delta: { stop_reason: filtered ? 'refusal' : calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: usage?.output ?? 1 },
    },
    { type: 'message_stop' },
  ],
  overloaded: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
}

function block(content: object, deltas: readonly object[]): object[] {
  return [
    { type: 'content_block_start', content_block: content },
    ...deltas.map((delta) => ({ type: 'content_block_delta', delta })),
    { type: 'content_block_stop' },
  ]
}

const google: Protocol = {
  base: 'v1beta',
  begin: ({ text = [], reasoning, calls = [] }) =>
    [
      ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
      ...text.map((part) => ({ text: part })),
      ...calls.map(({ name, arguments: args }) => ({
        functionCall: { name, args: JSON.parse(args) as object },
        thoughtSignature: 'signed',
      })),
    ].map((part) => ({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }] })),
  end: ({ usage, filtered }) => [
    {
      candidates: [
        { content: { parts: [{ text: '' }], role: 'model' }, finishReason: filtered ? 'SAFETY' : 'STOP', index: 0 },
      ],
      usageMetadata: {
        promptTokenCount: usage?.input ?? 1,
        candidatesTokenCount: (usage?.output ?? 1) - (usage?.reasoning ?? 0),
        thoughtsTokenCount: usage?.reasoning ?? 0,
        cachedContentTokenCount: usage?.cached ?? 0,
        totalTokenCount: (usage?.input ?? 1) + (usage?.output ?? 1),
      },
    },
  ],
  overloaded: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
}

const protocols = { chat, responses, anthropic, google } satisfies Record<string, Protocol>
