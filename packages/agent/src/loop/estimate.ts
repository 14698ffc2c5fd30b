import type { Message } from '../message.ts'

/** As providers advise for English. */
export const charactersPerToken = 4

/** Tokens of some messages, roughly, with a little for the frame. */
export function estimateTokens(messages: readonly Message[]): number {
  let characters = 0
  for (const message of messages) {
    characters += message.content.length + 16
    if (message.role === 'assistant' && message.tool_calls) characters += JSON.stringify(message.tool_calls).length
  }
  return Math.ceil(characters / charactersPerToken)
}
