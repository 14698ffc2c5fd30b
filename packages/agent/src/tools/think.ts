import * as z from 'zod/mini'
import { bindTool, defineTool, defineToolset, text } from './define.ts'

const think = defineTool({
  name: 'think',
  description: 'Think something through. Nothing happens but that the thought is kept in the conversation.',
  input: z.strictObject({ thought: text('The thought.') }),
  readOnly: true,
  run: async () => 'Noted.',
})

export const thinkToolset = defineToolset({
  doc: 'A place to think aloud.',
  options: z.strictObject({}),
  tools: [think],
  open: () => ({ tools: [bindTool(think, 'think', undefined as never)] }),
})
