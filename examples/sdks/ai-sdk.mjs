import { fileURLToPath } from 'node:url'
import { hookline } from '@hookline/ai-sdk'
import { ToolLoopAgent, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { createHooks } from 'hookline'
import * as z from 'zod'
import { closing, readNotes, refund, script, show } from './shop.mjs'

const tools = {
  read_notes: tool({ inputSchema: z.object({ order: z.string() }), execute: readNotes }),
  refund: tool({ inputSchema: z.object({ amount: z.number() }), execute: refund }),
}

/** What the model got last. */
let seen = []

const hooks = await createHooks({ config: fileURLToPath(new URL('hookline.yaml', import.meta.url)) })
const guarded = hookline(hooks)
const agent = new ToolLoopAgent(guarded.agent({ model: scripted(), tools, instructions: 'Help.' }))
await agent.generate({ prompt: 'Please refund order A-1.' })

const results = seen.filter(({ role }) => role === 'tool').flatMap(({ content }) => content)
show(results.map(({ output }) => output.value ?? output.reason))
await hooks.close()

/** The SDK's own model for tests, on our script. */
function scripted() {
  let turn = 0
  return new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      seen = prompt
      const call = script[turn]
      const content = call
        ? [{ type: 'tool-call', toolCallId: `call-${turn++}`, toolName: call.tool, input: JSON.stringify(call.input) }]
        : [{ type: 'text', text: closing }]
      const unified = call ? 'tool-calls' : 'stop'
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] }
    },
  })
}
