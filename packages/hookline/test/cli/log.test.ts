import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Entry } from '../../src/journal/index.ts'
import { binary, hookline } from '../support/cli.ts'
import { remove, scratch } from '../support/scratch.ts'
import { terminal } from '../support/terminal.ts'

const config = `version: 1
hooks:
  - id: no-rm
    event: pre_tool_use
    matcher: { tool: shell, args: { path: $.command, matches: '^rm ' } }
    run: 'echo "Nothing is removed here." >&2; exit 2'
  - id: flaky
    event: pre_tool_use
    matcher: { tool: edit }
    on_failure: warn
    run: 'exit 3'
`
const call = (tool: string, input: object, more: object = {}) =>
  JSON.stringify({ event: 'pre_tool_use', session_id: 's1', tool_name: tool, tool_input: input, ...more })

/** A project, and a person whose state directory is their own. */
function world(files: Record<string, string> = {}) {
  const cwd = scratch({ 'hookline.yaml': config, ...files })
  const state = scratch()
  const configHome = scratch()
  const env = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: configHome }
  const journal = join(state, 'hookline', 'journal.jsonl')
  const run = (args: string[], input = '', more: Record<string, string> = {}) =>
    hookline(args, input, { cwd, env: { ...env, ...more } })
  const dispatch = (input: string, ...args: string[]) => run(['dispatch', '--trust', 'all', ...args], input)
  const entries = async (...args: string[]) => {
    const { stdout } = await run(['log', '--json', ...args])
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Entry)
  }
  const settings = (journal: string) => {
    mkdirSync(join(configHome, 'hookline'), { recursive: true })
    writeFileSync(join(configHome, 'hookline', 'hooks.yaml'), `version: 1\njournal: ${journal}\nhooks: []\n`)
  }
  return { cwd, state, env, journal, run, dispatch, entries, settings }
}

/** A journal to read, made once: one denied, one failed and ignored, and one of another session for which no hook ran. */
let life: string
beforeAll(async () => {
  const state = mkdtempSync(join(tmpdir(), 'hookline-'))
  life = join(state, 'journal.jsonl')
  const cwd = mkdtempSync(join(tmpdir(), 'hookline-'))
  writeFileSync(join(cwd, 'hookline.yaml'), config)
  const raise = (input: string) => hookline(['dispatch', '--trust', 'all', '--journal', life], input, { cwd })
  await raise(call('shell', { command: 'rm -rf build' }))
  await raise(call('edit', { path: 'a.ts' }, { session_id: 's2' }))
  await raise(call('read', { path: 'b.ts' }, { session_id: 's2' }))
  return () => {
    for (const directory of [state, cwd]) remove(directory)
  }
})

/** Somebody who has lived it. */
function lived() {
  const here = world()
  mkdirSync(join(here.state, 'hookline'), { mode: 0o700 })
  copyFileSync(life, here.journal)
  return here
}

describe('dispatch records', () => {
  it('records what happened, readable for the user alone, and without secrets', async () => {
    const { dispatch, entries, journal, state } = world()
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
    await dispatch(call('shell', { command: `rm ${token}` }))
    expect(await entries()).toMatchObject([
      {
        outcome: 'deny',
        session_id: 's1',
        hooks: [{ id: 'no-rm', opinion: { decision: { ruling: 'deny', reason: 'Nothing is removed here.' } } }],
        duration_ms: expect.any(Number),
      },
    ])
    expect(readFileSync(journal, 'utf8')).not.toContain(token)
    expect(statSync(journal).mode & 0o777).toBe(0o600)
    expect(statSync(join(state, 'hookline')).mode & 0o777).toBe(0o700)
  })

  it('into the file that is named, before it ends; or nowhere', async () => {
    const { cwd, dispatch, journal } = world()
    await dispatch(call('shell', { command: 'rm x' }), '--journal', 'own.jsonl')
    expect(readFileSync(join(cwd, 'own.jsonl'), 'utf8')).toContain('Nothing is removed here.')
    await dispatch(call('shell', { command: 'rm x' }), '--no-journal')
    expect(existsSync(journal)).toBe(false)
  })

  it('where the user says, and nowhere if they say so; a project cannot redirect it', async () => {
    const here = world({ 'hookline.yaml': `${config}journal: { file: stolen.jsonl }\n` })
    const own = join(here.state, 'mine.jsonl')
    here.settings(`{ file: ${own} }`)
    await here.dispatch(call('shell', { command: 'rm x' }))
    expect(await here.entries()).toHaveLength(1)
    expect(existsSync(own)).toBe(true)
    expect(existsSync(join(here.cwd, 'stolen.jsonl'))).toBe(false)
    here.settings('false')
    await here.dispatch(call('shell', { command: 'rm x' }))
    expect(existsSync(here.journal)).toBe(false)
  })

  it('a journal that cannot be written is reported, and the verdict stands', async () => {
    const { dispatch, env, journal } = world()
    mkdirSync(join(env.XDG_STATE_HOME, 'hookline'), { mode: 0o700 })
    symlinkSync('/dev/null', journal)
    const { stdout, stderr, exit } = await dispatch(call('shell', { command: 'rm x' }))
    expect(exit).toBe(0)
    expect(JSON.parse(stdout).decision.ruling).toBe('deny')
    expect(stderr).toMatch(/journal.*cannot be opened: it is a symbolic link/)
  })

  it('with `on_failure: block`, what cannot be recorded is refused, and no option evades it', async () => {
    const here = world()
    here.settings('{ on_failure: block }')
    mkdirSync(join(here.env.XDG_STATE_HOME, 'hookline'), { mode: 0o700 })
    symlinkSync('/dev/null', here.journal)
    for (const evading of [[], ['--no-journal'], ['--journal', 'other.jsonl']]) {
      const { stdout } = await here.dispatch(call('edit', { path: 'x' }), ...evading)
      expect(JSON.parse(stdout).decision).toMatchObject({ ruling: 'deny', reason: expect.stringMatching(/journal/) })
    }
  })
})

describe('hookline log', () => {
  it('prints one line for each dispatch, the newest last: the verdict, what it was about, which hook decided', async () => {
    const { run } = lived()
    const { stdout, exit } = await run(['log'])
    const lines = stdout.trimEnd().split('\n')
    expect(exit).toBe(0)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/#1 {2}deny {3}pre_tool_use {3}shell rm -rf build {2}no-rm {2}[\d.]+ ms$/)
    expect(lines[1]).toMatch(/#2 {2}none {3}pre_tool_use {3}edit a\.ts {2}flaky failed \(exit\), ignored {2}[\d.]+ ms$/)
  })

  it('fits a terminal: the day once, the clock, and what is too long is cut', async () => {
    const { cwd, env } = lived()
    const { screen } = await terminal(['log'], { cwd, env, columns: 90 }).ended()
    const [day, first = '', second = ''] = screen.trimEnd().split('\n')
    expect(day).toMatch(/^\w+day, \d{4}-\d{2}-\d{2}$/)
    expect(first).toMatch(/^\d\d:\d\d:\d\d +#1 {2}deny .*shell rm -rf build +no-rm {2}[\d.]+ ms$/)
    expect(Math.max(first.length, second.length)).toBeLessThanOrEqual(90)
    const listed = await terminal(['list'], { cwd, env, columns: 60 }).ended()
    for (const line of listed.screen.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  })

  it('filters, and says when nothing matches', async () => {
    const { entries, run } = lived()
    const about = async (...args: string[]) => (await entries(...args)).map(({ tool_name }) => tool_name)
    const [all, denied, silent, failed, last, old] = await Promise.all([
      about('--since', '10m', '--hook', 'no-rm', '--hook', 'flaky'),
      about('--decision', 'deny', '--tool', 'shell'),
      about('--decision', 'none', '--session', 's2'),
      about('--failed'),
      about('--event', 'PreToolUse', '--limit', '1'),
      about('--until', '2026-01-01'),
    ])
    expect({ all, denied, silent, failed, last, old }).toEqual({
      ...{ all: ['shell', 'edit'], denied: ['shell'], silent: ['edit'], failed: ['edit'], last: ['edit'], old: [] },
    })
    expect((await run(['log', '--tool', 'nope'])).stderr).toMatch(/No entry in .* matches/)
    expect(await run(['log', '--since', 'soon'])).toMatchObject({ exit: 64, stderr: expect.stringMatching(/10m/) })
    expect(await run(['log', '--decision', 'denny'])).toMatchObject({
      exit: 64,
      stderr: expect.stringMatching(/did you mean/i),
    })
  })

  it('shows one in full: what each hook answered, how it failed, the payload', async () => {
    const { run } = lived()
    const { stdout } = await run(['log', 'show', '2'])
    expect(stdout).toMatch(/#2 {2}pre_tool_use {2}none/)
    expect(stdout).toMatch(/flaky {2}failure/)
    expect(stdout).toMatch(/failed \(exit\): it exited with code 3/)
    expect(stdout).toMatch(/"path": "a\.ts"/)
    expect(await run(['log', 'show', '99'])).toMatchObject({ exit: 1, stderr: expect.stringMatching(/no entry 99/) })
  })

  it('nothing recorded yet is no error', async () => {
    const { run } = world()
    expect(await run(['log'])).toMatchObject({ exit: 0, stderr: expect.stringMatching(/Nothing is recorded yet/) })
  })

  it('follows new entries, and prints each once', async () => {
    const { cwd, env, dispatch } = lived()
    const child = spawn(process.execPath, [binary, 'log', '-f', '--limit', '1'], {
      cwd,
      env: { ...process.env, ...env },
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    const seen = async (pattern: RegExp) => {
      while (!pattern.test(output)) await once(child.stdout, 'data')
    }
    await seen(/edit a\.ts/)
    await dispatch(call('shell', { command: 'rm later' }))
    await seen(/rm later/)
    expect(output.trimEnd().split('\n')).toHaveLength(2)
    const ended = new Promise((resolve) => child.on('close', resolve))
    child.kill('SIGINT')
    await ended
  })
})

describe('hookline log verify', () => {
  it('an intact journal passes, and against a checkpoint what was cut off is found', async () => {
    const { run, journal, cwd, dispatch } = lived()
    const checkpoint = (await run(['log', 'checkpoint'])).stdout
    writeFileSync(join(cwd, 'kept'), checkpoint)
    expect(await run(['log', 'verify', '--checkpoint', 'kept'])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/3 lines, all as they were written/),
    })
    await dispatch(call('shell', { command: 'rm more' }), '--journal', journal)
    expect((await run(['log', 'verify', '--checkpoint', 'kept'])).exit).toBe(0)
    const lines = readFileSync(journal, 'utf8').split('\n')
    writeFileSync(journal, `${lines.slice(0, 2).join('\n')}\n`)
    expect((await run(['log', 'verify'])).exit).toBe(0)
    const cut = await run(['log', 'verify', '--checkpoint', checkpoint])
    expect(cut.exit).toBe(1)
    expect(cut.stdout).toMatch(/journal\.jsonl:3 {2}entries are missing from the end/)
  })

  it('says what is broken, at which line, since when, and what to do', async () => {
    const { run, journal, entries } = lived()
    const [first] = await entries()
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('a.ts', 'z.ts'))
    const { exit, stdout } = await run(['log', 'verify'])
    expect(exit).toBe(1)
    expect(stdout).toMatch(/journal\.jsonl:3 {2}was changed after it was written/)
    expect(stdout).toContain(`All before it is intact, up to ${first?.time}.`)
    expect(stdout).toMatch(/→ Keep a copy/)
    expect(JSON.parse((await run(['log', 'verify', '--json'])).stdout)).toMatchObject({
      ...{ status: 'tampered', line: 3, at: 2, since: first?.time },
    })
  })

  it('a write cut short by a crash is distinguished from a change', async () => {
    const { run, journal } = lived()
    const text = readFileSync(journal, 'utf8')
    writeFileSync(journal, text.slice(0, -20))
    expect(await run(['log', 'verify'])).toMatchObject({
      exit: 2,
      stdout: expect.stringMatching(/cut short by a crash/),
    })
  })

  it('a file that does not exist, or is not a checkpoint, is reported', async () => {
    const { run } = world()
    expect(await run(['log', 'verify', 'nowhere.jsonl'])).toMatchObject({ exit: 1 })
    expect(await run(['log', 'verify', '--checkpoint', '{}'])).toMatchObject({ exit: 64 })
  })
})

describe('hookline stats', () => {
  it('counts for each hook how often it ran, what it decided, how often it failed and how long it took', async () => {
    const { run } = lived()
    const counted = JSON.parse((await run(['stats', '--json'])).stdout)
    expect(counted).toMatchObject({ dispatches: 2, verdicts: { deny: 1, none: 1 } })
    expect(counted.hooks).toMatchObject([
      { hook: 'no-rm', asked: 1, deny: 1, failures: 0, fail_open: 0, p50_ms: expect.any(Number) },
      { hook: 'flaky', asked: 1, deny: 0, failures: 1, fail_open: 1, last_failure: { kind: 'exit' } },
    ])
    expect(JSON.parse((await run(['stats', '--json', '--sort', 'failures'])).stdout).hooks[0].hook).toBe('flaky')
    expect(JSON.parse((await run(['stats', '--json', '--session', 's2'])).stdout).hooks).toHaveLength(1)
  })

  it('says how often a hook did not run because nobody approved it, and draws in ASCII where there is no more', async () => {
    const { run } = world()
    await run(['dispatch'], call('shell', { command: 'rm x' }))
    const [hook] = JSON.parse((await run(['stats', '--json'])).stdout).hooks
    expect(hook).toMatchObject({ hook: 'no-rm', asked: 1, unapproved: 1, failures: 0, fail_open: 0 })
    const plain = (await run(['stats'], '', { LC_ALL: 'C' })).stdout
    expect(plain).toMatch(/no-rm\s+1/)
    expect(plain).not.toMatch(/[▁-█]/)
    expect((await run(['stats'], '', { LC_ALL: 'C.UTF-8' })).stdout).toMatch(/█/)
  })
})

describe('hookline list', () => {
  it('shows when each hook, as it is now, last ran and how it last failed; and the master switch', async () => {
    const here = world()
    await here.dispatch(call('edit', { path: 'a.ts' }))
    const listed = async () => JSON.parse((await here.run(['list', '--json'])).stdout)
    expect(await listed()).toMatchObject([
      { id: 'no-rm', last_asked: null, last_failure: null, switched_off: false },
      { id: 'flaky', last_asked: expect.any(String), last_failure: { kind: 'exit' } },
    ])
    expect((await here.run(['list'])).stdout).toMatch(
      /^Hooks are on: 2 hooks from 1 file\.\n[\s\S]*never ran[\s\S]*\(exit\)/,
    )
    writeFileSync(join(here.cwd, 'hookline.yaml'), config.replace('exit 3', 'exit 4'))
    expect((await listed())[1]).toMatchObject({ id: 'flaky', last_asked: null })
    await terminal(['off'], { cwd: here.cwd, env: here.env }).ended()
    expect((await listed())[0]).toMatchObject({ switched_off: true })
    expect((await here.run(['list'])).stdout).toMatch(/^Hooks are off/)
  })

  it('another project with a hook of the same name and making is another hook', async () => {
    const here = world()
    await here.dispatch(call('edit', { path: 'a.ts' }))
    const elsewhere = scratch({ 'hookline.yaml': config })
    const { stdout } = await hookline(['list', '--json'], '', { cwd: elsewhere, env: here.env })
    expect(JSON.parse(stdout)[1]).toMatchObject({ id: 'flaky', last_asked: null })
  })
})

it('the failure of a background hook is recorded, shown by list and counted once; it is no event of its own', async () => {
  const { run, dispatch, entries } = world({
    'hookline.yaml': "version: 1\nhooks:\n  - { id: later, event: post_tool_use, background: true, run: 'exit 3' }\n",
  })
  const ended = { event: 'post_tool_use', tool_name: 'shell', tool_input: { command: 'ls' }, tool_response: 'x' }
  expect((await dispatch(JSON.stringify(ended))).stderr).toContain('A background hook failed (exit)')
  const [ran, failed] = await entries()
  expect(ran?.hooks).toMatchObject([{ id: 'later', asked: true, background: true }])
  expect(failed).toMatchObject({
    notes: [{ code: 'background-failed', hook: 'later' }],
    hooks: [{ id: 'later', background: true, outcome: 'failure', failure: { kind: 'exit' }, exit: 3 }],
  })
  const [listed] = JSON.parse((await run(['list', '--json'])).stdout)
  expect(listed.last_failure).toMatchObject({ kind: 'exit' })
  const { hooks } = JSON.parse((await run(['stats', '--json'])).stdout)
  expect(hooks).toMatchObject([{ hook: 'later', asked: 1, failures: 1 }])
  expect(JSON.parse((await run(['replay', '--json'])).stdout)).toMatchObject({ replayed: 1, impossible: {} })
})
