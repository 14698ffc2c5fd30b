import * as z from 'zod/mini'
import type { Tool, ToolResult, ToolRun } from '../../core/index.ts'
import { bindTool, defineTool } from '../../tools/index.ts'

interface Definition<S extends z.ZodMiniObject> {
  name: string
  description: string
  category: string
  input: S
  /** Changes nothing outside the conversation, so it needs no approval. */
  harmless?: boolean
  alone?: boolean
  orderly?: boolean
  run(input: z.output<S>, call: ToolRun): Promise<ToolResult>
}

/** A tool of the loop: it works on the session that its file closes over. */
export function defineOwn<S extends z.ZodMiniObject>({
  category,
  harmless = false,
  orderly = false,
  run,
  ...rest
}: Definition<S>): Tool {
  const definition = defineTool<S, undefined>({
    ...rest,
    readOnly: harmless,
    run: (input, _on, call) => run(input, call),
  })
  return { ...bindTool(definition, category, undefined), inSteps: true, orderly }
}

export const text = (description: string) => z.string().check(z.describe(description))
