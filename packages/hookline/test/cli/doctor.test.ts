import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { makeToken } from '../../src/trust/index.ts'
import { hookline, startHookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { terminal } from '../support/terminal.ts'

interface Doctored {
  ok: boolean
  summary: Record<string, number>
  hooks: {
    id: string
    proof: string
    summary: string
    asked: { canary: string | null; payload: Record<string, unknown>; outcome: string; exit: number | null }[]
    findings: { severity: string; code: string; message: string; remedy: string }[]
  }[]
}

const yaml = (hooks: readonly unknown[]) => JSON.stringify({ version: 1, hooks })

async function doctor(hooks: readonly object[], args: readonly string[] = ['--trust', 'all'], files = {}, env = {}) {
  const cwd = scratch({ 'rules.yaml': yaml(hooks), ...files })
  const session = await hookline(['doctor', 'rules.yaml', '--json', ...args], '', { cwd, env })
  const json = session.stdout === '' ? undefined : (JSON.parse(session.stdout) as Doctored)
  const of = (id: string) => json!.hooks.find((hook) => hook.id === id)!
  return { ...session, cwd, json: json!, of, codes: (id: string) => of(id).findings.map(({ code }) => code) }
}

const shell = { event: 'pre_tool_use', matcher: { tool: 'shell' } }
const refusesRm = `jq -e '.tool_input.command | startswith("rm ")' >/dev/null && { echo no >&2; exit 2; }; exit 0`
const lendsJq = (command: string) => ({ type: 'command', command, lend_jq: true })

describe('a guard must block its own canary', () => {
  it('ours know theirs, on every event, with every matcher that lets it through', async () => {
    const { exit, json, of, codes } = await doctor([
      { id: 'security', ...shell, run: { type: 'builtin', name: 'security' } },
      {
        id: 'bash',
        event: 'pre_tool_use',
        matcher: { tool: 'Bash' },
        run: { type: 'builtin', name: 'security_guard' },
      },
      { id: 'prompt', event: 'user_prompt_submit', run: { type: 'builtin', name: 'security_guard' } },
      { id: 'keys', event: 'tool_response_transform', run: { type: 'builtin', name: 'redact_secrets' } },
      {
        id: 'tools',
        event: 'pre_tool_use',
        run: { type: 'builtin', name: 'block_tools', args: { tools: ['mcp__*'] } },
      },
      { id: 'rate', event: 'pre_tool_use', run: { type: 'builtin', name: 'rate_limit', args: { limit: 3 } } },
      { id: 'warns', ...shell, run: { type: 'builtin', name: 'security', args: { mode: 'warn' } } },
      { id: 'date', event: 'turn_start', run: { type: 'builtin', name: 'add_date' } },
      {
        id: 'only-git',
        event: 'pre_tool_use',
        matcher: { tool: 'shell', args: { path: '$.command', matches: '^git ' } },
        run: { type: 'builtin', name: 'security' },
      },
    ])
    expect(json.hooks.map(({ id, proof }) => `${id}: ${proof}`)).toEqual([
      'security: proven',
      'bash: proven',
      'prompt: proven',
      'keys: proven',
      'tools: proven',
      'rate: proven',
      'warns: proven',
      'date: answers',
      'only-git: unproven',
    ])
    expect(of('bash').asked.at(-1)).toMatchObject({ canary: expect.any(String), payload: { tool_name: 'Bash' } })
    expect(codes('only-git')).toEqual(['canary-missing'])
    expect(exit).toBe(0)
  })

  it('yours are given in `canary:`, as a payload, as arguments, or as the text alone', async () => {
    const guard = { ...shell, run: lendsJq(refusesRm) }
    const { exit, json } = await doctor([
      { ...guard, id: 'payload', canary: { tool_name: 'shell', tool_input: { command: 'rm x' } } },
      { ...guard, id: 'arguments', canary: { command: 'rm x' } },
      { ...guard, id: 'text', canary: 'rm x', stage: 1 },
      { ...guard, id: 'several', canary: ['rm x', { command: 'rm y' }], stage: 2 },
      { id: 'prompt', event: 'user_prompt_submit', canary: 'a secret', run: `grep -q 'a secret' && exit 2; exit 0` },
    ])
    expect(json.hooks.map(({ proof }) => proof)).toEqual(['proven', 'proven', 'proven', 'proven', 'proven'])
    expect(json.hooks[3]!.asked.map(({ canary }) => canary)).toEqual([null, 'rm x', '{"command":"rm y"}'])
    expect(exit).toBe(0)
  })

  it('one that lets it through fails, and so does the doctor', async () => {
    const { exit, json, of } = await doctor([{ id: 'sleeps', ...shell, canary: 'rm -rf /', run: 'exit 0' }])
    expect({ exit, ok: json.ok }).toEqual({ exit: 1, ok: false })
    expect(of('sleeps')).toMatchObject({ proof: 'failed', findings: [{ severity: 'error', code: 'canary-passed' }] })
  })

  it('a canary that its own matcher keeps away, or that does not fit the event, is an error', async () => {
    const { exit, codes } = await doctor([
      {
        id: 'unseen',
        event: 'pre_tool_use',
        matcher: { tool: 'shell', args: { path: '$.command', matches: '^git push' } },
        canary: { command: 'rm -rf /' },
        run: 'exit 2',
      },
      { id: 'misfit', event: 'pre_tool_use', canary: { tool_name: 7 }, run: 'exit 2' },
      { id: 'odd', event: 'pre_tool_use', canary: 7, run: 'exit 2' },
    ])
    expect(exit).toBe(1)
    expect([codes('unseen'), codes('misfit'), codes('odd')]).toEqual([
      ['canary-unseen'],
      ['canary-invalid'],
      ['canary-invalid'],
    ])
  })

  it('without one, nothing proves it; blocking whatever its matcher accepts is proof enough', async () => {
    const hooks = [
      { id: 'unknown', ...shell, run: 'exit 0' },
      {
        id: 'blocks',
        event: 'pre_tool_use',
        matcher: { tool: 'shell', args: { path: '$.command', matches: '^rm\\s+-(rf|fr)\\b' } },
        run: 'echo no >&2; exit 2',
      },
      { id: 'watcher', event: 'post_tool_use', run: 'exit 0' },
    ]
    const { exit, json, codes } = await doctor(hooks)
    expect(json.hooks.map(({ proof }) => proof)).toEqual(['unproven', 'proven', 'answers'])
    expect(codes('unknown')).toEqual(['canary-missing'])
    expect(exit).toBe(0)
    expect((await doctor(hooks, ['--trust', 'all', '--strict'])).exit).toBe(1)
  })
})

describe('a hook that does not work is found out', () => {
  it.each([
    ['what it prints is no JSON', { run: `echo '{oops'` }, 'hook-failed', /invalid-output/],
    ['its exit code is a failure', { run: 'echo broken >&2; exit 7' }, 'hook-failed', /\(exit\)/],
    ['its program is missing', { run: 'no-such-program --check' }, 'program-missing', /not on PATH/],
    ['its interpreter is missing', { run: './guard.py' }, 'program-missing', /no-such-python/],
    ['it hangs', { run: 'sleep 20', timeout: '300ms' }, 'hook-failed', /time-out/],
    ['it needs most of its time-out', { run: 'sleep 3', timeout: '5s' }, 'hook-slow', /of its time-out of 5 s/],
    [
      'its resident does not speak the protocol',
      { run: { type: 'resident', command: 'echo hello; sleep 5' }, timeout: '1s' },
      'hook-failed',
      /./,
    ],
    ['its sandbox fails', { run: { type: 'sandbox', command: 'exit 3' } }, 'hook-failed', /\(exit\)/],
    [
      'its endpoint does not answer',
      { run: { type: 'http', url: 'http://127.0.0.1:1025/', allow_local: true } },
      'hook-failed',
      /./,
    ],
    [
      'the key of its model is missing',
      { run: { type: 'model', model: 'openai/gpt-5-mini', prompt: 'ok?', schema: 'decision' } },
      'hook-failed',
      /OPENAI_API_KEY/,
    ],
  ])('%s', async (_what, hook, code, words) => {
    const script = { 'guard.py': '#!/usr/bin/env no-such-python\n' }
    const { of } = await doctor([{ id: 'it', ...shell, ...hook }], undefined, script, { OPENAI_API_KEY: '' })
    const found = of('it').findings.find((finding) => finding.code === code)
    expect(found?.message).toMatch(words)
    expect(found?.remedy).not.toBe('')
  })

  it('one that prints text where the answer belongs gets advice where to print it', async () => {
    const { of } = await doctor([{ id: 'it', ...shell, run: 'echo formatted 3 files' }])
    expect(of('it').findings[0]?.remedy).toContain('>&2')
  })

  it('and the consequence is shown: in some systems, a broken guard lets everything through', async () => {
    const crush = JSON.stringify({ hooks: { PreToolUse: [{ command: 'exit 1' }] } })
    const cwd = scratch({ 'crush.json': crush })
    const { exit, stdout } = await hookline(['doctor', 'crush.json', '--trust', 'all'], '', { cwd })
    expect(exit).toBe(1)
    expect(stdout).toContain('it failed (exit), which lets everything through')
    const { of } = await doctor([{ id: 'it', ...shell, run: 'exit 1' }])
    expect(of('it').summary).toBe('it failed (exit), which blocks everything')
  })
})

it('a matcher that can never match, and all hooks switched off, are problems, too', async () => {
  const dead = { hooks: { Stop: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'exit 0' }] }] } }
  const cwd = scratch({ 'settings.json': JSON.stringify(dead) })
  const args = ['doctor', 'settings.json', '--config-dialect', 'claude-code', '--trust', 'all', '--json', '--strict']
  const { exit, stdout } = await hookline(args, '', { cwd })
  expect({ exit, findings: (JSON.parse(stdout) as { findings: { code: string }[] }).findings.length }).toEqual({
    exit: 1,
    findings: 1,
  })
})

describe('how hooks run', () => {
  it('only approved hooks run; the others are reported, and so is one that changed since', async () => {
    const state = scratch()
    mkdirSync(join(state, 'hookline'), { mode: 0o700 })
    const env = { XDG_STATE_HOME: state, HOOKLINE_APPROVE_TOKEN: makeToken(join(state, 'hookline')) }
    const hooks = [
      { id: 'kept', ...shell, run: 'touch kept-ran; exit 2' },
      { id: 'changed', ...shell, run: 'sh ./guard.sh' },
      { id: 'new', ...shell, run: 'touch new-ran' },
    ]
    const cwd = scratch({ 'hookline.yaml': yaml(hooks), 'guard.sh': 'exit 2\n' })
    const approved = await hookline(['approve', 'kept', 'changed', '--yes'], '', { cwd, env })
    expect(approved.exit, approved.stderr).toBe(0)
    appendFileSync(join(cwd, 'guard.sh'), 'touch changed-ran\n')
    const { exit, stdout } = await hookline(['doctor', '--json', '--live'], '', { cwd, env })
    const { hooks: found } = JSON.parse(stdout) as Doctored
    expect(exit).toBe(1)
    expect(found.map(({ proof }) => proof)).toEqual(['proven', 'failed', 'failed'])
    expect(found.map(({ findings }) => findings[0]?.code)).toEqual([undefined, 'hook-changed', 'hook-not-approved'])
    expect(['kept-ran', 'changed-ran', 'new-ran'].map((file) => existsSync(join(cwd, file)))).toEqual([
      true,
      false,
      false,
    ])
  })

  it('they can tell that it is only a trial, and what they keep goes to a scratch directory', async () => {
    const run = 'echo "$HOOKLINE_SYNTHETIC $TMPDIR" > seen'
    const { cwd } = await doctor([{ id: 'it', event: 'turn_start', run }], ['--trust', 'all', '--live'])
    const [synthetic, temporary = ''] = readFileSync(join(cwd, 'seen'), 'utf8').trim().split(' ')
    expect(synthetic).toBe('1')
    expect(temporary).toMatch(/hookline-dry-/)
    expect(existsSync(temporary)).toBe(false)
  })

  it('models are not called unless --models is passed, endpoints are', async () => {
    const requests: string[] = []
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => requests.push(chunk.toString()))
      request.on('end', () => response.end('{"decision":"deny","reason":"no"}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    try {
      const { exit, of } = await doctor([
        { id: 'endpoint', ...shell, run: { type: 'http', url, allow_local: true } },
        {
          id: 'judge',
          ...shell,
          run: { type: 'model', model: 'ollama/llama', base_url: `${url}v1`, prompt: 'ok?', schema: 'decision' },
        },
      ])
      expect(exit).toBe(0)
      expect(of('endpoint').proof).toBe('proven')
      expect(of('judge')).toMatchObject({ proof: 'unproven', asked: [], summary: expect.stringContaining('--models') })
      expect(requests).toHaveLength(1)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  it('only the hooks that are named; an unknown one is met with a suggestion', async () => {
    const hooks = [
      { id: 'one', ...shell, run: 'touch one' },
      { id: 'two', ...shell, run: 'touch two; exit 2' },
    ]
    const { cwd, json } = await doctor(hooks, ['--trust', 'all', '--hook', 'two', '--live'])
    expect(json.hooks.map(({ id }) => id)).toEqual(['two'])
    expect(existsSync(join(cwd, 'one'))).toBe(false)
    const wrong = await doctor(hooks, ['--trust', 'all', '--hook', 'tow'])
    expect(wrong).toMatchObject({ exit: 64, stderr: expect.stringContaining('Did you mean `two`?') })
  })

  it('a disabled hook is off, and does not run', async () => {
    const { exit, of } = await doctor([{ id: 'it', ...shell, enabled: false, run: 'no-such-program' }])
    expect({ exit, proof: of('it').proof, asked: of('it').asked }).toEqual({ exit: 0, proof: 'off', asked: [] })
  })

  it('Ctrl+C ends it, and what it started', async () => {
    const cwd = scratch({ 'hookline.yaml': yaml([{ id: 'it', ...shell, run: 'echo $$ > pid; sleep 60' }]) })
    const { child, ended } = startHookline(['doctor', '--trust', 'all', '--live'], { cwd })
    const file = join(cwd, 'pid')
    while (!existsSync(file) || readFileSync(file, 'utf8').trim() === '') await sleep(20)
    const pid = Number(readFileSync(file, 'utf8'))
    child.kill('SIGINT')
    expect((await ended).exit).toBe(130)
    expect(() => process.kill(pid, 0)).toThrow()
  })
})

it('reads well: a mark for each hook, then what is wrong with what to do', async () => {
  const hooks = [
    { id: 'good', ...shell, run: { type: 'builtin', name: 'security' } },
    { id: 'bad', ...shell, canary: 'rm x', run: 'exit 0' },
  ]
  const cwd = scratch({ 'hookline.yaml': yaml(hooks) })
  const { stdout } = await hookline(['doctor', '--trust', 'all'], '', { cwd })
  expect(stdout).toMatch(/^✔ {2}good {2}pre_tool_use {2}\S+ ms, \S+ % of 30 s {2,}blocked its canary$/m)
  expect(stdout).toMatch(/^✖ {2}bad .*it let its canary through/m)
  expect(stdout).toMatch(
    /error {2}hook "bad": It does not block its canary \(rm x\): it answered no-opinion\. {2}→ .*explain --event pre_tool_use --tool shell --input '\{"command":"rm x"\}' --run/,
  )
  expect(stdout).toMatch(/^✖ 2 hooks: 1 proven, 1 failed\.$/m)
  const untrusted = await hookline(['doctor'], '', {
    cwd: scratch({ 'hookline.yaml': yaml([...hooks, { id: 'worse', ...shell, run: 'exit 1' }]) }),
  })
  expect(untrusted.stdout).toMatch(/^✔ {2}good .*blocked its canary \(holds without approval\)$/m)
  expect(untrusted.stdout).toMatch(/2 hooks did not run, because they are not approved\. {2}→ .*hookline approve/)
})

describe('at a terminal', () => {
  it('colours, and what goes on once it takes more than a second', async () => {
    const slow = { id: 'slow', ...shell, run: 'sleep 1.5; exit 2' }
    const cwd = scratch({ 'hookline.yaml': yaml([{ id: 'quick', ...shell, run: 'exit 2' }, slow]) })
    const { sees, ended } = terminal(['doctor', '--trust', 'all'], { cwd })
    await sees(/Ran 1 of 2 hooks; the last was quick\./)
    const { exit, screen } = await ended()
    expect(exit).toBe(0)
    expect(screen).toMatch(/✔ {2}quick .*\n✔ {2}slow /)
  })

  it('Ctrl+C ends it', async () => {
    const cwd = scratch({ 'hookline.yaml': yaml([{ id: 'it', ...shell, run: 'touch ran; sleep 60' }]) })
    const { types, ended } = terminal(['doctor', '--trust', 'all', '--live'], { cwd })
    while (!existsSync(join(cwd, 'ran'))) await sleep(20)
    types('\u0003')
    expect((await ended()).exit).toBe(130)
  })
})
