import { AIMessage, type BaseMessage, HumanMessage, type MessageContent, SystemMessage } from '@langchain/core/messages'
import type { Transcript } from 'hookline/adapter'

/** Messages of LangChain. Hooks see their role and content; what they rewrite of it is put into the same message. */
export const transcript: Transcript<BaseMessage, AIMessage> = {
  prompt: (message) => (HumanMessage.isInstance(message) ? message.text : undefined),
  withPrompt: (message, text) => withContent(message, text),
  note: (text) => new HumanMessage(text),
  answer(message) {
    const { input_tokens, output_tokens } = message.usage_metadata ?? {
      input_tokens: undefined,
      output_tokens: undefined,
    }
    const usage = input_tokens === undefined ? undefined : { input_tokens, output_tokens: output_tokens ?? 0 }
    return { text: message.text, calls: message.tool_calls?.length ?? 0, ...(usage && { usage }) }
  },
  withText: (message, text) => withContent(message, text) as AIMessage,
  asMessages: (message) => [message],
  refusal: (reason, outcome) =>
    new AIMessage({ content: reason, response_metadata: { finish_reason: 'hookline', hookline: { outcome, reason } } }),
  view: (message) => ({
    role: roles[message.getType()] ?? message.getType(),
    content: message.content,
    ...(AIMessage.isInstance(message) && message.tool_calls?.length ? { tool_calls: message.tool_calls } : {}),
  }),
  read(view, original) {
    const { role, content } = view as { role?: string; content?: MessageContent }
    if (original && roles[original.getType()] === role) return withContent(original, content ?? '')
    if (role === 'system') return new SystemMessage({ content: content ?? '' })
    return role === 'assistant'
      ? new AIMessage({ content: content ?? '' })
      : new HumanMessage({ content: content ?? '' })
  },
}

const roles: Record<string, string> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' }

/** The same message with another content. */
function withContent(message: BaseMessage, content: MessageContent): BaseMessage {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(message)), message) as BaseMessage
  copy.content = content
  copy.lc_kwargs = { ...message.lc_kwargs, content }
  return copy
}
