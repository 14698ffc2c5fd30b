import type { Model, ModelPart, ModelRequest } from '../../src/core/model.ts'

export const never = new AbortController().signal

export function userRequest(user: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'You are helpful.', messages: [{ role: 'user', content: user }], tools: [], ...more }
}

export async function collect(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const all: ModelPart[] = []
  for await (const part of parts) all.push(part)
  return all
}

export const textOf = (parts: readonly ModelPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

export const callsOf = (parts: readonly ModelPart[]) => parts.filter((part) => part.type === 'tool_call')

export const finishOf = (parts: readonly ModelPart[]) => parts.find((part) => part.type === 'finish')

/** The whole text of the model's reply. */
export async function replyText(model: Model, request: ModelRequest, signal: AbortSignal = never): Promise<string> {
  return textOf(await collect(model.stream(request, signal)))
}
