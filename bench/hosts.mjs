import { spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agents } from '../scripts/hosts/agents.mjs'
import { startModel } from '../scripts/hosts/model.mjs'
import { makePlace, succeed } from '../scripts/hosts/place.mjs'
import { freeze } from '../scripts/hosts/play.mjs'
import { summarise } from './kit/measure.mjs'
import { atMost, ratioRow, skipped } from './kit/row.mjs'

const measured = ['claude', 'codex', 'gemini', 'grok']
const cache = process.env.HOOKLINE_HOSTS ?? join(homedir() ?? tmpdir(), '.cache/hookline-hosts')
const root = fileURLToPath(new URL('..', import.meta.url))
const bar = atMost(1.2)
const whatOf = (name) => `a tool call inside ${name} with Hookline ÷ with a \`sh\` hook at the same events`

/**
 * Real agents (what `npm run test:hosts` fetches), which run `true` again and again, because a scripted model says so. From one
 * request of the agent to its next is one tool call, with all that stands around it. Beside it the same agent with the same
 * entries, behind which a shell script reads the event and answers `{}`: what people write by hand.
 */
export default async function ({ quick }) {
  const frozen = freeze(root)
  try {
    const rows = []
    for (const name of measured) rows.push(await measure(name, frozen, quick))
    return rows
  } finally {
    rmSync(frozen, { recursive: true, force: true })
  }
}

async function measure(name, frozen, quick) {
  const agent = agents[name]
  if (!existsSync(join(cache, agent.script ?? agent.program)))
    return skipped(whatOf(name), 'the agent is not there: `npm run test:hosts` fetches it', bar)
  const times = { hookline: [], script: [] }
  // In turn, so that a busy machine slows both.
  for (let round = 0; round < (quick ? 1 : 3); round++)
    for (const kind of Object.keys(times)) times[kind].push(...(await oneRun(agent, frozen, kind, quick ? 10 : 20)))
  const [ours, other] = [summarise(times.hookline), summarise(times.script)]
  return ratioRow({ what: whatOf(name), ours, other, name: 'sh hook', bar, note: `version ${agent.version}` })
}

const warmUp = 3

/** Milliseconds of each call. */
async function oneRun(agent, frozen, kind, calls) {
  const place = makePlace({ agent, cache, frozen })
  const asked = []
  const before = () => void asked.push(performance.now())
  // Each another one: agents end what repeats itself.
  const turns = Array.from({ length: calls + warmUp }, (_, at) => ({ calls: [agent.run(`true ${at}`)], before }))
  const model = await startModel([...turns, { text: 'done', before }], agent.shell)
  const where = { ...place, url: model.url, prompt: 'Do what the scripted test says.' }
  try {
    await agent.prepare?.(where)
    succeed(place.hookline('install', agent.host, '--user', '--yes', ...(agent.install ?? [])))
    place.configure({ rules: [{ deny: { run: 'git push --force' } }] })
    const entry = join(place.data, 'bin/hookline-hook')
    if (kind === 'script') {
      rmSync(entry)
      writeFileSync(entry, '#!/bin/sh\ncat >/dev/null\nprintf "{}"\n', { mode: 0o755 })
    } else place.startDaemon()
    const program = agent.script ? [process.execPath, join(cache, agent.script)] : [join(cache, agent.program)]
    const said = await ended([...program, ...agent.args(where)], {
      cwd: place.project,
      env: { ...place.env, ...agent.env?.(where) },
    })
    if (asked.length < calls + warmUp)
      throw new Error(`${agent.host} ended after ${asked.length} calls: ${said.slice(-500)}`)
    return asked
      .slice(1)
      .map((time, at) => time - asked[at])
      .slice(warmUp)
  } finally {
    model.close()
    place.remove()
  }
}

/** What it printed. Ends it, and what it has started, when it takes too long. */
function ended([program, ...args], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (said += chunk))
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 180_000)
    child.on('error', reject)
    child.on('exit', () => {
      clearTimeout(timer)
      resolve(said)
    })
  })
}
