import { createServer } from 'node:http'

/** Stands for a model: answers in OpenAI's protocol, and thinks in one line. */
createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const decision = body.includes('--force')
      ? { decision: 'deny', reason: 'A forced push rewrites what others have.' }
      : { decision: 'allow', reason: 'Harmless.' }
    const message = { role: 'assistant', content: JSON.stringify(decision) }
    const answer = {
      id: '1',
      object: 'chat.completion',
      created: 0,
      model: 'small',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
}).listen(4271, '127.0.0.1', () => console.log('ready'))
