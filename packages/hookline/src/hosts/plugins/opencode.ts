import type { Ours } from '../setup.ts'
import { runner } from './runner.ts'

/** Handlers that throw refuse; what they change in `output` counts. */
export const opencodePlugin = (ours: Ours): string => `${runner('opencode', ours)}
export const Hookline = async ({ directory }) => ({
  'tool.execute.before': async (input, output) => {
    const answer = await ask('pre_tool_use', { input, output: { args: output.args }, directory })
    if (answer.throw) throw new Error(answer.throw)
    if (!answer.args) return
    for (const key of Object.keys(output.args)) if (!(key in answer.args)) delete output.args[key]
    Object.assign(output.args, answer.args)
  },
  'tool.execute.after': async (input, output) => {
    const { title, output: text, metadata } = output
    const answer = await tell('post_tool_use', { input, output: { title, output: text, metadata }, directory })
    if (answer.throw) throw new Error(answer.throw)
    if (typeof answer.output === 'string') output.output = answer.output
  },
  'chat.message': async (input, output) => {
    const parts = output.parts.map(({ type, text }) => ({ type, text }))
    const answer = await ask('user_prompt_submit', { input, output: { parts }, directory })
    if (answer.throw) throw new Error(answer.throw)
    for (const text of answer.parts ?? []) {
      const id = 'prt_zzz' + Date.now()
      output.parts.push({ id, sessionID: input.sessionID, messageID: output.message.id, type: 'text', text, synthetic: true })
    }
  },
  event: async ({ event }) => {
    const sessionID = event.properties?.sessionID
    if (event.type === 'session.created') await tell('session_start', { input: { sessionID }, directory })
    if (event.type === 'session.idle') await tell('stop', { input: { sessionID }, directory })
  },
})
`
