import { execFileSync, spawn } from 'node:child_process'
import { createPublicKey, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newKey } from 'hookline/internal'
import { summarise } from './kit/measure.mjs'
import { atMost, number, row } from './kit/row.mjs'

const cli = fileURLToPath(new URL('../packages/hookline/bin/hookline.js', import.meta.url))

/**
 * A policy is published while so many machines wait for one, each with its own key, pass and connection, all of them in this
 * process. A machine has it when it has fetched all of it: timestamp, snapshot, targets and the rules. All have joined before the
 * server was started: two thousand that join in one minute are another thing.
 */
export default async function ({ quick }) {
  const machines = quick ? 500 : 2_000
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  const policy = join(root, 'policy')
  const env = { PATH: process.env.PATH, HOME: join(root, 'home') }
  const hookline = (...args) => execFileSync(process.execPath, [cli, ...args, '--dir', policy], { env })
  hookline('policy', 'init', '--no-passphrase')
  hookline('policy', 'sign')
  hookline('policy', 'publish')
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let server
  try {
    const keys = await joinedBy(await serve(), machines, agent)
    await stop(server)
    const { url, admin } = await serve()
    const fleet = await fifties(keys, (each) => admitted(url, each, agent))
    // Signed before anybody waits: only publishing is measured.
    writeFileSync(join(policy, 'default/hookline.yaml'), 'version: 1\nrules:\n  - deny: { run: fly }\n')
    hookline('policy', 'sign')
    const { etag } = (await got(url, '/policy/timestamp.json', fleet[0])).headers
    const fetched = fleet.map((machine) => whole(url, machine, etag))
    while ((await waiting(url, admin)) < machines) await new Promise((done) => setTimeout(done, 100))
    const child = spawn(process.execPath, [cli, 'policy', 'publish', '--dir', policy], { env, stdio: 'ignore' })
    await once(child, 'exit')
    const times = await Promise.all(fetched)
    // When it got its name: it was written before, and the disk may have taken its time.
    const published = statSync(join(policy, 'repository/timestamp.json')).ctimeMs
    const taken = summarise(times.map((time) => time - published))
    const rss = Number(/^hookline_resident_bytes (\S+)/m.exec(await metrics(url, admin))[1]) / 1e6
    const last = Math.max(...times) - published
    return [
      row({
        what: `a new policy to ${number(machines)} waiting machines, until the last one has all of it`,
        ...{ ours: `${number(last / 1000)} s`, value: last / 1000, bar: atMost(5, ' s') },
        note: `p50 ${number(taken.p50 / 1000)} s; five requests each`,
      }),
      row({
        what: `memory of the server after that`,
        ...{ ours: `${number(rss)} MB`, value: rss, bar: atMost(200, ' MB') },
      }),
    ]
  } finally {
    await stop(server)
    agent.destroy()
    rmSync(root, { recursive: true, force: true })
  }

  async function serve() {
    const args = [cli, 'serve', '--listen', '127.0.0.1:0', '--json', '--policy', policy]
    server = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const [first] = await once(server.stdout, 'data')
    const { url, token } = JSON.parse(String(first))
    return { url, admin: { authorization: `Bearer ${token}` } }
  }
}

async function stop(server) {
  if (!server?.kill()) return
  await once(server, 'exit')
}

/** The keys of so many machines, which the server knows then. */
async function joinedBy({ url, admin }, count, agent) {
  const { secret } = await posted(url, '/api/enrolments', { uses: count }, { agent, headers: admin })
  return fifties(Array.from({ length: count }), async () => {
    const privateKey = newKey()
    const { kty, crv, x } = createPublicKey(privateKey).export({ format: 'jwk' })
    const proof = jwt(privateKey, { jwk: { kty, crv, x } }, { aud: url })
    const { id } = await posted(url, '/api/machines', { token: secret, proof, name: 'm', version: '1' }, { agent })
    return { id, privateKey }
  })
}

async function fifties(all, work) {
  const results = []
  for (let at = 0; at < all.length; at += 50)
    results.push(...(await Promise.all(all.slice(at, at + 50).map((each) => work(each)))))
  return results
}

/** One machine, with a connection of its own. */
async function admitted(url, { id, privateKey }, agent) {
  const own = jwt(privateKey, { kid: id }, { iss: id, aud: url })
  const { token } = await posted(url, '/api/machines/pass', { proof: own }, { agent })
  return { agent: new Agent({ keepAlive: true, maxSockets: 1 }), headers: { authorization: `Bearer ${token}` } }
}

/** When it has the new policy. */
async function whole(url, machine, etag) {
  const headers = { ...machine.headers, 'if-none-match': etag, prefer: 'wait=120' }
  let news = ''
  // Without a body, nothing was new for as long as the server waits.
  while (news === '') news = (await got(url, '/policy/timestamp.json', { ...machine, headers })).body
  const { signed: timestamp } = JSON.parse(news)
  const { version } = timestamp.meta['snapshot.json']
  const { signed: snapshot } = JSON.parse((await got(url, `/policy/${version}.snapshot.json`, machine)).body)
  const { version: of } = snapshot.meta['targets.json']
  const { signed: targets } = JSON.parse((await got(url, `/policy/${of}.targets.json`, machine)).body)
  const { sha256 } = targets.targets['default/hookline.yaml'].hashes
  const { body } = await got(url, `/policy/targets/default/${sha256}.hookline.yaml`, machine)
  if (!body.includes('fly')) throw new Error('it is another policy')
  const now = Date.now()
  machine.agent.destroy()
  return now
}

/** The server is ready when it knows all that wait; each look is one request. */
async function waiting(url, headers) {
  return Number(/^hookline_policy_waiting (\S+)/m.exec(await metrics(url, headers))[1])
}

const metrics = async (url, headers) => (await got(url, '/metrics', { headers })).body

function got(url, path, { agent, headers }, { method = 'GET', body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      // Without a listener, an answer that breaks off ends nothing, and everything waits for it.
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode < 400
          ? resolve({ headers: response.headers, body: text })
          : reject(new Error(`${path}: ${response.statusCode} ${text}`)),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function posted(url, path, body, { agent, headers = {} }) {
  const type = { 'content-type': 'application/json' }
  const given = { agent, headers: { ...headers, ...type } }
  return JSON.parse((await got(url, path, given, { method: 'POST', body: JSON.stringify(body) })).body)
}

function jwt(key, header, claims) {
  const at = Math.floor(Date.now() / 1000)
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const said = `${part({ alg: 'EdDSA', ...header })}.${part({ iat: at, exp: at + 60, jti: randomUUID(), ...claims })}`
  return `${said}.${sign(null, Buffer.from(said), key).toString('base64url')}`
}
