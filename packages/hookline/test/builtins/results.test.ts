import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampleToken } from '../../src/builtins/parts.ts'
import { askBuiltin } from '../support/ask-builtin.ts'
import { makeWorld, type RealWorld } from '../support/world.ts'

let world: RealWorld
beforeEach(() => {
  world = makeWorld()
})
afterEach(() => world.remove())

const transform = (response: unknown, more: Record<string, unknown> = {}) =>
  askBuiltin(
    'limit_large_tool_results',
    'tool_response_transform',
    { tool_name: 'shell', tool_input: {}, tool_category: 'shell', tool_response: response, ...more },
    undefined,
    world,
  )
const shown = async (response: unknown) => String((await transform(response))?.rewrite?.value)

describe('limit_large_tool_results', () => {
  test('a result of many lines is put aside whole, and its last 2,000 lines are shown', async () => {
    const lines = Array.from({ length: 2_001 }, (_, index) => `line ${index}`)
    const text = await shown(lines.join('\n'))
    const path = /in a file: (\S+)/.exec(text)?.[1] ?? ''
    expect(readFileSync(path, 'utf8')).toBe(lines.join('\n'))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(text).toMatch(/^Tool call result was too large \(\d+ bytes; limit 51200 bytes\)\./)
    expect(text.split('\n\n').at(-1)?.split('\n')).toEqual(lines.slice(1))
  })

  test('exactly 2,000 lines, ended by a newline or not, are not too many', async () => {
    expect(await transform('x\n'.repeat(2_000))).toBeUndefined()
    expect(await transform(`${'x\n'.repeat(1_999)}x`)).toBeUndefined()
    expect(await transform('x\n'.repeat(2_001))).toBeDefined()
  })

  test('a long line is cut to 51,200 bytes, never inside a character', async () => {
    const tail = (await shown('€'.repeat(20_000))).split('\n\n').at(-1) ?? ''
    expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(51_200)
    expect(tail).toMatch(/^€+$/)
  })

  test('a structured result is put aside as JSON', async () => {
    const text = await shown({ rows: Array.from({ length: 10_000 }, (_, id) => ({ id })) })
    expect(text).toContain('Tool call result was too large')
  })

  test('the files of a session go with it, and a session cannot name its way out', async () => {
    await transform('x\n'.repeat(3_000))
    expect(existsSync(join(world.dataDir, 'tool-results', 's1'))).toBe(true)
    await askBuiltin('limit_large_tool_results', 'session_end', { session_id: 's1' }, undefined, world)
    expect(existsSync(join(world.dataDir, 'tool-results', 's1'))).toBe(false)
    await transform('x\n'.repeat(3_000), { session_id: '../../escape' })
    await transform('x\n'.repeat(3_000), { session_id: '..' })
    expect(readdirSync(join(world.dataDir, 'tool-results')).sort()).toEqual(['%2E%2E', '%2E%2E%2F%2E%2E%2Fescape'])
  })
})

describe('tool_audit_log', () => {
  test('writes one line per call, without secrets', async () => {
    const token = sampleToken
    const call = { tool_name: 'shell', tool_input: { command: `echo ${token}` }, tool_response: 'ok' }
    await askBuiltin('tool_audit_log', 'post_tool_use', call, undefined, world)
    await askBuiltin('tool_audit_log', 'post_tool_use_failure', { ...call, error: 'no' }, undefined, world)
    const lines = readFileSync(join(world.dataDir, 'tool-audit.jsonl'), 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        event: 'post_tool_use',
        session_id: 's1',
        tool_name: 'shell',
        tool_input: { command: 'echo [REDACTED:github-token]' },
      },
      { event: 'post_tool_use_failure', error: 'no' },
    ])
  })
})

describe('redact_secrets', () => {
  test('a structured result stays structured, and a key that is a secret goes too', async () => {
    const token = sampleToken
    const response = { list: [{ note: token }], [token]: 1, count: 2 }
    const opinion = await askBuiltin('redact_secrets', 'tool_response_transform', {
      tool_name: 't',
      tool_input: {},
      tool_response: response,
    })
    expect(opinion?.rewrite?.mode).toBe('replace')
    expect(JSON.stringify(opinion)).not.toContain(token)
    expect(opinion?.rewrite?.value).toMatchObject({ list: [{ note: '[REDACTED:github-token]' }], count: 2 })
  })
})
