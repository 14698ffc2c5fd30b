import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundles } from '../../src/builtins/bundles/index.ts'
import { type Bundles, readConfig } from '../../src/config/index.ts'
import { muteDownwards } from '../../src/config/settle.ts'
import type { Bundle, Hook, Layer } from '../../src/core/index.ts'
import { loadDialect } from '../../src/dialects/index.ts'
import { loadExecutor } from '../../src/executors/index.ts'
import { openTrust, placeOf } from '../../src/trust/index.ts'
import { scratch } from '../support/scratch.ts'

/** A person's file, and approvals that outlast the version of Hookline. */
function person(layer: Layer = 'user') {
  const directory = scratch({ 'test.sh': 'exit 0\n' })
  const trust = openTrust({ store: join(scratch(), 'state') })
  const inspect = async (config: Record<string, unknown>, version: Bundles = bundles) => {
    const file = join(directory, 'hooks.json')
    const read = await readConfig(file, { layer, text: JSON.stringify({ version: 1, ...config }), bundles: version })
    expect(read.problems).toEqual([])
    const { hooks } = muteDownwards([{ layer, hooks: read.hooks, muted: read.muted }])
    return Promise.all(hooks.filter(({ enabled }) => enabled).map(look))
  }
  const look = async (hook: Hook) => {
    const event = { name: hook.event, payload: { cwd: directory, session_id: '' }, depth: 0, synthetic: true } as never
    return trust.inspect(hook, placeOf(hook, event, await loadDialect(hook.dialect), await loadExecutor(hook.run.type)))
  }
  const states = async (config: Record<string, unknown>, version?: Bundles) => [
    ...new Set((await inspect(config, version)).map(({ state }) => state)),
  ]
  return { directory, trust, inspect, states }
}

/** The next version of Hookline: each of these bundles has other hooks and rules, and one of each more. */
const upgraded: Bundles = Object.fromEntries(Object.entries(bundles).map(([name, bundle]) => [name, changed(bundle)]))

function changed(bundle: Bundle): Bundle {
  const [first] = bundle.hooks
  return {
    ...bundle,
    hooks: [...bundle.hooks.map((hook) => ({ ...hook, stage: 7 })), ...(first ? [{ ...first, id: 'new' }] : [])],
    ...(bundle.rules && { rules: [...bundle.rules, { id: 'new', deny: { run: 'new-command' } }] }),
  }
}

describe('an upgrade of Hookline', () => {
  it.each(Object.keys(bundles))('that changes the bundle %s takes no approval of it away', async (name) => {
    const { trust, inspect, states } = person()
    await trust.approve(await inspect({ use: [name] }))
    expect(await states({ use: [name] }, upgraded)).toEqual(['approved'])
  })

  it('leaves hooks bound that a file holds itself, and bundles in files', async () => {
    const { directory, trust, inspect, states } = person()
    const own = { hooks: [{ id: 'own', event: 'stop', run: './test.sh' }] }
    await trust.approve(await inspect(own))
    expect(await states({ hooks: [{ ...own.hooks[0], stage: 7 }] })).toEqual(['changed'])
    const copied = { name: 'copied', hooks: [{ id: 'a', event: 'stop', run: './test.sh' }] }
    const write = (bundle: object) => writeFileSync(join(directory, 'copied.json'), JSON.stringify(bundle))
    write(copied)
    await trust.approve(await inspect({ use: ['./copied.json'] }))
    expect(await states({ use: ['./copied.json'] })).toEqual(['approved'])
    write({ ...copied, hooks: [{ ...copied.hooks[0], stage: 7 }] })
    expect(await states({ use: ['./copied.json'] })).toEqual(['changed'])
  })
})

describe('the approval of a bundle of ours', () => {
  it('binds to what the file chooses: parameters, profile, and what it leaves out', async () => {
    const chosen = { use: [{ bundle: 'git-safe', with: { force_push: 'deny' } }] }
    const others = [
      { use: ['git-safe'] },
      { use: [{ bundle: 'git-safe', with: { force_push: 'ask' } }] },
      { ...chosen, profile: 'watch' },
    ]
    for (const other of others) {
      const { trust, inspect, states } = person()
      await trust.approve(await inspect(chosen))
      expect(await states(chosen), JSON.stringify(other)).toEqual(['approved'])
      expect(await states(other), JSON.stringify(other)).toEqual(['changed'])
      await trust.approve(await inspect(other))
      expect(await states(chosen), 'going back needs a new approval').toEqual(['changed'])
    }
    const { trust, inspect, states } = person()
    await trust.approve(await inspect(chosen))
    expect(await states({ ...chosen, disabled: ['git-safe:force-push'] })).toContain('changed')
  })

  it('binds to the file and to the layer', async () => {
    const [one, other] = [person(), person()]
    const trust = openTrust({ store: one.trust.store.directory })
    await one.trust.approve(await one.inspect({ use: ['quiet'] }))
    for (const { hook } of await other.inspect({ use: ['quiet'] })) {
      const place = { directory: other.directory, variable: () => undefined, pins: () => [] }
      expect(trust.inspect(hook, place).state).toBe('not-approved')
    }
  })

  it('binds to the bytes of what its parameters run', async () => {
    const { directory, trust, inspect, states } = person('project')
    const config = { use: [{ bundle: 'quality', with: { tests: ['./test.sh'] } }] }
    const ofTests = async () => (await inspect(config)).find(({ hook }) => hook.id === 'quality:tests')?.state
    await trust.approve(await inspect(config))
    expect(await states(config)).toEqual(['approved'])
    writeFileSync(join(directory, 'test.sh'), 'touch evil\n')
    expect(await ofTests()).toBe('changed')
  })

  it('is for the whole of it, and so is its end', async () => {
    const { trust, inspect, states } = person()
    const config = { use: ['security'] }
    await trust.approve((await inspect(config)).slice(0, 1))
    expect(await states(config)).toEqual(['approved'])
    await trust.approve(await inspect(config))
    await trust.revoke({ ids: ['security:final-check'] })
    expect(await states(config)).toEqual(['not-approved'])
  })
})
