import { readFileSync } from 'node:fs'
import { createConnections, guardedFetch } from '../dist/internal.js'

/**
 * Sends one request of a script (`core.http_client` of Starchild): JSON on standard input, the answer as JSON on standard output. Only to
 * the hosts below and those of HOOKLINE_HTTP_ALLOW; to this machine only where that variable names the whole origin.
 */
const known = ['openrouter.ai', 'api.openai.com', 'api.anthropic.com', 'generativelanguage.googleapis.com']
const allowed = (process.env.HOOKLINE_HTTP_ALLOW ?? '')
  .split(',')
  .map((each) => each.trim())
  .filter(Boolean)

const { method, url, headers, body, timeout } = JSON.parse(readFileSync(0, 'utf8'))
const target = new URL(url)
const isNamed = allowed.includes(target.origin)
if (!isNamed && !known.includes(target.hostname) && !allowed.includes(target.hostname))
  refuse(`${target.hostname} is not a host that hooks may reach. Name it in HOOKLINE_HTTP_ALLOW if it should be.`)
if (!isNamed && target.protocol !== 'https:') refuse('Only https is sent.')

// Where Starchild's proxy adds the key, the key of the person is added.
const isKeyless =
  target.hostname === 'openrouter.ai' && !Object.keys(headers).some((name) => /^authorization$/i.test(name))
const key =
  isKeyless && process.env.OPENROUTER_API_KEY ? { authorization: `Bearer ${process.env.OPENROUTER_API_KEY}` } : {}

const connections = createConnections()
try {
  const fetch = guardedFetch({ connections, allowLocal: isNamed, limit: 4 * 1024 * 1024 })
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...key },
    ...(body === null ? {} : { body }),
    signal: AbortSignal.timeout(timeout * 1000),
  })
  const text = await answer.text()
  process.stdout.write(
    JSON.stringify({ status: answer.status, headers: Object.fromEntries(answer.headers), body: text }),
  )
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error))
} finally {
  connections.close()
}

function refuse(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
