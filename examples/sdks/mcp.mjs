import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { guardMcp, lineLink } from '@hookline/mcp'
import { createHooks } from 'hookline'
import { readNotes, refund, script, show } from './shop.mjs'

/** In life both sides are processes: `hookline mcp -- node server.mjs`. Here all is in one, so that you see every part. */
const client = { in: new PassThrough(), out: new PassThrough() }
const server = { in: new PassThrough(), out: new PassThrough() }

const hooks = await createHooks({
  config: fileURLToPath(new URL('hookline.yaml', import.meta.url)),
  rules: [
    {
      deny: { tool: 'mcp__shop__refund', where: { amount: { gt: 1000 } } },
      because: 'Nobody refunds more than 1000 here.',
    },
  ],
})
const guard = await guardMcp({
  hooks,
  server: 'shop',
  toServer: lineLink(server.out, server.in),
  toClient: lineLink(client.in, client.out),
})

serve()
const results = []
await ask('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'agent', version: '1' },
})
for (const { tool, input } of script)
  results.push((await ask('tools/call', { name: tool, arguments: input })).content[0].text)
show(results)
await guard.close()
await hooks.close()

function serve() {
  const tools = { read_notes: readNotes, refund }
  const listed = Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))
  const serverInfo = { name: 'shop', version: '1' }
  createInterface({ input: server.in }).on('line', async (line) => {
    const { id, method, params } = JSON.parse(line)
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
        : method === 'tools/list'
          ? { tools: listed }
          : { content: [{ type: 'text', text: await tools[params.name](params.arguments) }] }
    server.out.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  })
}

async function ask(method, params) {
  const id = `${method}-${results.length}`
  const answer = new Promise((resolve) => {
    client.out.on('data', function read(chunk) {
      for (const line of String(chunk).trim().split('\n')) {
        const message = JSON.parse(line)
        if (message.id !== id) continue
        client.out.off('data', read)
        resolve(message.result)
      }
    })
  })
  client.in.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  return answer
}
