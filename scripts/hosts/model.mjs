import { createServer } from 'node:http'

/**
 * A model that does one thing: it calls the shell with this command, and once it sees what became of that, it says "done".
 * Speaks Anthropic Messages, OpenAI Responses and Gemini on 127.0.0.1; no key, no network.
 */
export async function startModel(command) {
  const asked = []
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = read(Buffer.concat(chunks).toString('utf8'))
    asked.push({ path: request.url, body })
    const speak = protocols.find(({ path }) => path.test(request.url))
    if (!speak) return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    const wantsCall = speak.tools(body) && !JSON.stringify(body).includes(speak.result)
    response.writeHead(200, {
      'content-type': speak.streams(request.url, body) ? 'text/event-stream' : 'application/json',
    })
    response.end(speak.answer(wantsCall ? command : undefined, speak.streams(request.url, body)))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Everything that the agent has told the model. */
    heard: () => JSON.stringify(asked.map(({ body }) => body)),
    close: () => server.close(),
  }
}

const read = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const named = (events) => events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('')
const usage = { input_tokens: 1, output_tokens: 1 }

const protocols = [
  {
    path: /^\/v1\/messages(?:\?|$)/,
    result: '"tool_result"',
    tools: ({ tools = [] }) => tools.some(({ name }) => name === 'Bash'),
    streams: (_url, { stream }) => stream === true,
    answer(command, streams) {
      const block = command
        ? { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command } }
        : { type: 'text', text: 'done' }
      const stop_reason = command ? 'tool_use' : 'end_turn'
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', stop_sequence: null, usage }
      if (!streams) return JSON.stringify({ ...message, content: [block], stop_reason })
      const delta = command
        ? { type: 'input_json_delta', partial_json: JSON.stringify({ command }) }
        : { type: 'text_delta', text: 'done' }
      const empty = command ? { ...block, input: {} } : { ...block, text: '' }
      return named([
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: empty },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ])
    },
  },
  {
    path: /^\/v1\/responses/,
    result: '"function_call_output"',
    tools: ({ tools = [] }) => tools.some(({ name }) => name === 'exec_command'),
    streams: () => true,
    answer(command) {
      const item = command
        ? {
            type: 'function_call',
            id: 'fc_1',
            call_id: 'call_1',
            name: 'exec_command',
            arguments: JSON.stringify({ cmd: command }),
          }
        : { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] }
      const total = {
        ...usage,
        total_tokens: 2,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      }
      return named([
        { type: 'response.created', response: { id: 'resp_1' } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { id: 'resp_1', output: [item], usage: total } },
      ])
    },
  },
  {
    path: /:(?:stream)?[gG]enerateContent/,
    result: '"functionResponse"',
    tools: ({ tools = [] }) => JSON.stringify(tools).includes('run_shell_command'),
    streams: (url) => url.includes('streamGenerateContent'),
    answer(command, streams) {
      const part = command ? { functionCall: { name: 'run_shell_command', args: { command } } } : { text: 'done' }
      const answer = {
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      }
      return streams ? `data: ${JSON.stringify(answer)}\n\n` : JSON.stringify(answer)
    },
  },
]
