import type { Message, ModelRequest, ToolMessage } from '../../core/index.ts'

/** A request as the conditions of a script see it. Each part is computed when a condition needs it. */
export interface RequestView {
  readonly user: string
  readonly last: string
  readonly system: string
  readonly anywhere: string
  /** The results that have come in since the model last answered. */
  readonly results: readonly ToolMessage[]
  readonly offered: readonly string[]
  readonly agent: string
  readonly purpose: string | undefined
}

export function viewOf(request: ModelRequest): RequestView {
  const { messages, tools, agent = '', purpose } = request
  return {
    agent,
    purpose,
    get user() {
      return messages.findLast(({ role }) => role === 'user')?.content ?? ''
    },
    get last() {
      return messages.at(-1)?.content ?? ''
    },
    get system() {
      return [request.system, ...messages.filter(({ role }) => role === 'system').map(textOf)].join('\n')
    },
    get anywhere() {
      return [request.system, ...messages.map(textOf)].join('\n')
    },
    get results() {
      // A newer message of the user goes before results: those of a canceled call do not matter any more.
      const since = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'user')
      return messages.slice(since + 1).filter((message) => message.role === 'tool')
    },
    get offered() {
      return tools.map(({ name }) => name)
    },
  }
}

/** About four characters are a token; the same request always has the same size. */
export function estimateTokens(request: ModelRequest): number {
  const tools = request.tools.reduce((sum, { name, description }) => sum + name.length + description.length + 100, 0)
  const messages = request.messages.reduce((sum, message) => sum + sizeOf(message), 0)
  return tokensOf(request.system.length + messages + tools)
}

export const tokensOf = (characters: number) => Math.ceil(characters / 4)

const textOf = ({ content }: Message) => content

function sizeOf(message: Message): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  return calls.reduce(
    (sum, { name, input }) => sum + name.length + JSON.stringify(input).length,
    message.content.length,
  )
}
