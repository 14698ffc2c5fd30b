import fs, { cpSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { policyIn } from '../../src/fleet/current.ts'
import { fetchPolicy } from '../../src/fleet/follow.ts'
import { openPolicy } from '../../src/fleet/policy.ts'
import { freshen, publish, rotate, sign } from '../../src/fleet/publish/index.ts'
import { freshenPolicy } from '../../src/fleet/renew.ts'
import { sourceOf } from '../../src/fleet/source.ts'
import { hookline } from '../support/cli.ts'
import { machine, publisher, settings } from '../support/fleet.ts'
import { scratch } from '../support/scratch.ts'

const deny = (what: string) => `version: 1\nrules:\n  - id: rule-${what}\n    deny: { run: ${what} }\n`
const first = { 'default/hookline.yaml': deny('fly') }

beforeEach(() => void vi.stubEnv('XDG_STATE_HOME', scratch({})))
afterEach(() => vi.unstubAllEnvs())

/** What lies in the directory each time before a file of it appears or goes: what a kill at that point leaves. */
function statesDuring(directory: string, work: () => void): string[] {
  const states: string[] = []
  const real = { renameSync: fs.renameSync, rmSync: fs.rmSync }
  const keep = () => {
    const copy = scratch({})
    // The lock of a process that is dead holds nobody; this one lives on.
    cpSync(directory, copy, { recursive: true, filter: (file) => !file.endsWith('.lock') })
    states.push(copy)
  }
  fs.renameSync = (...given) => {
    keep()
    real.renameSync(...given)
  }
  fs.rmSync = (...given) => {
    keep()
    real.rmSync(...given)
  }
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    Object.assign(fs, real)
    syncBuiltinESMExports()
  }
  return states
}

const versionOn = ({ directory }: ReturnType<typeof machine>): number =>
  openPolicy((policyIn(directory) as { file: string }).file).version

describe('whoever publishes and is killed leaves a repository that machines take, whole or as before; the next time ends it', () => {
  for (const roles of [[], ['root', 'policy', 'online']] as const)
    it(`with new keys of ${roles.join(', ') || 'nobody'}`, async () => {
      const fleet = publisher(first)
      fleet.release()
      const known = machine(fleet.repository)
      await known.fetch()
      fleet.put({ 'default/hookline.yaml': deny('sail') })
      const keys = { root: [...fleet.keys.root], policy: [...fleet.keys.policy], online: [fleet.keys.online] }
      for (const role of roles) {
        keys[role].push(fleet.key())
        rotate(fleet.directory, settings, role, keys[role].slice(1), 1)
      }
      sign(fleet.directory, settings, [...keys.root, ...keys.policy])
      const states = statesDuring(fleet.directory, () => publish(fleet.directory, settings, keys.online))
      expect(states.length).toBeGreaterThan(5)
      const versions: number[] = []
      for (const state of states) {
        const joining = machine(join(state, 'repository'))
        const copy = machine(join(state, 'repository'))
        cpSync(known.directory, copy.directory, { recursive: true, filter: (file) => !file.endsWith('machine.json') })
        for (const each of [copy, joining]) await fetchPolicy(each.directory, sourceOf(each.directory), async () => {})
        versions.push(versionOn(copy))
        expect(versionOn(joining)).toBe(versionOn(copy))
        publish(state, settings, keys.online)
        await fetchPolicy(copy.directory, sourceOf(copy.directory), async () => {})
        expect(versionOn(copy)).toBe(2)
      }
      expect(versions).toEqual(versions.toSorted())
      expect(new Set(versions)).toEqual(new Set([1, 2]))
    })
})

describe('what is published', () => {
  it('is not renewed by a key that was replaced: machines would refuse it', async () => {
    const fleet = publisher(first)
    fleet.release()
    const old = fleet.keys.online
    const fresh = fleet.key()
    rotate(fleet.directory, settings, 'online', [fresh], 1)
    sign(fleet.directory, settings, [...fleet.keys.root, ...fleet.keys.policy])
    publish(fleet.directory, settings, [fresh])
    expect(() => freshen(fleet.repository, [old], 7)).toThrow('not the online key')
    // A server learns it at once, and not only when freshness is about to end. The third key that was made, then the fourth.
    const renewed = (file: string) => freshenPolicy(fleet.repository, join(fleet.directory, 'keys', file))
    await expect(renewed('3.json')).rejects.toThrow('not the online key')
    await renewed('4.json')
    freshen(fleet.repository, [fresh], 7)
    const anna = machine(fleet.repository)
    expect(await anna.fetch()).toBe(true)
  })

  it('is signed for longer when half of its time is over: the policy by its key, the root where its keys are at hand', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const fleet = publisher(first)
    expect(fleet.release()).toEqual({ policy: 1, root: 1 })
    const anna = machine(fleet.repository)
    await anna.fetch()
    vi.setSystemTime(Date.now() + 200 * 86_400_000)
    expect(sign(fleet.directory, settings, fleet.keys.policy).map(({ kind }) => kind)).toEqual(['targets'])
    expect(fleet.release()).toEqual({ policy: 2, root: 2 })
    vi.setSystemTime(Date.now() + 200 * 86_400_000)
    freshen(fleet.repository, [fleet.keys.online], 7)
    expect(await anna.fetch()).toBe(true)
    expect(versionOn(anna)).toBe(2)
  })

  it('is what was signed: whoever changes a policy or its switch and only publishes is told to sign', () => {
    const fleet = publisher(first)
    fleet.release()
    fleet.put({ 'default/hookline.yaml': deny('sail') })
    const again = (mode: 'enforce' | 'shadow') => publish(fleet.directory, { ...settings, mode }, [fleet.keys.online])
    expect(() => again('enforce')).toThrow('hookline policy sign')
    fleet.put(first)
    expect(() => again('shadow')).toThrow('hookline policy sign')
    expect(again('enforce')).toEqual({ policy: 1, root: 1 })
  })
})

describe('hookline policy', () => {
  const made = async (): Promise<string> => {
    const directory = join(scratch({}), 'p')
    expect((await run('init', directory, '--no-passphrase')).exit).toBe(0)
    return directory
  }
  const run = (action: string, directory: string, ...more: string[]) =>
    hookline(['policy', ...action.split(' '), '--dir', directory, ...more], '')

  it('says what to do when a key is lost, and goes on with the new one', async () => {
    const directory = await made()
    expect((await run('sign', directory)).exit).toBe(0)
    expect((await run('publish', directory)).exit).toBe(0)
    fs.rmSync(join(directory, 'keys/policy-1.json'))
    writeFileSync(join(directory, 'default/hookline.yaml'), deny('sail'))
    const lost = await run('sign', directory)
    expect(lost).toMatchObject({ exit: 1, stdout: expect.stringContaining('0 of 1 signatures') })
    expect(lost.stdout).toContain('hookline policy rotate policy')
    expect((await run('rotate policy', directory, '--no-passphrase')).exit).toBe(0)
    expect((await run('status', directory)).stdout).toContain('The root 2 waits for signatures')
    expect((await run('sign', directory)).stdout).toContain(`hookline policy publish --dir ${directory}`)
    expect((await run('status', directory)).stdout).toContain('The root 2 is signed, and waits to be published.')
    expect(await run('publish', directory)).toMatchObject({ exit: 0, stdout: expect.stringContaining('policy 2') })
  })

  it('signs with the keys that count: a retired one with another passphrase stands in nobody’s way', async () => {
    const directory = join(scratch({ old: 'the old passphrase', new: 'the new passphrase' }), 'p')
    const typed = (name: string) => ['--passphrase-file', join(directory, '..', name)]
    expect((await run('init', directory, '--no-passphrase')).exit).toBe(0)
    expect((await run('rotate policy', directory, ...typed('old'))).exit).toBe(0)
    expect((await run('rotate policy', directory, ...typed('new'))).exit).toBe(0)
    expect(await run('sign', directory, ...typed('new'))).toMatchObject({ exit: 0, stderr: '' })
    const unread = await run('sign', directory, ...typed('none'))
    expect(unread).toMatchObject({ exit: 1, stderr: expect.stringContaining('cannot be read: ENOENT') })
  })

  it('makes no role of which more must sign than there are', async () => {
    const directory = await made()
    const refused = await run('rotate policy', directory, '--no-passphrase', '--policy-keys', '2', '--threshold', '3')
    expect(refused).toMatchObject({ exit: 64, stderr: expect.stringContaining('more than the 2 keys') })
    expect((await run('status', directory)).stdout).not.toContain('waits')
    const other = join(scratch({}), 'p')
    expect((await run('init', other, '--no-passphrase', '--policy-keys', '3', '--threshold', '2')).exit).toBe(0)
  })

  it('signs no policy that runs a script which is not beside it', async () => {
    const directory = await made()
    const hook = (path: string) =>
      `version: 1\nhooks:\n  - id: own\n    event: pre_tool_use\n    run: sh "$HOOKLINE_POLICY/${path}"\n`
    writeFileSync(join(directory, 'default/hookline.yaml'), hook('scripts/own.sh'))
    const refused = await run('sign', directory)
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining('hookline.yaml:5 runs scripts/own.sh') })
    writeFileSync(join(directory, 'default/own.sh'), 'exit 0\n')
    writeFileSync(join(directory, 'default/hookline.yaml'), hook('own.sh'))
    expect((await run('sign', directory)).exit).toBe(0)
  })
})
