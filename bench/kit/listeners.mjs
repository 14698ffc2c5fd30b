/** Many streams in a process of its own, so that reading them costs the server nothing but the processor. */
import { Agent, get } from 'node:http'

const { url, token, count, expected } = JSON.parse(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
const delays = []
let [open, done, wrong] = [0, 0, 0]

for (let stream = 0; stream < count; stream++) {
  const headers = { authorization: `Bearer ${token}` }
  get(`${url}/api/events?types=decision`, { agent, headers }, (response) => {
    if (++open === count) process.send({ open })
    let [rest, seen, before] = ['', 0, 0]
    response.setEncoding('latin1')
    response.on('data', (chunk) => {
      const text = rest + chunk
      const last = text.lastIndexOf('\n\n')
      const end = last === -1 ? 0 : last + 2
      const now = Date.now()
      // Only what is there whole: a line that begins right behind it belongs to the next chunk.
      for (let at = text.indexOf('id: '); at !== -1 && at < end; at = nextLine(text, at)) {
        const from = at + 4
        const id = Number(text.slice(from, text.indexOf('\n', from)))
        if (id <= before) wrong++
        before = id
        seen++
        // Of every stream in turn: one message in a hundred is enough to know how long they take.
        if ((seen + stream) % 100 === 0)
          delays.push(now - Date.parse(/"time":"([^"]+)"/.exec(text.slice(from, from + 400))[1]))
      }
      rest = text.slice(end)
      if (seen >= expected && seen - expected < 1 && ++done === count) {
        delays.sort((one, other) => one - other)
        const share = (part) => delays[Math.min(delays.length - 1, Math.floor(delays.length * part))]
        process.send({ done, wrong, p50: share(0.5), p99: share(0.99), most: delays.at(-1) })
      }
    })
  }).on('error', (error) => process.send({ error: error.message }))
}

function nextLine(text, at) {
  const found = text.indexOf('\nid: ', at)
  return found === -1 ? -1 : found + 1
}
