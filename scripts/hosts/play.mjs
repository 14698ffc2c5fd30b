import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModel } from './model.mjs'

const prompt = 'Do what the scripted test says.'

/** One run of an agent in a home and a project of its own, with Hookline installed as the case says. What became of it. */
export async function play({ agent, cache, frozen, test }) {
  const place = mkdtempSync(join(tmpdir(), 'hookline-hosts-'))
  const made = Object.fromEntries(['home', 'project', 'tmp', 'bin'].map((name) => [name, join(place, name)]))
  for (const directory of Object.values(made)) mkdirSync(directory)
  const { home, project, tmp, bin } = made
  // A Node of its own, so that it can go away.
  const node = join(bin, 'node')
  copyFileSync(process.execPath, node)
  writeFileSync(join(project, 'README.md'), '# A project\n')
  execFileSync('git', ['init', '-q', project], { env: { PATH: process.env.PATH, HOME: home } })
  const tools = { ...agent, path: (name) => join(project, name) }
  const turns = test.turns?.(tools) ?? [{ calls: [agent.run('echo MARK > made.txt')] }]
  const model = await startModel(turns, agent.shell)
  const token = 'a token of this test'
  const env = {
    ...{ HOME: home, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, TMPDIR: tmp, TERM: 'dumb', NO_COLOR: '1' },
    ...{ LANG: 'C.UTF-8', CI: '1', SHELL: '/bin/sh', USER: 'tester' },
  }
  const where = { home, project, url: model.url, cache, prompt, node }
  const hookline = (...words) =>
    spawnSync(node, [join(frozen, 'bin/hookline.js'), ...words], {
      cwd: project,
      env: { ...env, HOOKLINE_APPROVE_TOKEN: token },
      encoding: 'utf8',
      timeout: 90_000,
    })
  const data = join(home, '.local/share/hookline')
  const state = join(home, '.local/state/hookline')
  const script = (id) => join(home, '.config/hookline', `${id}.sh`)
  const start = (args) => [
    ...(agent.script ? [process.execPath, join(cache, agent.script)] : [join(cache, agent.program)]),
    ...args,
  ]
  const own = { ...env, ...agent.env?.(where) }
  try {
    await agent.prepare?.(where)
    if (agent.first) await run(start(agent.first(where)), { cwd: project, env: own }, 30_000)
    mkdirSync(join(home, '.config/hookline'), { recursive: true })
    mkdirSync(state, { recursive: true, mode: 0o700 })
    writeFileSync(join(state, 'approve-token'), createHash('sha256').update(token).digest('hex'), { mode: 0o600 })
    for (const { id, script: text = 'exit 0', event } of test.hooks ?? [])
      writeFileSync(script(id), about(event, text), { mode: 0o755 })
    writeFileSync(join(home, '.config/hookline/hooks.yaml'), config(test, script))
    if (test.project) writeFileSync(join(project, 'hookline.yaml'), config(test.project, script))
    const installed = hookline('install', agent.host, '--user', '--yes', ...(agent.install ?? []))
    if (installed.status !== 0) return { problem: `install: ${installed.stdout}${installed.stderr}` }
    if (test.approve !== false) {
      const approved = hookline('approve', '--all', '--yes')
      if (approved.status !== 0) return { problem: `approve: ${approved.stdout}${approved.stderr}` }
    }
    test.break?.({ ...where, data, state, hookline, script })
    const begin = Date.now()
    const ended = await run(start(agent.args(where)), { cwd: project, env: { ...own, ...test.env?.(where) } }, 170_000)
    const files = readdirSync(project)
    return { files, heard: model.heard(), ms: Date.now() - begin, ...ended }
  } finally {
    if (existsSync(`${node}.gone`)) copyFileSync(`${node}.gone`, node)
    if (existsSync(node)) hookline('daemon', 'stop')
    model.close()
    remove(place)
  }
}

/** What an agent leaves behind may still be writing there. */
function remove(place) {
  try {
    rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  } catch {}
}

/** A hook about calls does what it does only when the call is about the guarded file. */
const about = (event, text) =>
  event === 'pre_tool_use'
    ? `#!/bin/sh\ninput=$(cat)\ncase $input in *made.txt*) ;; *) exit 0 ;; esac\n${text}\n`
    : `#!/bin/sh\n${text}\n`

function config({ rules = [], hooks = [] }, script) {
  const entries = hooks.map(({ id, event, timeout = '10s', command }) => ({
    ...{ id, event, timeout, run: { type: 'command', command: command ?? script(id) } },
  }))
  return JSON.stringify({ version: 1, rules, hooks: entries })
}

/** Ends what takes too long, and everything that it has started. */
function run([program, ...args], options, patience) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let said = ''
    let isLate = false
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (said += chunk))
    const endAll = () => {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {}
    }
    const timer = setTimeout(() => {
      isLate = true
      endAll()
    }, patience)
    const end = (exit) => {
      clearTimeout(timer)
      endAll()
      resolve({ exit, said, isLate })
    }
    child.on('error', (error) => {
      said += String(error)
      end(null)
    })
    child.on('exit', end)
  })
}

/** A copy of what is built, so that building it again changes nothing under a run. */
export function freeze(root) {
  const frozen = mkdtempSync(join(tmpdir(), 'hookline-frozen-'))
  for (const part of ['bin', 'dist', 'schema', 'shims', 'client', 'package.json'])
    if (existsSync(join(root, 'packages/hookline', part)))
      cpSync(join(root, 'packages/hookline', part), join(frozen, part), { recursive: true })
  return frozen
}
