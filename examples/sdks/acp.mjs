import { PassThrough, Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as acp from '@agentclientprotocol/sdk'
import { guardAcp, lineLink } from '@hookline/acp'
import { createHooks } from 'hookline'
import { readNotes, refund, script, show } from './shop.mjs'

/** In life both sides are processes: `hookline acp -- node agent.mjs`. Here all is in one, so that you see every part. */
const editor = { in: new PassThrough(), out: new PassThrough() }
const agent = { in: new PassThrough(), out: new PassThrough() }
const stream = ({ out, in: into }) => acp.ndJsonStream(Writable.toWeb(out), Readable.toWeb(into))
const { client: ofEditor, agent: ofAgent } = acp.methods

const hooks = await createHooks({
  config: fileURLToPath(new URL('hookline.yaml', import.meta.url)),
  rules: [
    {
      deny: { tool: 'shell', where: { command: { matches: '^refund \\d{4,}' } } },
      because: 'Nobody refunds more than 1000 here.',
    },
  ],
})
const guard = await guardAcp({
  hooks,
  toAgent: lineLink(agent.out, agent.in),
  toEditor: lineLink(editor.in, editor.out),
})

/** An agent without a model: it reads its notes and pays, with the files and terminals of the editor. */
acp
  .agent({ name: 'clerk' })
  .onRequest(ofAgent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(ofAgent.session.new, () => ({ sessionId: 'desk' }))
  .onRequest(ofAgent.session.prompt, async ({ client, params: { sessionId } }) => {
    const results = []
    for (const { tool, input } of script) {
      const work =
        tool === 'refund'
          ? client
              .createTerminal({ sessionId, command: 'refund', args: [String(input.amount)] })
              .then((terminal) => terminal.currentOutput())
              .then(({ output }) => output)
          : client.request(ofEditor.fs.readTextFile, { sessionId, path: '/notes' }).then(({ content }) => content)
      results.push(await work.catch(({ message }) => message))
    }
    return { stopReason: 'end_turn', _meta: { results } }
  })
  .connect(stream(agent))

const terminals = new Map()
const { agent: clerk } = acp
  .client({ name: 'editor' })
  .onRequest(ofEditor.fs.readTextFile, async () => ({ content: await readNotes() }))
  .onRequest(ofEditor.terminal.create, async ({ params }) => {
    const terminalId = `terminal-${terminals.size + 1}`
    terminals.set(terminalId, await refund({ amount: Number(params.args[0]) }))
    return { terminalId }
  })
  .onRequest(ofEditor.terminal.output, ({ params }) => ({
    ...{ output: terminals.get(params.terminalId), truncated: false, exitStatus: { exitCode: 0 } },
  }))
  .connect(stream({ in: editor.out, out: editor.in }))

await clerk.request(ofAgent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} })
const { sessionId } = await clerk.request(ofAgent.session.new, { cwd: process.cwd(), mcpServers: [] })
const prompt = [{ type: 'text', text: 'Settle the complaint.' }]
const { _meta } = await clerk.request(ofAgent.session.prompt, { sessionId, prompt })
show(_meta.results)
await guard.close()
await hooks.close()
