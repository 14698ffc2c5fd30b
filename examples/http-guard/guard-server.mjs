import { createServer } from 'node:http'

/** A guard that many agents could share. */
createServer((request, response) => {
  request.resume().on('end', () => {
    const answer = { decision: 'block', reason: 'Private keys stay here.' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
}).listen(4272, '127.0.0.1', () => console.log('ready'))
