import { describe, expect, test } from 'vitest'
import { bundles, expandBundle, isMuted } from '../../src/builtins/bundles/index.ts'
import { type EventName, eventNames } from '../../src/core/index.ts'
import { createBuiltinExecutor } from '../../src/executors/builtin.ts'
import { makeCall } from '../support/call.ts'

const { check } = createBuiltinExecutor()

/** Every parameter that has no default, given. */
const everything: Record<string, Record<string, unknown>> = {
  security: { allowed_write_roots: ['/work'], mode: 'warn' },
  audit: { file: 'audit.jsonl', session_usd: 5 },
  quality: { formatters: { '*.ts': ['prettier', '--write'] }, tests: ['npm', 'test'] },
  claims: { registries: [{ json: 'a.json' }] },
}

describe.each(Object.values(bundles))('the bundle $name', (bundle) => {
  test.each([
    ['with nothing chosen', {}],
    ['with everything chosen', everything[bundle.name] ?? {}],
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
