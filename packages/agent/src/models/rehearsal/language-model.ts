import type { LanguageModel } from 'ai'
import { plainText } from 'hookline/internal'
import type { Message, Model, ModelPart, ModelRequest, Usage } from '../../core/index.ts'

type SdkModel = Extract<LanguageModel, { specificationVersion: 'v4' }>
type Options = Parameters<SdkModel['doStream']>[0]
type StreamResult = Awaited<ReturnType<SdkModel['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never
type Content = Awaited<ReturnType<SdkModel['doGenerate']>>['content'][number]

/** A model as the AI SDK expects it, for `streamText`, `generateText` and custom agents. */
export function rehearsalLanguageModel(model: Model): LanguageModel {
  const parts = (options: Options) =>
    model.stream(readOptions(options), options.abortSignal ?? new AbortController().signal)
  const sdkModel: SdkModel = {
    specificationVersion: 'v4',
    provider: 'rehearsal',
    modelId: model.id,
    supportedUrls: {},
    async doStream(options) {
      const stream = ReadableStream.from(streamParts(parts(options))) as StreamResult['stream']
      return { stream }
    },
    async doGenerate(options) {
      const content: Content[] = []
      let end = finish({ type: 'finish' }, false)
      for await (const part of streamParts(parts(options))) {
        if (part.type === 'text-delta') append(content, 'text', part.delta)
        if (part.type === 'reasoning-delta') append(content, 'reasoning', part.delta)
        if (part.type === 'tool-call') content.push(part)
        if (part.type === 'finish') end = part
      }
      return { content, finishReason: end.finishReason, usage: end.usage, warnings: [] }
    },
  }
  return sdkModel
}

async function* streamParts(parts: AsyncIterable<ModelPart>): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  let open: 'text' | 'reasoning' | undefined
  let calls = false
  for await (const part of parts) {
    const kind = part.type === 'text' || part.type === 'reasoning' ? part.type : undefined
    if (open && open !== kind) yield { type: `${open}-end`, id: open }
    if (kind && open !== kind) yield { type: `${kind}-start`, id: kind }
    open = kind
    if (part.type === 'text' || part.type === 'reasoning')
      yield { type: `${part.type}-delta`, id: part.type, delta: part.text }
    else if (part.type === 'finish') yield finish(part, calls)
    else {
      calls = true
      const input = part.invalid ?? JSON.stringify(part.input)
      yield { type: 'tool-call', toolCallId: part.id, toolName: part.name, input }
    }
  }
}

function append(content: Content[], type: 'text' | 'reasoning', text: string): void {
  const last = content.at(-1)
  if (last?.type === type) last.text += text
  else content.push({ type, text })
}

function finish(
  { usage = {} }: { type: 'finish'; usage?: Usage },
  calls: boolean,
): Extract<StreamPart, { type: 'finish' }> {
  const unified = calls ? 'tool-calls' : 'stop'
  const { input_tokens: fresh, cached_input_tokens: read, cached_write_tokens: written } = usage
  const total = fresh === undefined ? undefined : fresh + (read ?? 0) + (written ?? 0)
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total, noCache: fresh, cacheRead: read, cacheWrite: written },
      outputTokens: { total: usage.output_tokens, text: undefined, reasoning: usage.reasoning_tokens },
    },
  }
}

function readOptions({ prompt, tools = [] }: Options): ModelRequest {
  const messages = prompt.flatMap(readMessage)
  const leading = messages.findIndex(({ role }) => role !== 'system')
  const system = messages.slice(0, Math.max(0, leading)).map(({ content }) => content)
  return {
    system: system.join('\n\n'),
    messages: messages.slice(system.length),
    tools: tools.flatMap((tool) =>
      tool.type === 'function'
        ? [
            {
              name: tool.name,
              description: tool.description ?? '',
              parameters: tool.inputSchema as Record<string, unknown>,
            },
          ]
        : [],
    ),
  }
}

function readMessage(message: Options['prompt'][number]): Message[] {
  if (message.role === 'system') return [message]
  if (message.role === 'tool')
    return message.content.flatMap((part) =>
      part.type === 'tool-result'
        ? [{ role: 'tool', tool_call_id: part.toolCallId, tool_name: part.toolName, ...resultOf(part.output) }]
        : [],
    )
  const content = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (message.role === 'user') return [{ role: 'user', content }]
  const calls = message.content.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.toolCallId, name: part.toolName, input: part.input as Record<string, unknown> }]
      : [],
  )
  return [{ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
}

function resultOf(output: { type: string; value?: unknown; reason?: string | undefined }): {
  content: string
  error?: true
} {
  const content = plainText(output.value ?? output.reason ?? '')
  return /error|denied/.test(output.type) ? { content, error: true } : { content }
}
