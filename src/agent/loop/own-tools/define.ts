import * as z from 'zod/mini'
import type { Tool, ToolResult, ToolRun } from '../../tool.ts'

interface Definition<S extends z.ZodMiniObject> {
  name: string
  description: string
  category: string
  input: S
  /** Changes nothing outside the conversation: nobody is asked for approval. */
  harmless?: boolean
  run(input: z.output<S>, call: ToolRun): Promise<ToolResult>
}

/** A tool from a schema: its parameters and the reading of arguments derive from it. */
export function defineOwn<S extends z.ZodMiniObject>({ input, harmless, run, ...rest }: Definition<S>): Tool {
  return {
    ...rest,
    parameters: z.toJSONSchema(input) as Record<string, unknown>,
    readOnly: () => harmless === true,
    parse(given) {
      const read = input.safeParse(given)
      if (read.success) return { ok: true, input: read.data as Record<string, unknown> }
      const problems = read.error.issues.map(({ path, message }) => `\`${path.join('.') || 'arguments'}\`: ${message}`)
      return { ok: false, problem: problems.join('; ') }
    },
    run: (given, call) => run(given as z.output<S>, call),
  }
}

export const text = (description: string) => z.string().check(z.describe(description))
