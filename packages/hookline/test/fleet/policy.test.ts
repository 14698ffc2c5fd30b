import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { discover } from '../../src/config/index.ts'
import { forget } from '../../src/fleet/index.ts'
import { publish, rotate, sign } from '../../src/fleet/publish/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { openSwitch, openTrust, untrustedWriter } from '../../src/trust/index.ts'
import { machine, publisher, settings } from '../support/fleet.ts'
import { scratch } from '../support/scratch.ts'

const deny = (what: string) => `version: 1\nrules:\n  - id: rule-${what}\n    deny: { run: ${what} }\n`
const first = { 'default/hookline.yaml': deny('fly') }

beforeEach(() => {
  vi.stubEnv('XDG_STATE_HOME', scratch({}))
  vi.stubEnv('XDG_CONFIG_HOME', scratch({}))
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

/** What the machine makes of a command, with these files of the user and of the project beside. */
async function judge(
  { data, managed }: ReturnType<typeof machine>,
  command: string,
  { user, project }: { user?: string; project?: string } = {},
) {
  vi.stubEnv('XDG_DATA_HOME', data)
  const home = scratch({})
  const cwd = scratch({ '.git/HEAD': '', ...(project !== undefined && { 'hookline.yaml': project }) })
  const env = { XDG_CONFIG_HOME: scratch({ ...(user !== undefined && { 'hookline/hooks.yaml': user }) }) }
  const files = discover({ cwd, home, env, managed, untrustedWriter })
  const hooks = await createHooks({
    files,
    cwd,
    trust: openTrust().gate,
    journal: false,
    off: openSwitch(process.env['XDG_STATE_HOME']!).off,
  })
  try {
    const verdict = await hooks.raise('pre_tool_use', {
      ...{ session_id: 's', cwd, tool_name: 'shell', tool_input: { command }, tool_use_id: 't' },
    })
    return { ruling: verdict.decision?.ruling, verdict, codes: hooks.notes.map(({ code }) => code), hooks }
  } finally {
    await hooks.close()
  }
}
const rulingOf = async (...given: Parameters<typeof judge>) => (await judge(...given)).ruling
const refusedBy = (given: Promise<unknown>) =>
  given.then(
    () => undefined,
    (error) => error.notes?.[0]?.code ?? error.code,
  )

/** Two releases: what was published before is at hand, as an attacker has it who kept a copy. */
async function twoReleases() {
  const fleet = publisher(first)
  fleet.release()
  const old = scratch({})
  cpSync(fleet.repository, old, { recursive: true })
  fleet.release({ 'default/hookline.yaml': deny('sail') })
  const anna = machine(fleet.repository)
  await anna.fetch()
  const at = (name: string) => join(fleet.repository, name)
  return { fleet, old, anna, at }
}

describe('the layer of the fleet', () => {
  it('holds on every machine that has fetched it, and says whose rule it is', async () => {
    const fleet = publisher(first)
    fleet.release()
    const anna = machine(fleet.repository)
    expect(await anna.fetch()).toBe(true)
    expect(await anna.fetch()).toBe(false)
    const { ruling, verdict } = await judge(anna, 'fly north')
    expect(ruling).toBe('deny')
    expect(verdict.decision?.reason).toContain('the fleet')
    // A rule of the user's own would not help.
    expect(JSON.stringify(verdict)).toContain('Only the fleet can allow it.')
    fleet.release({ 'default/hookline.yaml': deny('sail') })
    expect(await anna.fetch()).toBe(true)
    expect([await rulingOf(anna, 'fly'), await rulingOf(anna, 'sail')]).toEqual([undefined, 'deny'])
  })

  it('is weakened by no user and no project: neither muted, nor answered, nor switched off', async () => {
    const fleet = publisher({ 'default/hookline.yaml': `${deny('fly')}  - id: rule-ask\n    ask: { run: swim }\n` })
    fleet.release()
    const anna = machine(fleet.repository)
    await anna.fetch()
    const weaker = 'version: 1\ndisabled: ["*"]\nrules:\n  - allow: { run: [fly, swim] }\n'
    for (const beside of [{ user: weaker }, { project: weaker }, { user: weaker, project: weaker }]) {
      expect(await rulingOf(anna, 'fly', beside)).toBe('deny')
      // Until the user has approved what they wrote, everything waits: that is stricter still.
      expect(await rulingOf(anna, 'swim', beside)).not.toBe('allow')
    }
    openSwitch(process.env['XDG_STATE_HOME']!).turnOff({})
    expect(await rulingOf(anna, 'fly')).toBe('deny')
  })

  it('is that of the machine’s group, where it has one of its own', async () => {
    const fleet = publisher({ ...first, 'canary/hookline.yaml': deny('sail') })
    fleet.release()
    const [canary, other] = [machine(fleet.repository, { group: 'canary' }), machine(fleet.repository, { group: 'x' })]
    await Promise.all([canary.fetch(), other.fetch()])
    expect([await rulingOf(canary, 'sail'), await rulingOf(other, 'sail')]).toEqual(['deny', undefined])
    canary.join('default')
    expect(await canary.fetch()).toBe(true)
    expect([await rulingOf(canary, 'sail'), await rulingOf(canary, 'fly')]).toEqual([undefined, 'deny'])
  })

  it('only watches in shadow, for the whole fleet or for a group, and mutes nobody meanwhile', async () => {
    const muting = `${deny('fly')}disabled: ["rule-mine"]\n`
    const fleet = publisher({ 'default/hookline.yaml': muting, 'canary/hookline.yaml': deny('fly') })
    fleet.release({}, { groups: { canary: { mode: 'shadow' } } })
    const [anna, canary] = [machine(fleet.repository), machine(fleet.repository, { group: 'canary' })]
    await Promise.all([anna.fetch(), canary.fetch()])
    const project = 'version: 1\nrules:\n  - id: rule-mine\n    deny: { run: dig }\n'
    expect([await rulingOf(anna, 'fly'), await rulingOf(anna, 'dig', { project })]).toEqual(['deny', undefined])
    expect(await judge(canary, 'fly')).toMatchObject({
      ruling: undefined,
      codes: expect.arrayContaining(['fleet-shadow']),
    })
    fleet.release({}, { mode: 'shadow' })
    await anna.fetch()
    const { ruling, verdict } = await judge(anna, 'fly')
    expect(ruling).toBeUndefined()
    expect(JSON.stringify(verdict.reports)).toContain('rule-fly')
    expect(await rulingOf(anna, 'dig', { project })).toBe('deny')
  })

  it('runs the scripts that were signed with it, from those bytes and no others', async () => {
    const hook =
      'version: 1\nhooks:\n  - id: script\n    event: pre_tool_use\n    run: sh "$HOOKLINE_POLICY/scripts/no.sh"\n'
    const fleet = publisher({ 'default/hookline.yaml': hook, 'default/scripts/no.sh': 'echo no >&2; exit 2\n' })
    fleet.release()
    const anna = machine(fleet.repository)
    await anna.fetch()
    const { verdict: ran, hooks } = await judge(anna, 'ls')
    expect(ran.decision).toMatchObject({ ruling: 'deny', reason: 'no' })
    const [script] = Object.keys(hooks.hooks[0]!.origin.signed!).filter((path) => path.endsWith('no.sh'))
    // Changed after it was loaded: what the gate finds is not what was signed.
    const files = discover({ cwd: scratch({}), home: scratch({}), managed: anna.managed, untrustedWriter })
    const loaded = await createHooks({ files, trust: openTrust().gate, journal: false })
    writeFileSync(script!, 'exit 0\n')
    const call = {
      session_id: 's',
      tool_name: 'shell',
      tool_input: { command: 'ls' },
      tool_use_id: 't',
      cwd: scratch({}),
    }
    const verdict = await loaded.raise('pre_tool_use', call)
    await loaded.close()
    expect(verdict.decision?.ruling).toBe('deny')
    expect(JSON.stringify(verdict)).toContain('not what the fleet has signed')
  })
})

describe('a policy is not taken', () => {
  it('that is older than the one before, as a whole or in part', async () => {
    const { old, anna, at } = await twoReleases()
    const newer = readFileSync(at('timestamp.json'))
    cpSync(join(old, 'timestamp.json'), at('timestamp.json'))
    expect(await refusedBy(anna.fetch())).toBe('fleet-update-refused')
    // Told with every verdict until it is over.
    expect(await judge(anna, 'sail')).toMatchObject({ ruling: 'deny', codes: ['fleet-update-refused'] })
    writeFileSync(at('timestamp.json'), newer)
    await anna.fetch()
    expect((await judge(anna, 'sail')).codes).toEqual([])
  })

  it('whose parts are of different times', async () => {
    const { fleet, old, anna, at } = await twoReleases()
    fleet.release({ 'default/hookline.yaml': deny('ride') })
    for (const [name, other] of [
      ['3.targets.json', '2.targets.json'],
      ['3.snapshot.json', '2.snapshot.json'],
    ] as const) {
      const right = readFileSync(at(name))
      cpSync(at(other), at(name))
      expect(await refusedBy(anna.fetch())).toBe('fleet-update-refused')
      writeFileSync(at(name), right)
    }
    expect(old).not.toBe('')
    expect(await rulingOf(anna, 'sail')).toBe('deny')
    await anna.fetch()
    expect(await rulingOf(anna, 'ride')).toBe('deny')
  })

  it('that a stranger has signed, or the online key, or too few', async () => {
    const fleet = publisher(first, { policies: 3, threshold: 2 })
    fleet.release()
    const anna = machine(fleet.repository)
    await anna.fetch()
    fleet.put({ 'default/hookline.yaml': deny('sail') })
    for (const signers of [[fleet.key(), fleet.key()], [fleet.keys.online], [fleet.keys.policy[0]!]]) {
      sign(fleet.directory, settings, signers)
      expect(() => publish(fleet.directory, settings, [fleet.keys.online])).toThrow('not signed by as many as must')
    }
    sign(fleet.directory, settings, [fleet.keys.policy[2]!])
    publish(fleet.directory, settings, [fleet.keys.online])
    // The whole of another fleet, under the address of this one.
    const strangers = publisher({ 'default/hookline.yaml': deny('nothing') })
    for (let version = 0; version < 5; version++) strangers.release({ 'default/hookline.yaml': deny(`no${version}`) })
    const right = scratch({})
    cpSync(fleet.repository, right, { recursive: true })
    rmSync(fleet.repository, { recursive: true })
    cpSync(strangers.repository, fleet.repository, { recursive: true })
    expect(await refusedBy(anna.fetch())).toBe('fleet-update-refused')
    rmSync(fleet.repository, { recursive: true })
    cpSync(right, fleet.repository, { recursive: true })
    expect(await anna.fetch()).toBe(true)
    expect(await rulingOf(anna, 'sail')).toBe('deny')
  })

  it('from a server that stands still: what expired is not taken, and what is there is told to be stale', async () => {
    const fleet = publisher(first)
    fleet.release()
    const [keeping, late] = [machine(fleet.repository), machine(fleet.repository)]
    await keeping.fetch()
    const { hooks } = await judge(keeping, 'fly')
    const week = 7 * 24 * 3_600_000
    expect(hooks.until).toBeGreaterThan(Date.now() + week - 60_000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + week + 1_000 })
    expect(await refusedBy(late.fetch())).toBe('fleet-refused')
    expect(await refusedBy(keeping.fetch())).toBe('fleet-update-refused')
    expect(await judge(keeping, 'fly')).toMatchObject({
      ruling: 'deny',
      codes: expect.arrayContaining(['fleet-stale', 'fleet-update-refused']),
    })
    publish(fleet.directory, settings, [fleet.keys.online])
    await keeping.fetch()
    expect((await judge(keeping, 'fly')).codes).toEqual([])
    fleet.release({}, { on_stale: 'block' })
    await keeping.fetch()
    vi.setSystemTime(Date.now() + week + 1_000)
    expect(await refusedBy(judge(keeping, 'ls'))).toBe('fleet-blocked')
  })

  it('that does not work here: the last good one stays', async () => {
    const { fleet, anna } = await twoReleases()
    fleet.release({ 'default/hookline.yaml': 'version: 1\nrules:\n  - deny: { no-such-action: x }\n' })
    expect(await refusedBy(anna.fetch())).toBe('fleet-update-refused')
    expect(await judge(anna, 'sail')).toMatchObject({ ruling: 'deny', codes: ['fleet-update-refused'] })
  })
})

describe('keys', () => {
  it('of every role are replaced, and machines follow, however many they have missed', async () => {
    const fleet = publisher(first)
    fleet.release()
    const [anna, late] = [machine(fleet.repository), machine(fleet.repository)]
    await Promise.all([anna.fetch(), late.fetch()])
    const old = { ...fleet.keys }
    const renew = async (role: 'root' | 'policy' | 'online') => {
      const fresh = fleet.key()
      rotate(fleet.directory, settings, role, [fresh], 1)
      const before = { ...fleet.keys }
      if (role === 'online') fleet.keys.online = fresh
      else fleet.keys[role] = [fresh]
      sign(fleet.directory, settings, [...before.root, ...before.policy, ...fleet.keys.root, ...fleet.keys.policy])
      publish(fleet.directory, settings, [fleet.keys.online])
      await anna.fetch()
      expect(await rulingOf(anna, 'fly')).toBe('deny')
    }
    for (const role of ['policy', 'online', 'root', 'root'] as const) await renew(role)
    // Those of before count no longer.
    fleet.put({ 'default/hookline.yaml': deny('sail') })
    sign(fleet.directory, settings, [...old.root, ...old.policy])
    expect(() => publish(fleet.directory, settings, [fleet.keys.online])).toThrow('not signed')
    fleet.release()
    await late.fetch()
    expect(await rulingOf(late, 'sail')).toBe('deny')
    // And what they have come to know survives on the disk.
    expect(await late.fetch()).toBe(false)
  })

  it('are those that the machine enrolled for, where it named them', async () => {
    const fleet = publisher(first)
    fleet.release()
    const anna = machine(fleet.repository, { root: '0'.repeat(64) })
    expect(await refusedBy(anna.fetch())).toBe('fleet-none')
  })
})

describe('every byte counts', () => {
  const filesIn = (directory: string): string[] =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(directory, join(entry.parentPath ?? entry.path, entry.name)))
  const flips = (files: readonly string[]) =>
    fc.record({ file: fc.constantFrom(...files), at: fc.nat(1_000_000), bit: fc.nat(7) })
  async function flipped<T>(file: string, at: number, bit: number, work: () => Promise<T>): Promise<T> {
    const right = readFileSync(file)
    const wrong = Buffer.from(right)
    wrong[at % wrong.length]! ^= 1 << bit
    writeFileSync(file, wrong)
    try {
      return await work()
    } finally {
      writeFileSync(file, right)
    }
  }
  const whole = async () => {
    const fleet = publisher({ ...first, 'default/scripts/x.sh': 'exit 2\n' })
    fleet.release()
    rotate(fleet.directory, settings, 'online', [fleet.key()], 1)
    rotate(fleet.directory, settings, 'online', [fleet.keys.online], 1)
    fleet.release()
    const anna = machine(fleet.repository)
    await anna.fetch()
    return { fleet, anna }
  }

  it('of what a machine has fetched: whichever is flipped, nothing is loaded', async () => {
    const { fleet, anna } = await whole()
    fleet.release({ 'default/hookline.yaml': deny('sail') })
    await anna.fetch()
    const current = readFileSync(join(anna.directory, 'current'), 'utf8').slice(0, 16)
    const files = filesIn(anna.directory).filter(
      (file) => file === 'root.json' || file === 'current' || file.startsWith(join('generations', current)),
    )
    expect(files.length).toBeGreaterThan(6)
    await fc.assert(
      fc.asyncProperty(flips(files), async ({ file, at, bit }) => {
        const code = await flipped(join(anna.directory, file), at, bit, () => refusedBy(judge(anna, 'ls')))
        expect(code, `${file} ${at} ${bit}`).toBe('fleet-refused')
      }),
      { numRuns: 60 },
    )
    expect(await rulingOf(anna, 'sail')).toBe('deny')
  }, 60_000)

  it('of what is published: whichever is flipped, nothing is taken, and what was there stays', async () => {
    const { fleet, anna } = await whole()
    const before = scratch({})
    cpSync(anna.directory, before, { recursive: true })
    fleet.release({ 'default/hookline.yaml': deny('sail'), 'default/scripts/x.sh': 'exit 49\n' })
    const published = filesIn(fleet.repository)
    const newest = (kind: string) =>
      published
        .filter((file) => file.endsWith(`.${kind}.json`))
        .sort()
        .at(-1)!
    const names = ['timestamp.json', newest('snapshot'), newest('targets')]
    const targets = published.filter((file) => /targets.*(?:hookline\.yaml|x\.sh)$/.test(file))
    const fresh = targets.filter((file) => /sail|exit 49/.test(readFileSync(join(fleet.repository, file), 'utf8')))
    await fc.assert(
      fc.asyncProperty(flips([...names, ...fresh]), async ({ file, at, bit }) => {
        const code = await flipped(join(fleet.repository, file), at, bit, () => refusedBy(anna.fetch()))
        expect(code, `${file} ${at} ${bit}`).toBe('fleet-update-refused')
      }),
      { numRuns: 40 },
    )
    expect(await rulingOf(anna, 'fly')).toBe('deny')
    expect(await anna.fetch()).toBe(true)
    expect(await rulingOf(anna, 'sail')).toBe('deny')
  }, 60_000)

  it('who takes the policy away, or breaks it, is not rid of it; the next fetch mends it', async () => {
    const { anna } = await whole()
    rmSync(join(anna.directory, 'current'))
    expect(await refusedBy(judge(anna, 'ls'))).toBe('fleet-refused')
    await anna.fetch()
    expect(await rulingOf(anna, 'fly')).toBe('deny')
    rmSync(join(anna.directory, 'generations'), { recursive: true })
    expect(await refusedBy(judge(anna, 'ls'))).toBe('fleet-refused')
    await anna.fetch()
    expect(await rulingOf(anna, 'fly')).toBe('deny')
    forget(anna.directory)
    expect(await rulingOf(anna, 'fly')).toBeUndefined()
  })
})
