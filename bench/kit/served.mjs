import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openJournal } from 'hookline/internal'

const cli = fileURLToPath(new URL('../../packages/hookline/bin/hookline.js', import.meta.url))

/** A machine of its own for a server: nothing of whoever measures is read or changed. */
export function place() {
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  const env = { ...process.env, HOME: root, NO_COLOR: '1' }
  for (const name of ['CONFIG', 'STATE', 'DATA', 'CACHE']) env[`XDG_${name}_HOME`] = join(root, name)
  return {
    root,
    env,
    journal: join(root, 'journal.jsonl'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** `hookline serve`, until it says where it is. */
export async function serve({ root, env, journal }, database = 'index.db') {
  const args = [
    cli,
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--json',
    '--journal',
    journal,
    '--database',
    join(root, database),
  ]
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise((resolve) => child.on('exit', resolve))
  const [line] = await Promise.race([
    new Promise((resolve) => createInterface({ input: child.stdout }).once('line', (text) => resolve([text]))),
    gone.then((exit) => Promise.reject(new Error(`hookline serve ended with ${exit}`))),
  ])
  const { url, sign_in: signIn, token } = JSON.parse(line)
  const get = async (path) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`${path} answered with ${response.status}`)
    return response
  }
  return {
    ...{ url, signIn, token, get, pid: child.pid },
    json: async (path) => (await get(path)).json(),
    async indexed(count) {
      while ((await (await get('/api/journal')).json()).entries < count) await pause(200)
    },
    async memory() {
      return Number(/^hookline_resident_bytes (\d+)$/m.exec(await (await get('/metrics')).text())[1])
    },
    /** At once: nothing is finished. */
    kill() {
      child.kill('SIGKILL')
      return gone
    },
    end() {
      child.kill('SIGTERM')
      return gone
    },
  }
}

const programs = [
  'npm test',
  'git status',
  'ls -la src',
  'cat package.json',
  'cargo build --release',
  'rg TODO',
  'docker compose up',
]
const hosts = ['claude-code', 'codex', 'gemini', 'opencode']

/** What a call of an agent leaves in the journal; every tenth is blocked. */
export function entryNumber(number) {
  const denied = number % 10 === 0
  const command = denied
    ? `git push --force origin branch-${number}`
    : `${programs[number % programs.length]} step-${number}`
  const decision = { ruling: 'deny', reason: 'Force pushes are off limits here.' }
  const project = `/srv/project-${number % 50}`
  return {
    ...{
      time: new Date().toISOString(),
      event: 'pre_tool_use',
      dispatch: randomUUID(),
      generation: 1,
      synthetic: false,
    },
    ...{
      session_id: `session-${number % 1_000}`,
      tool_name: 'shell',
      host: { name: hosts[number % hosts.length] },
      project,
    },
    ...{
      outcome: denied ? 'deny' : 'no-opinion',
      duration_ms: 2,
      notes: [],
      ...(denied && { decision, rules: ['no-force'] }),
    },
    hooks: [
      {
        ...{
          id: 'rules',
          stage: 0,
          asked: true,
          outcome: denied ? 'deny' : 'no-opinion',
          duration_ms: 1.5,
          definition: 'x',
        },
        ...(denied && { opinion: { decision }, rules: ['no-force'] }),
      },
    ],
    payload: { cwd: project, tool_name: 'shell', tool_input: { command }, session_id: `session-${number % 1_000}` },
  }
}

/** Writes so many entries, as fast as it goes. */
export async function fill(file, count, from = 0) {
  const journal = await openJournal({ file, record: 'all', redact: (value) => value, maxBytes: 8 * 1024 ** 3 })
  for (let at = from; at < from + count; at++) {
    const written = journal.append(entryNumber(at))
    if (at % 1_000 === 0) await written
  }
  await journal.close()
}
