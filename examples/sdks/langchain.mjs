import { fileURLToPath } from 'node:url'
import { hookline } from '@hookline/langchain'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { createHooks } from 'hookline'
import { createAgent, tool } from 'langchain'
import * as z from 'zod'
import { closing, readNotes, refund, script, show } from './shop.mjs'

const tools = [
  tool(readNotes, { name: 'read_notes', description: 'Notes', schema: z.object({ order: z.string() }) }),
  tool(refund, { name: 'refund', description: 'Refund', schema: z.object({ amount: z.number() }) }),
]

/** A chat model on our script. */
class Scripted extends BaseChatModel {
  turn = 0

  _llmType() {
    return 'scripted'
  }

  bindTools() {
    return this
  }

  async _generate() {
    const call = script[this.turn]
    const tool_calls = call ? [{ id: `call-${this.turn++}`, name: call.tool, args: call.input }] : []
    const message = new AIMessage({ content: call ? '' : closing, tool_calls })
    return { generations: [{ text: message.text, message }] }
  }
}

const hooks = await createHooks({ config: fileURLToPath(new URL('hookline.yaml', import.meta.url)) })
const agent = createAgent({ model: new Scripted({}), tools, middleware: [hookline(hooks)] })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Please refund order A-1.' }] })

show(messages.filter((message) => message.getType() === 'tool').map(({ text }) => text))
await hooks.close()
