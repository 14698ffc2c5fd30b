/**
 * The four ways in which agents talk to models: which path, which tools the request offers, and an answer of a text and calls.
 */
export const protocols = [
  {
    path: /\/messages$/,
    tools: ({ tools = [] }) => tools.map(({ name, input_schema: schema }) => ({ name, schema })),
    streams: (_url, { stream }) => stream === true,
    answer: anthropic,
  },
  {
    path: /\/chat\/completions$/,
    tools: ({ tools = [] }) => tools.map(({ function: { name, parameters: schema } = {} }) => ({ name, schema })),
    streams: (_url, { stream }) => stream === true,
    answer: chat,
  },
  { path: /\/responses$/, tools: responsesTools, streams: () => true, answer: responses },
  {
    path: /:(?:stream)?[gG]enerateContent$/,
    tools: ({ tools = [] }) =>
      tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, parametersJsonSchema, parameters }) => ({ name, schema: parametersJsonSchema ?? parameters })),
    streams: (url) => url.includes('streamGenerateContent'),
    answer: gemini,
  },
]

let ids = 0
const id = (kind) => `${kind}_${++ids}`
const named = (events) => events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('')
const lines = (events) => events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')

function anthropic({ text, calls }, streams) {
  const blocks = [
    ...(text || calls.length === 0 ? [{ type: 'text', text: text || 'done' }] : []),
    ...calls.map(({ name, args }) => ({ type: 'tool_use', id: id('toolu'), name, input: args })),
  ]
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: id('msg'), type: 'message', role: 'assistant', model: 'scripted', stop_sequence: null, usage }
  if (!streams) return JSON.stringify({ ...message, content: blocks, stop_reason })
  return named([
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...blocks.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
      },
      {
        type: 'content_block_delta',
        index,
        delta:
          block.type === 'text'
            ? { type: 'text_delta', text: block.text }
            : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
}

function chat({ text, calls }, streams) {
  const about = { id: id('chatcmpl'), created: 1_700_000_000, model: 'scripted' }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const tool_calls = calls.map(({ name, args }) => ({
    id: id('call'),
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const content = text || (calls.length > 0 ? null : 'done')
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) }
  if (!streams)
    return JSON.stringify({
      ...about,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    })
  const chunk = (delta, finish = null) => ({
    ...about,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...(content ? [chunk({ content })] : []),
    ...tool_calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    chunk({}, finish_reason),
    { ...chunk({}), choices: [], usage },
  ]
  return `${lines(events)}data: [DONE]\n\n`
}

/** In code mode, Codex offers its tools as an item of the input, in namespaces. */
function responsesTools({ tools = [], input }) {
  const added = (Array.isArray(input) ? input : []).filter(({ type }) => type === 'additional_tools')
  const flat = (tool, namespace) =>
    Array.isArray(tool.tools)
      ? tool.tools.flatMap((inner) => flat(inner, tool.name))
      : [{ name: tool.name, schema: tool.parameters, namespace }]
  return [...tools, ...added.flatMap((item) => item.tools)].flatMap((tool) => flat(tool))
}

function responses({ text, calls }) {
  const item = ({ name, args, code, namespace }) => ({
    ...(code === undefined
      ? { type: 'function_call', id: id('fc'), arguments: JSON.stringify(args) }
      : { type: 'custom_tool_call', id: id('ctc'), input: code }),
    ...{ call_id: id('call'), name, status: 'completed', ...(namespace && { namespace }) },
  })
  const said = text || (calls.length > 0 ? '' : 'done')
  const content = [{ type: 'output_text', text: said, annotations: [] }]
  const output = [
    ...(said ? [{ type: 'message', id: id('msg'), role: 'assistant', status: 'completed', content }] : []),
    ...calls.map(item),
  ]
  const usage = {
    ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  }
  const response = { id: id('resp'), object: 'response', model: 'scripted' }
  return named([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.flatMap((each, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...each, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item: each },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ])
}

function gemini({ text, calls }, streams) {
  const parts = [
    ...(text || calls.length === 0 ? [{ text: text || 'done' }] : []),
    ...calls.map(({ name, args }) => ({ functionCall: { id: id('fc'), name, args } })),
  ]
  const answer = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }
  return streams ? lines([answer]) : JSON.stringify(answer)
}
