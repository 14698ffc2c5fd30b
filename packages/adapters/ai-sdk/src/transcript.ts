import type { Transcript } from 'hookline/adapter'
import { isRecord } from './record.ts'
import type { Answer, PromptMessage, TextPart } from './sdk.ts'

/** Messages and answers of language models, as providers of the AI SDK take and give them. */
export const transcript: Transcript<PromptMessage, Answer> = {
  prompt({ role, content }) {
    if (role !== 'user') return undefined
    return typeof content === 'string' ? content : textIn(content)
  },
  withPrompt: (message, text) => ({ ...message, content: textReplaced([message.content].flat().map(asPart), text) }),
  note: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
  answer({ content, usage }) {
    const tokens = tokensOf(usage)
    return {
      text: textIn(content),
      calls: content.filter(({ type, providerExecuted }) => type === 'tool-call' && !providerExecuted).length,
      ...(tokens && { usage: tokens }),
    }
  },
  // The reasons of a model may repeat what hooks have just taken out of its answer.
  withText: (answer, text) => ({
    ...answer,
    content: textReplaced(
      answer.content.filter(({ type }) => !type.startsWith('reasoning')),
      text,
    ),
  }),
  asMessages: ({ content }) => [{ role: 'assistant', content: content.map(asPromptPart) }],
  refusal: (reason, outcome) => ({
    content: [{ type: 'text', text: reason }],
    finishReason: { unified: 'other', raw: 'hookline' },
    usage: noTokens,
    warnings: [],
    providerMetadata: { hookline: { outcome, reason } },
  }),
}

const noTokens = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

const asPart = (part: string | TextPart): TextPart => (typeof part === 'string' ? { type: 'text', text: part } : part)

const textIn = (parts: readonly TextPart[]): string =>
  parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('')

/** The new text where the first one was; the other texts go. */
function textReplaced(parts: readonly TextPart[], text: string): TextPart[] {
  const first = parts.findIndex(({ type }) => type === 'text')
  const kept = parts.flatMap((part, index) =>
    part.type !== 'text' ? [part] : index === first ? [{ ...part, text }] : [],
  )
  return first < 0 ? [{ type: 'text', text }, ...kept] : kept
}

/** In an answer the input of a call is JSON as text; in a message it is the value. */
function asPromptPart({ providerMetadata, ...part }: TextPart): TextPart {
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata }
  if (part.type !== 'tool-call' || typeof part['input'] !== 'string') return { ...part, ...options }
  return { ...part, ...options, input: JSON.parse(part['input']) }
}

function tokensOf(usage: unknown) {
  if (!isRecord(usage)) return undefined
  const [input, output] = [usage['inputTokens'], usage['outputTokens']].map((each) =>
    isRecord(each) ? each['total'] : each,
  )
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  return {
    ...(typeof input === 'number' && { input_tokens: input }),
    ...(typeof output === 'number' && { output_tokens: output }),
  }
}
