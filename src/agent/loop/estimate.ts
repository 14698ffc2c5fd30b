import type { Message } from '../message.ts'

/** Tokens of some messages, roughly: four characters each, as providers advise for English, and a little for the frame. */
export function estimateTokens(messages: readonly Message[]): number {
  let characters = 0
  for (const message of messages) {
    characters += message.content.length + 16
    if (message.role === 'assistant' && message.tool_calls) characters += JSON.stringify(message.tool_calls).length
  }
  return Math.ceil(characters / 4)
}
