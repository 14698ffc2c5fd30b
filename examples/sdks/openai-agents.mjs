import { fileURLToPath } from 'node:url'
import { hookline } from '@hookline/openai-agents'
import { Agent, Runner, setTracingDisabled, tool, Usage } from '@openai/agents-core'
import { createHooks } from 'hookline'
import * as z from 'zod'
import { closing, readNotes, refund, script, show } from './shop.mjs'

setTracingDisabled(true)
const tools = [
  tool({ name: 'read_notes', description: 'Notes', parameters: z.object({ order: z.string() }), execute: readNotes }),
  tool({ name: 'refund', description: 'Refund', parameters: z.object({ amount: z.number() }), execute: refund }),
]

const hooks = await createHooks({ config: fileURLToPath(new URL('hookline.yaml', import.meta.url)) })
const guarded = hookline(hooks)
const agent = guarded.agent(new Agent({ name: 'helper', instructions: 'Help.', model: scripted(), tools }))
const { history } = await new Runner().run(agent, 'Please refund order A-1.')

const results = history.filter(({ type }) => type === 'function_call_result')
show(results.map(({ output }) => (typeof output === 'string' ? output : (output.text ?? JSON.stringify(output)))))
await hooks.close()

/** A model of the SDK, on our script. */
function scripted() {
  let turn = 0
  return {
    async getResponse() {
      const call = script[turn]
      const output = call
        ? { type: 'function_call', callId: `call-${turn++}`, name: call.tool, status: 'completed' }
        : { type: 'message', role: 'assistant', status: 'completed' }
      const content = call
        ? { arguments: JSON.stringify(call.input) }
        : { content: [{ type: 'output_text', text: closing }] }
      return { usage: new Usage(), output: [{ ...output, ...content }] }
    },
  }
}
