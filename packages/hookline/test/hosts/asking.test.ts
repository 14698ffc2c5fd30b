import { describe, expect, it } from 'vitest'
import { ourDialects } from '../../src/dialects/index.ts'
import { dialectOfHost } from '../../src/hosts/index.ts'

/** What the hooks of each agent were seen to get at its terminal, and without one. */
const claude = { AI_AGENT: 'claude-code_2-1-325_harness', CLAUDE_CODE_SESSION_ATTENDED: '1' }
const copilot = { COPILOT_CLI_BINARY_VERSION: '1.0.102' }

const audience = async (host: string, env: Record<string, string>, payload: Record<string, unknown> = {}) =>
  (await dialectOfHost(host, ourDialects)).audience?.(payload, env)

describe('whether an agent can ask', () => {
  it.each(['default', 'acceptEdits', 'plan'])('claude: at its terminal in mode %s', async (permission_mode) => {
    expect(await audience('claude', claude, { permission_mode })).toBe('person')
    expect(await audience('claude', { ...claude, CLAUDE_CODE_SESSION_ATTENDED: '0' }, { permission_mode })).toBe(
      'nobody',
    )
  })

  it.each(['auto', 'bypassPermissions', 'dontAsk', 'tomorrow', undefined])(
    'claude: in no mode that nobody has proved, as %s',
    async (permission_mode) => {
      expect(await audience('claude', claude, { permission_mode })).toBe('nobody')
    },
  )

  it.each([
    ['older than seen', { AI_AGENT: 'claude-code_2-1-99_harness' }, 'nobody'],
    ['newer', { AI_AGENT: 'claude-code_2-10-0_harness' }, 'person'],
    ['that says no version', { AI_AGENT: '' }, 'nobody'],
  ])('claude: one %s', async (_, env, expected) => {
    expect(await audience('claude', { ...claude, ...env }, { permission_mode: 'default' })).toBe(expected)
  })

  it('copilot since the version that was seen, qwen in the modes that were, the others never', async () => {
    expect(await audience('copilot', copilot)).toBe('person')
    expect(await audience('copilot', { COPILOT_CLI_BINARY_VERSION: '1.0.9' })).toBe('nobody')
    expect(await audience('qwen', {}, { permission_mode: 'yolo' })).toBe('person')
    expect(await audience('qwen', {}, { permission_mode: 'plan' })).toBe('nobody')
    for (const host of ['codex', 'gemini', 'goose', 'grok', 'cline', 'opencode', 'pi'])
      expect([host, await audience(host, {}, { permission_mode: 'default' })]).toEqual([host, 'nobody'])
  })
})
