/** A server in a process of its own that answers every POST, as a decision service and as a chat model. */
import { createServer } from 'node:http'

const decision = '{"decision":"allow"}'
const chat = JSON.stringify({
  id: 'chat-1',
  object: 'chat.completion',
  created: 1,
  model: 'stub',
  choices: [{ index: 0, message: { role: 'assistant', content: decision }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.url === '/decide' ? decision : chat)
  })
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('disconnect', () => process.exit())
