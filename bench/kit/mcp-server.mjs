/** The smallest MCP server: one tool, which answers at once. */
import { createInterface } from 'node:readline'

const tool = { name: 'look_up', description: 'Looks up an order.', inputSchema: { type: 'object' } }
const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'Order 1042 was shipped on 9 March by courier.' }] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.() ?? {} })}\n`)
})
