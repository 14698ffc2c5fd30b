import type { AssistantModelMessage, ModelMessage, ToolModelMessage, UserContent } from 'ai'
import type { AssistantMessage, Attachment, Message, ToolCall, ToolMessage } from '../core/index.ts'

/** A transcript as providers want it, whatever hooks, compaction or a crash have made of it. */
export interface Prompt {
  instructions: string
  messages: ModelMessage[]
}

/**
 * Context at the beginning belongs to the instructions. Later context is put, marked, into a user message, since most
 * providers accept a system message only at the beginning. Every call is followed by its result; a result without its
 * call becomes context. Consecutive user messages become one.
 */
export function makePrompt(system: string, transcript: readonly Message[], provider: string): Prompt {
  const begins = transcript.findIndex(({ role }) => role !== 'system')
  const leading = transcript.slice(0, begins === -1 ? 0 : begins)
  const instructions = [system, ...leading.map(({ content }) => content)].filter((text) => text !== '').join('\n\n')
  return { instructions, messages: arrange(transcript.slice(leading.length), provider) }
}

function arrange(transcript: readonly Message[], provider: string): ModelMessage[] {
  const arranged: ModelMessage[] = []
  const texts: UserPart[] = []
  let open = new Map<string, ToolCall>()
  const results: ToolMessage[] = []

  const answerCalls = () => {
    const missing = [...open.values()].map(({ id, name }) => interrupted(id, name))
    if (results.length + missing.length > 0)
      arranged.push({ role: 'tool', content: [...results, ...missing].map(resultPart) })
    results.length = 0
    open = new Map()
  }
  const flush = () => {
    answerCalls()
    if (texts.length > 0) arranged.push({ role: 'user', content: joined(texts.splice(0)) })
  }

  for (const message of transcript) {
    if (message.role === 'user') texts.push(message.content || '(empty)', ...(message.attachments ?? []))
    else if (message.role === 'system') texts.push(context(message.content))
    else if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) results.push(message)
      else texts.push(context(`Result of ${message.tool_name}: ${message.content}`))
    } else {
      const content = assistantParts(message, provider)
      if (content.length === 0) continue
      flush()
      if (arranged.length === 0) arranged.push({ role: 'user', content: 'Go on.' })
      arranged.push({ role: 'assistant', content })
      open = new Map((message.tool_calls ?? []).map((call) => [call.id, call]))
    }
  }
  flush()
  if (arranged.length === 0) arranged.push({ role: 'user', content: 'Go on.' })
  return arranged
}

type AssistantParts = Exclude<AssistantModelMessage['content'], string>

function assistantParts({ content, tool_calls = [] }: AssistantMessage, provider: string): AssistantParts {
  const thoughts = tool_calls.flatMap((call) => signedBy(provider, call)?.reasoning ?? [])
  const calls = tool_calls.map((call) => {
    const options = signedBy(provider, call)?.call
    const input = call.invalid === undefined ? call.input : {}
    return {
      ...{ type: 'tool-call' as const, toolCallId: call.id, toolName: call.name, input },
      ...(options ? { providerOptions: options as never } : {}),
    }
  })
  return [
    ...thoughts.map(({ text, metadata }) => ({ type: 'reasoning' as const, text, providerOptions: metadata as never })),
    ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
    ...calls,
  ]
}

/** What a provider signed: the thoughts that led to a call, and the call. Only that provider gets it back. */
export interface Signed {
  reasoning?: { text: string; metadata: Record<string, unknown> }[]
  call?: Record<string, unknown>
}

const signedBy = (provider: string, call: ToolCall) => call.provider?.[provider] as Signed | undefined

type UserPart = string | Attachment

/** One text where there is nothing else; pictures and files stay between the texts that they came with. */
function joined(parts: readonly UserPart[]): UserContent {
  if (parts.every((part) => typeof part === 'string')) return parts.join('\n\n')
  return parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : filePart(part)))
}

const filePart = ({ name, media_type, data }: Attachment) => ({
  type: 'file' as const,
  data,
  mediaType: media_type,
  filename: name,
})

const context = (text: string) => `<context>\n${text}\n</context>`

const interrupted = (id: string, name: string): ToolMessage => ({
  ...{ role: 'tool', tool_call_id: id, tool_name: name, error: true },
  content: 'There is no result: the call was interrupted.',
})

function resultPart(message: ToolMessage): ToolModelMessage['content'][number] {
  const { tool_call_id, tool_name, content, error, attachments } = message
  if (attachments && !error) {
    const value = [
      { type: 'text' as const, text: content || '(no output)' },
      ...attachments.map(({ data, media_type, name }) => ({
        ...{ type: 'file' as const, mediaType: media_type, filename: name },
        data: { type: 'data' as const, data },
      })),
    ]
    return { type: 'tool-result', toolCallId: tool_call_id, toolName: tool_name, output: { type: 'content', value } }
  }
  const output = { type: error ? ('error-text' as const) : ('text' as const), value: content || '(no output)' }
  return { type: 'tool-result', toolCallId: tool_call_id, toolName: tool_name, output }
}
