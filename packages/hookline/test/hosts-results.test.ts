import { describe, expect, it } from 'vitest'
import { createHooks, type Hooks } from '../src/hooks/index.ts'
import { hookline } from './support/cli.ts'
import { scratch } from './support/scratch.ts'

const key = ['AKIA', 'QYLPMN5HHHFP', 'ZAM2'].join('')
const env = `AWS_ACCESS_KEY_ID=${key}\nPORT=80`
const bash = (stdout: string, stderr = '') => ({
  ...{ stdout, stderr, interrupted: false, isImage: false, noOutputExpected: false },
})
const post = (tool_name: string, tool_input: object, tool_response: unknown) => ({
  ...{ session_id: 's', cwd: '/p', hook_event_name: 'PostToolUse', tool_use_id: 'toolu_1' },
  ...{ tool_name, tool_input, tool_response },
})

async function reply(host: string, payload: Record<string, unknown>, more?: (hooks: Hooks) => void) {
  const hooks = await createHooks({ use: ['secrets'], journal: false })
  more?.(hooks)
  const verdict = await hooks.raiseAs(host, payload)
  const { stdout } = await hooks.replyAs(host, verdict)
  await hooks.close()
  return JSON.parse(stdout || '{}')
}

/** The same value with every text changed. */
const shape = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? '' : each))

it('a key in what a command printed does not reach the model of Claude Code', async () => {
  const cwd = scratch({ 'hookline.json': JSON.stringify({ version: 1, use: ['secrets'] }) })
  const words = ['dispatch', '--dialect', 'claude-code', '--config', 'hookline.json', '--reply']
  const payload = post('Bash', { command: 'cat .env' }, bash(env))
  const { stdout, exit } = await hookline(words, JSON.stringify({ ...payload, cwd }), { cwd })
  const { updatedToolOutput } = JSON.parse(stdout).hookSpecificOutput
  expect(exit).toBe(0)
  expect(stdout).not.toContain(key)
  expect(updatedToolOutput).toEqual(bash(env.replace(key, '[REDACTED:aws-access-key-id]')))
})

describe('what redacts results changes them in the shape of the tool, in', () => {
  it.each<[host: string, tool: string, input: object, result: unknown]>([
    ['claude-code', 'Bash', { command: 'cat .env' }, bash('', env)],
    ['claude-code', 'Bash', { command: 'cat .env' }, { ...bash(env), structuredContent: [{ env }] }],
    [
      'claude-code',
      'Read',
      { file_path: '/p/.env' },
      { type: 'text', file: { filePath: '/p/.env', content: env, numLines: 2, startLine: 1, totalLines: 2 } },
    ],
    [
      'claude-code',
      'Grep',
      { pattern: 'AWS' },
      { mode: 'content', numFiles: 0, filenames: [], content: env, numLines: 2 },
    ],
    [
      'claude-code',
      'WebFetch',
      { url: 'https://x.example', prompt: 'p' },
      { bytes: 9, code: 200, codeText: 'OK', result: env, durationMs: 1, url: 'https://x.example' },
    ],
    [
      'claude-code',
      'Write',
      { file_path: '/p/.env', content: env },
      {
        type: 'create',
        filePath: '/p/.env',
        content: env,
        structuredPatch: [],
        originalFile: null,
        userModified: false,
      },
    ],
    [
      'claude-code',
      'Agent',
      { prompt: 'p' },
      { status: 'completed', content: [{ type: 'text', text: env }], totalTokens: 3 },
    ],
    ['claude-code', 'mcp__files__read', { path: '.env' }, [{ type: 'text', text: env }]],
    [
      'claude-code',
      'mcp__files__read',
      { path: '.env' },
      { content: [{ type: 'text', text: env }], structuredContent: { env } },
    ],
    ['claude-code', 'mcp__files__read', { path: '.env' }, env],
    ['claude-code', 'Unheard', {}, { deep: [{ env }] }],
    [
      'grok',
      'run_terminal_command',
      { command: 'cat .env' },
      { type: 'Bash', output_for_prompt: `exit: 0\n${env}`, exit_code: 0, truncated: false },
    ],
    [
      'grok',
      'read_file',
      { target_file: '.env' },
      { type: 'ReadFile', FileContent: { content: env, content_concise: env, raw_output: env, offset: null } },
    ],
  ])('%s, %s', async (host, tool, input, result) => {
    const { hookSpecificOutput } = await reply(host, post(tool, input, result))
    const { updatedToolOutput } = hookSpecificOutput
    expect(JSON.stringify(updatedToolOutput)).not.toContain(key)
    expect(JSON.stringify(updatedToolOutput)).toContain('PORT=80')
    expect(shape(updatedToolOutput)).toEqual(shape(result))
  })
})

it('where a refusal replaces the result, what is left of it is the reason', async () => {
  const given = await reply('codex', post('Bash', { command: 'cat .env' }, env))
  expect(given).toEqual({ decision: 'block', reason: env.replace(key, '[REDACTED:aws-access-key-id]') })
})

it.each([
  ['qwen', post('run_shell_command', { command: 'cat .env' }, { llmContent: env, returnDisplay: env })],
  [
    'claude-code',
    {
      ...post('Bash', { command: 'cat .env; false' }, undefined),
      hook_event_name: 'PostToolUseFailure',
      error: `Exit code 1\n${env}`,
    },
  ],
])('where %s cannot take it, the run ends', async (host, payload) => {
  const given = await reply(host, payload)
  expect(given).toMatchObject({ continue: false, stopReason: expect.stringContaining('cannot show the model') })
  expect(JSON.stringify(given)).not.toContain(key)
})

it('hooks after a tool judge the result as it was changed before, and one rewrite goes back', async () => {
  const seen: unknown[] = []
  const { hookSpecificOutput } = await reply(
    'claude-code',
    post('Bash', { command: 'cat .env' }, bash(env)),
    (hooks) => {
      hooks.on('post_tool_use', ({ payload }) => {
        seen.push(payload.tool_response)
        return { rewrite: { mode: 'replace', value: `${payload.tool_response}\n(seen)` } }
      })
    },
  )
  const redacted = env.replace(key, '[REDACTED:aws-access-key-id]')
  expect(seen).toEqual([redacted])
  expect(hookSpecificOutput.updatedToolOutput).toEqual(bash(`${redacted}\n(seen)`))
})

it('a result without anything to hide goes through, however large', async () => {
  const file = 'x\n'.repeat(40_000)
  const edited = { filePath: '/p/a', oldString: 'a', newString: 'b', originalFile: file, structuredPatch: [] }
  expect(
    await reply('claude-code', post('Edit', { file_path: '/p/a', old_string: 'a', new_string: 'b' }, edited)),
  ).toEqual({})
})

describe('guards on the final input run in a host that does not raise their event:', () => {
  const pre = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' }
  const permission = (given: { hookSpecificOutput?: { permissionDecision?: string } }) =>
    given.hookSpecificOutput?.permissionDecision

  it('they judge what hooks before made of the call, and their deny and ask hold', async () => {
    for (const ruling of ['deny', 'ask'] as const) {
      const given = await reply('claude-code', pre, (hooks) => {
        hooks.on('pre_tool_use', () => ({
          rewrite: { mode: 'merge', value: { command: 'rm -rf x' } },
          decision: { ruling: 'allow', reason: '' },
        }))
        hooks.on('tool_guard', ({ payload }) =>
          payload.tool_input['command'] === 'rm -rf x' ? { decision: { ruling, reason: 'final' } } : undefined,
        )
      })
      expect(permission(given)).toBe(ruling)
    }
  })

  it('their allow is only advice', async () => {
    const given = await reply('claude-code', pre, (hooks) => {
      hooks.on('tool_guard', () => ({ decision: { ruling: 'allow', reason: '' } }))
    })
    expect(permission(given)).toBeUndefined()
  })

  it('what a guard says on both events is said once', async () => {
    const given = await reply('claude-code', pre, (hooks) => {
      for (const event of ['pre_tool_use', 'tool_guard'] as const)
        hooks.on(event, () => ({ decision: { ruling: 'ask' as const, reason: 'Sure?' }, message: ['Look.'] }))
    })
    expect([given.hookSpecificOutput.permissionDecisionReason, given.systemMessage]).toEqual(['Sure?', 'Look.'])
  })

  it('they do not run for a call that is refused already', async () => {
    let ran = 0
    const given = await reply('claude-code', pre, (hooks) => {
      hooks.on('pre_tool_use', () => ({ decision: { ruling: 'deny', reason: 'no' } }))
      hooks.on('tool_guard', () => void ran++)
    })
    expect([permission(given), ran]).toEqual(['deny', 0])
  })
})
