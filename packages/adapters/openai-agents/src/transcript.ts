import { type AgentInputItem, type ModelResponse, Usage } from '@openai/agents-core'
import type { Transcript } from 'hookline/adapter'

interface Part {
  type: string
  text?: string
  [key: string]: unknown
}

/** The items of the SDK: messages, calls and results in one list. */
interface Item {
  type?: string
  role?: string
  content?: string | Part[]
  [key: string]: unknown
}

export const transcript: Transcript<AgentInputItem, ModelResponse> = {
  prompt(item) {
    const { role, content } = item as Item
    return role === 'user' ? textOf(content, 'input_text') : undefined
  },
  withPrompt(item, text) {
    const { content } = item as Item
    return {
      ...item,
      content: typeof content === 'string' ? text : replaced(content ?? [], 'input_text', text),
    } as never
  },
  note: (text) => ({ type: 'message', role: 'user', content: text }) as AgentInputItem,
  answer({ output, usage }) {
    const items = output as Item[]
    return {
      text: items.map(({ type, content }) => (type === 'message' ? textOf(content, 'output_text') : '')).join(''),
      // Everything but messages and reasons is a call of some tool.
      calls: items.filter(({ type }) => type !== 'message' && type !== 'reasoning').length,
      usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    }
  },
  withText(response, text) {
    const items = (response.output as Item[]).filter(({ type }) => type !== 'reasoning')
    const first = items.findIndex(({ type }) => type === 'message')
    const output = items.flatMap((item, index) => {
      if (item.type !== 'message') return [item]
      return index === first
        ? [{ ...item, content: replaced([item.content ?? []].flat() as Part[], 'output_text', text) }]
        : []
    })
    return { ...response, output: output as ModelResponse['output'] }
  },
  asMessages: ({ output }) => output as AgentInputItem[],
  refusal: (reason, outcome) => ({
    usage: new Usage(),
    output: [
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: reason }] },
    ],
    providerData: { hookline: { outcome, reason } },
  }),
}

function textOf(content: string | Part[] | undefined, kind: string): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap(({ type, text }) => (type === kind && text !== undefined ? [text] : [])).join('')
}

function replaced(parts: readonly Part[], kind: string, text: string): Part[] {
  return [{ type: kind, text }, ...parts.filter(({ type }) => type !== kind)]
}
