import { describe, expect, test } from 'vitest'
import { type Bundle, bundles, expandBundle, isMuted, starters } from '../../src/builtins/bundles/index.ts'
import { type EventName, eventNames } from '../../src/core/index.ts'
import { createBuiltinExecutor } from '../../src/executors/builtin.ts'
import { makeCall } from '../support/call.ts'

const { check } = createBuiltinExecutor()

/** Every parameter, as its page shows it. */
const examplesOf = ({ parameters }: Bundle) =>
  Object.fromEntries(Object.entries(parameters).map(([name, { example }]) => [name, example]))

describe.each(Object.values(bundles))('the bundle $name', (bundle) => {
  test.each([
    ['with nothing chosen', {}],
    ['with everything chosen', examplesOf(bundle)],
  ])('%s holds builtins that exist, on events they are for, with args they take', (_name, given) => {
    const expanded = expandBundle(bundle, given)
    if (!expanded.ok) throw new Error(expanded.detail)
    expect(expanded.hooks.length + expanded.rules.length).toBeGreaterThan(0)
    for (const hook of expanded.hooks) {
      const { type, ...spec } = hook['run'] as { type: string; name: string; args?: unknown }
      expect(type).toBe('builtin')
      expect(eventNames).toContain(hook['event'])
      const event = hook['event'] as EventName
      expect(check?.(spec, makeCall({ type, ...spec }, { event }).hook).map(({ message }) => message)).toEqual([])
      expect(JSON.stringify(hook)).not.toMatch(/"\$/)
    }
  })

  test('gives each hook an id of its own, with the bundle’s name in front', () => {
    const expanded = expandBundle(bundle)
    const ids = expanded.ok ? expanded.hooks.map(({ id }) => String(id)) : []
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id.startsWith(`${bundle.name}:`)).toBe(true)
  })
})

test('a parameter fills its place and keeps its kind; hooks that need one that is missing are left out', () => {
  const full = expandBundle(bundles['quality']!, { tests: ['npm', 'test'], test_timeout: '2m' })
  expect(full).toMatchObject({ ok: true })
  expect(full.ok && full.hooks.find(({ id }) => id === 'quality:tests')).toEqual({
    id: 'quality:tests',
    event: 'stop',
    timeout: '2m',
    run: { type: 'builtin', name: 'require_tests_on_stop', args: { command: ['npm', 'test'] } },
  })
  const bare = expandBundle(bundles['quality']!)
  expect(bare.ok && bare.hooks.map(({ id }) => id)).toEqual(['quality:note-work', 'quality:run-what-you-edit'])
})

test('each bundle that `init` offers has parameters, each with an example', () => {
  expect(starters).toHaveLength(10)
  for (const bundle of starters) {
    expect([bundle.name, Object.keys(bundle.parameters).length > 0]).toEqual([bundle.name, true])
    for (const [name, { example }] of Object.entries(bundle.parameters))
      expect([bundle.name, name, example]).not.toContain(undefined)
  }
})

test('in a list, the values of a parameter stand where its name does', () => {
  const bundle: Bundle = {
    name: 'b',
    doc: '',
    parameters: { more: { doc: '', default: [] }, left_out: { doc: '' } },
    hooks: [],
    rules: [
      { id: 'a', deny: { run: ['one', '$more', '$left_out'] }, except: { run: '$more' } },
      { id: 'own', deny: { run: '$more' } },
    ],
  }
  expect(expandBundle(bundle)).toMatchObject({ rules: [{ id: 'b:a', deny: { run: ['one'] } }] })
  expect(JSON.stringify(expandBundle(bundle)), 'an exception for nothing is none').not.toContain('except')
  expect(expandBundle(bundle, { more: ['two', 'three'] })).toMatchObject({
    rules: [{ deny: { run: ['one', 'two', 'three'] }, except: { run: ['two', 'three'] } }, { id: 'b:own' }],
  })
})

test('a value that cannot be chosen is a problem, with the nearest named', () => {
  expect(expandBundle(bundles['git-safe']!, { force_push: 'aks' })).toEqual({
    ok: false,
    detail: 'the force_push of the bundle git-safe is one of ask, deny. Did you mean `ask`?',
  })
})

test('an unknown parameter is a problem, with the nearest named', () => {
  expect(expandBundle(bundles['security']!, { mod: 'warn' })).toEqual({
    ok: false,
    detail: 'the bundle security has no parameter `mod`. Did you mean `mode`?',
  })
})

test('hooks are muted by id or by glob', () => {
  expect(isMuted('security:self-protection', ['security:self-protection'])).toBe(true)
  expect(isMuted('security:self-protection', ['security:*'])).toBe(true)
  expect(isMuted('security:self-protection', ['secrets:*', 'security'])).toBe(false)
  expect(isMuted('a.b:c', ['a?b:c', 'axb:*'])).toBe(false)
})
