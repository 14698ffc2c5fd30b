import { isRecord } from 'hookline/internal'

/** What a tool gave back, as far as the guard looks into it. */
export interface CallResult extends Record<string, unknown> {
  content?: unknown
  structuredContent?: unknown
  isError?: boolean
}

export const text = (value: string) => ({ type: 'text', text: value })

/** What the model reads in place of a result. */
export const refusalOf = (reason: string): CallResult => ({ content: [text(reason)], isError: true })

/**
 * A result that hooks rewrote, in the shape that the client expects. Text in place of a structured result is an error of
 * the call: clients check structured results against the schema of the tool, and there is none any more.
 */
export function rewrittenResult(original: CallResult, rewritten: unknown): CallResult {
  if (isRecord(rewritten) && (Array.isArray(rewritten['content']) || 'structuredContent' in rewritten)) return rewritten
  const words = typeof rewritten === 'string' ? rewritten : JSON.stringify(rewritten)
  const failed = original.isError === true || original.structuredContent !== undefined
  return { content: [text(words)], ...(failed && { isError: true }) }
}

/** The same for what was read. */
export function rewrittenContents({ uri }: Record<string, unknown>, rewritten: unknown): CallResult {
  if (isRecord(rewritten) && Array.isArray(rewritten['contents'])) return rewritten
  return { contents: [{ uri, text: typeof rewritten === 'string' ? rewritten : JSON.stringify(rewritten) }] }
}

/** What hooks add for the model, behind what the tool gave back. */
export function withContext(result: CallResult, context: readonly string[]): CallResult {
  if (context.length === 0) return result
  const content = Array.isArray(result.content) ? result.content : []
  return { ...result, content: [...content, ...context.map(text)] }
}
