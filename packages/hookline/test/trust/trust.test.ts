import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hook } from '../../src/core/index.ts'
import { createHooks, openTrust } from '../../src/index.ts'
import { dataDirectory, homeDirectory, stateDirectory, userDirectory } from '../../src/platform/index.ts'
import { isToken, makeToken } from '../../src/trust/index.ts'
import { scratch } from '../support/scratch.ts'
import { hookIn, placeIn } from './hook.ts'

/** A project with one approved hook that runs `./guard.sh`, and a store of its own. */
async function approved(files: Record<string, string> = {}, command = './guard.sh') {
  const project = scratch({ 'hookline.yaml': 'version: 1\n', 'guard.sh': '#!/bin/sh\necho good\n', ...files })
  const store = join(scratch(), 'state')
  const trust = openTrust({ store })
  const place = placeIn(project)
  const hook = hookIn(project, command)
  await trust.approve([trust.inspect(hook, place)])
  const state = (changed: Partial<Hook> = {}, at = place) => trust.inspect({ ...hook, ...changed }, at).state
  return { project, store, trust, place, hook, state, script: join(project, 'guard.sh') }
}

describe('an approval', () => {
  it('is needed for everything that a file brings, and the answer says how to give it', () => {
    const directory = scratch({ 'hookline.yaml': '' })
    const trust = openTrust({ store: join(scratch(), 'state') })
    const answer = trust.check(hookIn(directory, 'true'), placeIn(directory))
    expect(answer).toMatchObject({
      trusted: false,
      remedy: expect.stringMatching(/hookline approve --config .* guard/),
    })
  })

  it('lets the hook run, in another process too', async () => {
    const { hook, place, store } = await approved()
    expect(openTrust({ store }).check(hook, place)).toMatchObject({ trusted: true })
  })

  it('ends with a change of the script that keeps its size and time', async () => {
    const { script, state, trust, hook, place } = await approved()
    expect(state()).toBe('approved')
    const { atime, mtime } = statSync(script)
    writeFileSync(script, '#!/bin/sh\necho evil\n')
    utimesSync(script, atime, mtime)
    expect(state()).toBe('changed')
    expect(trust.check(hook, place)).toMatchObject({ trusted: false, detail: expect.stringContaining('guard.sh') })
  })

  it('is not lost by a new time alone', async () => {
    const { script, state } = await approved()
    utimesSync(script, new Date(0), new Date(0))
    expect(state()).toBe('approved')
  })

  it('ends with an execute bit, and with the script being gone', async () => {
    const { script, state } = await approved()
    chmodSync(script, 0o755)
    expect(state()).toBe('changed')
    rmSync(script)
    expect(state()).toBe('changed')
  })

  it('does not cover a script that was not there', async () => {
    const { project, state } = await approved({}, './later.sh')
    writeFileSync(join(project, 'later.sh'), 'echo evil')
    expect(state()).toBe('changed')
  })

  it('does not move with the project, not to a copy and not to a nested one', async () => {
    const { project, hook, trust } = await approved()
    const copy = join(scratch(), 'copy')
    cpSync(project, copy, { recursive: true })
    expect(trust.inspect(hookIn(copy, './guard.sh'), placeIn(copy)).state).toBe('not-approved')
    const nested = join(project, 'nested')
    cpSync(copy, nested, { recursive: true })
    expect(trust.inspect(hookIn(nested, './guard.sh'), placeIn(nested)).state).toBe('not-approved')
    expect(trust.check(hook, placeIn(nested)).trusted).toBe(false)
  })

  it('ends when a link is turned to other bytes', async () => {
    const { project, script, state, trust, hook, place } = await approved({
      'one.sh': 'echo one',
      'two.sh': 'echo two',
    })
    rmSync(script)
    symlinkSync('one.sh', script)
    await trust.approve([trust.inspect(hook, place)])
    expect(state()).toBe('approved')
    symlinkSync('two.sh', join(project, 'link'))
    renameSync(join(project, 'link'), script)
    expect(state()).toBe('changed')
  })

  it('is of a config by where it really is', async () => {
    const { project, hook, state } = await approved()
    const link = join(scratch(), 'link.yaml')
    symlinkSync(join(project, 'hookline.yaml'), link)
    expect(state({ origin: { ...hook.origin, where: { file: link } } })).toBe('approved')
  })

  it('ends when an interpreter is found elsewhere', async () => {
    const bin = scratch({ python3: '#!/bin/sh\n' })
    chmodSync(join(bin, 'python3'), 0o755)
    const { project, state } = await approved({ 'guard.sh': '#!/usr/bin/env python3\n' })
    expect(state({}, placeIn(project, { PATH: `${bin}:${process.env['PATH']}` }))).toBe('changed')
  })

  it('ends with a change in a file that the script sources', async () => {
    const { project, state } = await approved({ 'guard.sh': '. ./lib.sh\n', 'lib.sh': 'X=1\n' })
    appendFileSync(join(project, 'lib.sh'), 'X=2\n')
    expect(state()).toBe('changed')
  })

  it('is for one command on one event, never for the shell that runs it', async () => {
    const { state } = await approved()
    expect(state({ run: { type: 'command', command: 'sh -c evil' }, id: 'other' })).toBe('not-approved')
    expect(state({ event: 'stop', id: 'other' })).toBe('not-approved')
    expect(state({ event: 'stop' })).toBe('changed')
  })

  it('of an older form does not come back by putting it back', async () => {
    const { script, state, trust, hook, place } = await approved()
    const old = readFileSync(script)
    writeFileSync(script, 'echo better')
    await trust.approve([trust.inspect(hook, place)])
    writeFileSync(script, old)
    expect(state()).toBe('changed')
  })

  it('outlives another hook taking its made-up name', async () => {
    const { trust, hook, place } = await approved()
    const moved = { ...hook, id: 'pre_tool_use_2' }
    const newcomer = { ...hook, run: { type: 'command', command: 'true' } }
    const all = [newcomer, moved].map((each) => trust.inspect(each, place))
    expect(all.map(({ state }) => state)).toEqual(['changed', 'approved'])
    await trust.approve([all[0]!], all)
    expect([newcomer, moved].map((each) => trust.inspect(each, place).state)).toEqual(['approved', 'approved'])
  })

  it('is refused for what somebody else could change', async () => {
    const { script, trust, hook, place } = await approved()
    chmodSync(script, 0o777)
    const inspection = trust.inspect(hook, place)
    expect(inspection.state).toBe('refused')
    await expect(trust.approve([inspection])).rejects.toMatchObject({ code: 'hook-refused' })
    expect(trust.check(hook, place).trusted).toBe(false)
  })

  it('shows what has changed, line by line', async () => {
    const { script, trust, hook, place } = await approved()
    writeFileSync(script, '#!/bin/sh\necho evil\n')
    const { changes } = trust.inspect({ ...hook, timeoutMs: 5 }, place)
    expect(changes).toEqual(
      expect.arrayContaining(['timeoutMs:', '- 30000', '+ 5', `${script} has changed:`, '- echo good', '+ echo evil']),
    )
  })

  it('ends with other line ends, and says that this is all', async () => {
    const { script, trust, hook, place } = await approved()
    writeFileSync(script, '#!/bin/sh\r\necho good\r\n')
    expect(trust.inspect(hook, place).changes.join()).toMatch(/line ends/)
  })

  it('ends when it is revoked, at once and everywhere', async () => {
    const { store, trust, hook, place } = await approved()
    const elsewhere = openTrust({ store })
    expect(elsewhere.check(hook, place).trusted).toBe(true)
    expect(await trust.revoke({ ids: ['guard'] })).toHaveLength(1)
    expect(elsewhere.check(hook, place).trusted).toBe(false)
  })
})

describe('the gate', () => {
  it('runs what is approved, and fails closed on what has changed since', async () => {
    const { project, store, trust, script } = await approved({
      'hookline.yaml': 'version: 1\nhooks:\n  - { id: guard, event: pre_tool_use, run: sh ./guard.sh }\n',
      'guard.sh': 'echo no >&2; exit 2\n',
    })
    const hooks = await createHooks({
      config: join(project, 'hookline.yaml'),
      cwd: project,
      trust: openTrust({ store }).gate,
    })
    onTestFinished(() => hooks.close())
    const ask = () => hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: {} })
    expect((await ask()).reports[0]?.failure?.kind).toBe('untrusted')
    await trust.approve(hooks.hooks.map((hook) => trust.inspect(hook, placeIn(project))))
    expect((await ask()).decision).toEqual({ ruling: 'deny', reason: 'no' })
    writeFileSync(script, 'exit 0\n')
    expect((await ask()).reports[0]?.failure?.kind).toBe('untrusted')
  })
})

describe('without an approval', () => {
  it('hooks in code are trusted by the program that passes them', () => {
    const trust = openTrust({ store: join(scratch(), 'state') })
    expect(trust.check(hookIn('/', 'true', { origin: { layer: 'code' } }), placeIn('/'))).toEqual({ trusted: true })
  })

  it('a managed hook is trusted if its file is beyond the reach of others', () => {
    const directory = scratch({ 'hookline.yaml': '' })
    const trust = openTrust({ store: join(scratch(), 'state') })
    const hook = hookIn(directory, 'true')
    const managed = { ...hook, origin: { ...hook.origin, layer: 'managed' as const } }
    expect(trust.check(managed, placeIn(directory)).trusted).toBe(process.getuid?.() === 0)
    chmodSync(join(directory, 'hookline.yaml'), 0o666)
    expect(trust.check(managed, placeIn(directory)).trusted).toBe(false)
  })

  it('a digest that the caller names is enough, and only that one', async () => {
    const { project, trust, hook, place } = await approved()
    await trust.revoke('all')
    const { digest } = trust.inspect(hook, place)
    const other = openTrust({ store: join(scratch(), 'state'), digests: [digest, 'md5:abc'] })
    expect(other.check(hook, place).trusted).toBe(true)
    writeFileSync(join(project, 'guard.sh'), 'echo evil')
    expect(other.check(hook, place).trusted).toBe(false)
  })
})

describe('the approvals', () => {
  it('are for their owner alone', async () => {
    const { store } = await approved()
    expect(statSync(store).mode & 0o777).toBe(0o700)
    expect(statSync(join(store, 'approvals.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(store).sort()).toEqual(['approvals.json', 'approved'])
  })

  it.each(['', '{', '[]', '{"version":2,"approvals":[]}', '{"version":1,"approvals":[{"digest":1}]}'])(
    'that are damaged trust nothing, stay as they are, and say how to repair: %j',
    async (text) => {
      const { store, trust, hook, place } = await approved()
      const file = join(store, 'approvals.json')
      writeFileSync(file, text)
      expect(trust.check(hook, place)).toMatchObject({
        trusted: false,
        detail: expect.stringContaining(file),
        remedy: expect.stringContaining('hookline revoke --all'),
      })
      await expect(trust.approve([])).rejects.toMatchObject({ code: 'approvals-damaged' })
      expect(readFileSync(file, 'utf8')).toBe(text)
    },
  )

  it('that others could have written trust nothing', async () => {
    const { store, trust, hook, place } = await approved()
    chmodSync(join(store, 'approvals.json'), 0o666)
    expect(trust.check(hook, place)).toMatchObject({
      trusted: false,
      detail: expect.stringContaining('not yours alone'),
    })
  })

  it('that are a link, or inside the workspace, trust nothing', async () => {
    const { project, store, trust, hook, place } = await approved()
    const inside = join(project, '.state')
    cpSync(store, inside, { recursive: true })
    expect(openTrust({ store: inside }).check(hook, place)).toMatchObject({
      trusted: false,
      detail: expect.stringContaining('inside the workspace'),
    })
    renameSync(join(store, 'approvals.json'), join(store, 'real.json'))
    symlinkSync('real.json', join(store, 'approvals.json'))
    expect(trust.check(hook, place).trusted).toBe(false)
  })

  it('with a digest of another making trust nothing', async () => {
    const { store, trust, hook, place } = await approved()
    const file = join(store, 'approvals.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"sha256:', '"md5:'))
    expect(trust.check(hook, place).trusted).toBe(false)
  })

  it('of two who approve at once both count', async () => {
    const directory = scratch({ 'hookline.yaml': '' })
    const store = join(scratch(), 'state')
    const hooks = Array.from({ length: 20 }, (_, index) => hookIn(directory, `echo ${index}`, { id: `hook_${index}` }))
    await Promise.all(
      hooks.map((hook) => {
        const trust = openTrust({ store })
        return trust.approve([trust.inspect(hook, placeIn(directory))])
      }),
    )
    expect(openTrust({ store }).list()).toHaveLength(20)
  })

  it('are not held up for ever by somebody who died with the lock', async () => {
    const { store, trust, hook, place } = await approved()
    mkdirSync(join(store, 'approvals.lock'))
    utimesSync(join(store, 'approvals.lock'), new Date(0), new Date(0))
    await trust.approve([trust.inspect(hook, place)])
    expect(trust.list()).toHaveLength(1)
    mkdirSync(join(store, 'approvals.lock'))
    const later = new Date(Date.now() + 3_600_000)
    utimesSync(join(store, 'approvals.lock'), later, later)
    await trust.approve([trust.inspect(hook, place)])
  })
})

describe('the token', () => {
  it('is known by whoever was shown it, and not from what is kept', () => {
    const store = join(scratch(), 'state')
    expect(isToken(store, undefined)).toBe(false)
    expect(isToken(store, '')).toBe(false)
    const token = makeToken(store)
    expect(isToken(store, token)).toBe(true)
    expect(isToken(store, `${token}x`)).toBe(false)
    const kept = readFileSync(join(store, 'approve-token'), 'utf8').trim()
    expect(kept).not.toContain(token)
    expect(isToken(store, kept)).toBe(false)
    makeToken(store)
    expect(isToken(store, token)).toBe(false)
  })
})

describe('the data directory, from which agents run our program', () => {
  it.each(['', '.', 'data', './x'])('never lies in the workspace at hand: %j', (given) => {
    const usual = dataDirectory({ HOME: homeDirectory() })
    expect(isAbsolute(usual)).toBe(true)
    expect(dataDirectory({ XDG_DATA_HOME: given })).toBe(usual)
    expect(dataDirectory({ HOOKLINE_DATA_DIR: given })).toBe(usual)
  })
})

describe('the home directory', () => {
  it.each(['', '.', 'inside'])('is never one of the workspace’s making: HOME=%j', (home) => {
    const before = process.env['HOME']
    process.env['HOME'] = home
    try {
      expect(homeDirectory()).toBe(userInfo().homedir)
      expect(stateDirectory(undefined, {})).toBe(join(userInfo().homedir, '.local/state/hookline'))
      expect(userDirectory(undefined, {})).toBe(join(userInfo().homedir, '.config/hookline'))
    } finally {
      if (before === undefined) delete process.env['HOME']
      else process.env['HOME'] = before
    }
  })
})
