import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { interleave, summarise } from './kit/measure.mjs'
import { atMost, number, ratioRow, row, time } from './kit/row.mjs'
import { bareSpawn } from './kit/spawn.mjs'

const cli = fileURLToPath(new URL('../packages/hookline/bin/hookline.js', import.meta.url))
const guard = `version: 1
hooks:
  - { id: guard, event: pre_tool_use, run: { type: builtin, name: security_guard } }
`
const rules = Array.from({ length: 200 }, (_, at) => `  - deny: { run: program${at} --option-${at} }\n`).join('')
const hooks = Array.from(
  { length: 49 },
  (_, at) =>
    `  - { id: h${at}, event: pre_tool_use, matcher: { tool: tool_${at} }, run: { type: builtin, name: safer_shell } }\n`,
).join('')

/**
 * What an agent runs, as `hookline install claude` has written it, through `sh -c`: the thin client, the daemon, one
 * builtin guard, and the journal. Beside it the floor (a shell that does nothing) and a Node that does nothing.
 */
export default async function ({ quick }) {
  const root = mkdtempSync(join(tmpdir(), 'hookline-bench-'))
  const { PATH } = process.env
  const env = { PATH, HOME: join(root, 'home') }
  const place = (name, config) => {
    mkdirSync(join(root, name), { recursive: true })
    if (config) writeFileSync(join(root, name, 'hookline.yaml'), config)
    return join(root, name)
  }
  place('home')
  const one = place('one', guard)
  const many = place('many', `${guard}${hooks}rules:\n${rules}`)
  const hookline = (...args) => execFileSync(process.execPath, [cli, ...args], { cwd: one, env })
  hookline('install', 'claude', '--yes')
  const settings = JSON.parse(readFileSync(join(root, 'home/.claude/settings.json'), 'utf8'))
  const [{ command: line }] = settings.hooks.PreToolUse[0].hooks
  const program = /^program (.*)$/m.exec(
    readFileSync(join(root, 'home/.local/share/hookline/bin/hookline-hook.table'), 'utf8'),
  )[1]
  const payload = (cwd) =>
    JSON.stringify({
      ...{ session_id: 's', cwd, hook_event_name: 'PreToolUse', permission_mode: 'default' },
      ...{ tool_name: 'Bash', tool_input: { command: 'rm -rf /' } },
    })
  const run = async (file, args, cwd, input = '') => {
    const { exit, stdout, stderr } = await bareSpawn(file, args, input, { cwd, env })
    if (input && (exit !== 0 || !stdout.includes('"deny"'))) throw new Error(`it said ${stdout}${stderr}`)
  }
  const call = (cwd) => () => run('/bin/sh', ['-c', line], cwd, payload(cwd))
  const dispatch = () => run(process.execPath, [program, 'dispatch', '--host', 'claude'], one, payload(one))
  const first = async () => {
    await stopped()
    const started = performance.now()
    await call(one)()
    return performance.now() - started
  }
  const stopped = async () => {
    try {
      process.kill(JSON.parse(hookline('daemon', 'status', '--json')).pid)
    } catch {
      // None runs.
    }
    await pause(200)
  }
  try {
    const { shell, node, guarded, configured } = await interleave(
      {
        shell: () => run('/bin/sh', ['-c', ':'], one),
        node: () => run(process.execPath, ['-e', '0'], one),
        guarded: call(one),
        configured: call(many),
      },
      { rounds: quick ? 60 : 400, warmUp: 30 },
    )
    const crowd = await crowded(call(one), quick ? 2 : 10)
    for (let at = 0; at < 20; at++) for (let turn = 0; turn < 10; turn++) await call(place(`project${at}`, guard))()
    const { rssBytes } = JSON.parse(hookline('daemon', 'status', '--json'))
    const firsts = { first: [], own: [] }
    for (let at = 0; at < (quick ? 3 : 10); at++) {
      firsts.first.push(await first())
      const started = performance.now()
      await dispatch()
      firsts.own.push(performance.now() - started)
    }
    const [opening, own] = [summarise(firsts.first), summarise(firsts.own)]
    const what = 'an agent’s call through client and daemon, with a builtin guard and the journal'
    return [
      ratioRow({ what: `${what} ÷ \`sh -c :\``, ours: guarded, other: shell, name: 'sh -c :', bar: atMost(2.5) }),
      ratioRow({
        what: 'the same ÷ bare `node -e 0`',
        ours: guarded,
        other: node,
        name: 'node -e 0',
        bar: atMost(0.12),
      }),
      ratioRow({
        what: 'the same with 200 rules and 50 hooks ÷ with one hook',
        ...{ ours: configured, other: guarded, name: 'one hook', bar: atMost(1.2) },
      }),
      row({
        what: '200 calls a second from 20 clients at once, p99 ÷ p50',
        ...{ ours: time(crowd), ratio: crowd.p99 / crowd.p50, value: crowd.p99 / crowd.p50, bar: atMost(5) },
        note: `${crowd.count} calls, none lost; p99 ${number(crowd.p99)} ms`,
      }),
      row({
        what: 'memory of the daemon with 22 projects, after all these calls',
        ...{ ours: `${number(rssBytes / 1e6)} MB`, value: rssBytes / 1e6, bar: atMost(120, ' MB') },
      }),
      ratioRow({
        what: 'the first call of the day, which starts the daemon ÷ `node … dispatch`',
        ...{ ours: opening, other: own, name: 'node … dispatch', bar: atMost(1.5) },
      }),
    ]
  } finally {
    await stopped()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** Twenty callers, each ten times a second. Whatever fails throws. */
async function crowded(call, seconds) {
  const times = []
  const caller = async (at) => {
    await pause(at * 5)
    for (let turn = 0; turn < seconds * 10; turn++) {
      const started = performance.now()
      await call()
      const elapsed = performance.now() - started
      times.push(elapsed)
      await pause(Math.max(0, 100 - elapsed))
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, at) => caller(at)))
  return summarise(times)
}
