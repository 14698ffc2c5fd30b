import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const token = 'a token of this test'

/** A home and a project of their own, for one run of an agent, and what the cases do there. */
export function makePlace({ agent, cache, frozen }) {
  const root = mkdtempSync(join(tmpdir(), 'hookline-hosts-'))
  const made = Object.fromEntries(['home', 'project', 'tmp', 'bin'].map((name) => [name, join(root, name)]))
  for (const directory of Object.values(made)) mkdirSync(directory)
  const { home, project, tmp, bin } = made
  // A Node of its own, so that it can go away.
  const node = join(bin, 'node')
  copyFileSync(process.execPath, node)
  writeFileSync(join(project, 'README.md'), '# A project\n')
  execFileSync('git', ['init', '-q', project], { env: { PATH: process.env.PATH, HOME: home } })
  const env = {
    ...{ HOME: home, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, TMPDIR: tmp, TERM: 'dumb', NO_COLOR: '1' },
    ...{ LANG: 'C.UTF-8', CI: '1', SHELL: '/bin/sh', USER: 'tester' },
  }
  const data = join(home, '.local/share/hookline')
  const state = join(home, '.local/state/hookline')
  const configs = join(home, '.config/hookline')
  const run = (words) =>
    spawnSync(existsSync(node) ? node : process.execPath, words, {
      ...{ cwd: project, encoding: 'utf8', timeout: 90_000 },
      env: { ...env, HOOKLINE_APPROVE_TOKEN: token },
    })
  const hookline = (...words) => run([join(frozen, 'bin/hookline.js'), ...words])
  const script = (id) => join(configs, `${id}.sh`)
  mkdirSync(configs, { recursive: true })
  mkdirSync(state, { recursive: true, mode: 0o700 })
  writeFileSync(join(state, 'approve-token'), createHash('sha256').update(token).digest('hex'), { mode: 0o600 })

  /** Writes the user's config, and approves what is in it. Gives back what makes it as it was. */
  function configure(wanted, { approve = true } = {}) {
    const file = join(configs, 'hooks.yaml')
    const before = existsSync(file) ? readFileSync(file) : undefined
    for (const { id, script: text } of wanted.hooks ?? [])
      writeFileSync(script(id), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    writeFileSync(file, configText(wanted, script))
    if (approve) succeed(hookline('approve', '--all', '--yes'))
    return () => before && writeFileSync(file, before)
  }

  /** The process of a daemon that listens. */
  function startDaemon() {
    const entry = join(data, 'bin/hookline-hook')
    const payload = JSON.stringify({ session_id: 'warm', cwd: project })
    spawnSync(entry, [agent.host, 'session_start'], { cwd: project, env, input: payload, timeout: 60_000 })
    const { pid } = JSON.parse(hookline('daemon', 'status', '--json').stdout || 'null') ?? {}
    if (!pid) throw new Error('no daemon has started')
    return pid
  }

  function remove() {
    if (existsSync(data)) hookline('daemon', 'stop')
    try {
      // What an agent leaves behind may still be writing there.
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    } catch {}
  }
  return { ...made, root, cache, node, env, data, state, hookline, script, configure, startDaemon, remove }
}

export function configText({ rules = [], hooks = [] }, script) {
  const entries = hooks.map(({ id, event, command }) => ({
    ...{ id, event, timeout: '5s', run: { type: 'command', command: command ?? script(id) } },
  }))
  return JSON.stringify({ version: 1, rules, hooks: entries })
}

export function succeed({ status, stdout, stderr, error }) {
  if (status !== 0) throw new Error(`${stdout}${stderr}${error ?? ''}`.trim() || `exit code ${status}`)
}
