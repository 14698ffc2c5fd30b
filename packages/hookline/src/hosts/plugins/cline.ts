import type { Ours } from '../setup.ts'
import { runner } from './runner.ts'

/** Cline cuts a handler off after about three seconds and ends the run; we answer before that. */
const waits = 2.5

/** Of a snapshot, which is the whole conversation, the entry gets what names the session and the last prompt. */
export const clinePlugin = (ours: Ours): string => `${runner('cline', ours, waits)}
const place = ({ snapshot } = {}) => ({
  snapshot: { conversationId: snapshot?.conversationId },
  workspaceRoots: [process.cwd()],
})
const call = (c) => ({
  ...place(c),
  toolCall: { toolCallId: c.toolCall?.toolCallId, toolName: c.toolCall?.toolName },
  input: c.input,
})

const plugin = {
  name: 'hookline',
  manifest: { capabilities: ['hooks'] },
  setup() {},
  hooks: {
    beforeRun: async (c) => {
      try {
        const messages = (c.snapshot?.messages ?? []).filter(({ role }) => role === 'user').slice(-1)
        const { snapshot, ...rest } = place(c)
        const answer = await ask('user_prompt_submit', { ...rest, snapshot: { ...snapshot, messages } })
        if (answer.stop) return answer
      } catch (error) {
        return { stop: true, reason: error.message }
      }
    },
    beforeTool: async (c) => {
      try {
        const answer = await ask('pre_tool_use', call(c))
        if (answer.skip || answer.input || answer.appendContext) return answer
      } catch (error) {
        return { skip: true, reason: error.message }
      }
    },
    afterTool: async (c) => {
      const answer = await tell('post_tool_use', { ...call(c), result: { output: c.result?.output } })
      const result = answer.result && { result: { ...c.result, ...answer.result } }
      if (result || answer.appendContext) return { ...result, ...(answer.appendContext && { appendContext: answer.appendContext }) }
    },
    afterRun: async (c) => {
      await tell('stop', { ...place(c), result: { outputText: c.result?.outputText } })
    },
  },
}
export { plugin }
export default plugin
`
