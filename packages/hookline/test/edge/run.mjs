/** The laws of `hookline/edge` in whatever runs this file: `npm run test:bun`. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import * as hookline from '../../dist/edge.js'

const server = createServer((_request, response) => {
  response.end('{"decision":"deny","reason":"The server says no."}')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const suite = new Function(`${readFileSync(new URL('suite.js', import.meta.url), 'utf8')}\nreturn suite`)()
const failed = await suite(hookline, `http://127.0.0.1:${server.address().port}/`)
server.close()
for (const law of failed) console.error(`✗ ${law}`)
const { bun } = process.versions
console.log(failed.length === 0 ? `hookline/edge holds in ${bun ? `Bun ${bun}` : `Node ${process.version}`}.` : '')
process.exit(failed.length === 0 ? 0 : 1)
