import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHooks } from '../src/hooks/index.ts'
import { hookline } from './support/cli.ts'
import { scratch } from './support/scratch.ts'

const pre = (tool_name: string, tool_input: object) => ({ hook_event_name: 'PreToolUse', tool_name, tool_input })
const ran = { stdout: 'secret', stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
const post = { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'env' }, tool_response: ran }

it('a changed result goes back to Claude Code in the shape of its tool', async () => {
  const hooks = await createHooks({ journal: false })
  const seen: unknown[] = []
  hooks.on('post_tool_use', { tool: 'shell' }, ({ payload }) => {
    seen.push(payload.tool_response)
    return { rewrite: { mode: 'replace', value: '[gone]' } }
  })
  const verdict = await hooks.raiseAs('claude-code', post)
  const { stdout } = await hooks.replyAs('claude-code', verdict)
  await hooks.close()
  expect(seen).toEqual(['secret'])
  expect(JSON.parse(stdout).hookSpecificOutput.updatedToolOutput).toEqual({ ...ran, stdout: '[gone]' })
})

it('where a host cannot take a changed result, the model does not see the old one', async () => {
  const hooks = await createHooks({ journal: false })
  hooks.on('post_tool_use', () => ({ rewrite: { mode: 'replace', value: '[gone]' } }))
  const codex = await hooks.raiseAs('codex', { ...post, tool_response: 'secret' })
  expect(JSON.parse((await hooks.replyAs('codex', codex)).stdout)).toEqual({ decision: 'block', reason: '[gone]' })
  const qwen = await hooks.raiseAs('qwen', {
    ...post,
    tool_name: 'run_shell_command',
    tool_response: { llmContent: 'secret' },
  })
  await hooks.close()
  expect(qwen.rewrite).toBeUndefined()
  expect(qwen.halt?.reason).toContain('run_shell_command')
})

it.each([
  [undefined, 'allow'],
  ['ask', 'deny'],
  ['allow', 'allow'],
] as const)(
  'Codex gets new input beside `allow`, which approves nothing there, and never beside a refusal: %s becomes %s',
  async (ruling, wanted) => {
    const hooks = await createHooks({ journal: false })
    hooks.on('pre_tool_use', () => ({
      rewrite: { mode: 'merge', value: { command: 'ls -l' } },
      ...(ruling && { decision: { ruling, reason: 'why' } }),
    }))
    const { stdout } = await hooks.replyAs('codex', await hooks.raiseAs('codex', pre('Bash', { command: 'ls' })))
    await hooks.close()
    const { permissionDecision, permissionDecisionReason, updatedInput } = JSON.parse(stdout).hookSpecificOutput
    expect(permissionDecision).toBe(wanted)
    if (wanted === 'allow') expect(updatedInput).toEqual({ command: 'ls -l' })
    else expect([updatedInput, permissionDecisionReason]).toEqual([undefined, expect.stringContaining('cannot ask')])
  },
)

const answers = {
  ask: { decision: { ruling: 'ask', reason: 'Look first.' } },
  halt: { halt: { reason: 'Enough.' } },
  allow: { decision: { ruling: 'allow', reason: 'fine' } },
} as const

it.each([
  [
    'codex',
    'ask',
    { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(/^Look first\. codex cannot/) },
  ],
  ['codex', 'halt', { permissionDecision: 'deny', permissionDecisionReason: 'Enough.' }],
  ['codex', 'allow', undefined],
  [
    'grok',
    'ask',
    { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(/^Look first\. grok cannot/) },
  ],
  ['grok', 'halt', { permissionDecision: 'deny', permissionDecisionReason: 'Enough.' }],
  ['grok', 'allow', { permissionDecision: 'allow', permissionDecisionReason: 'fine' }],
  [
    'qwen',
    'ask',
    { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(/^Look first\. qwen cannot/) },
  ],
  ['qwen', 'halt', { permissionDecision: 'deny', permissionDecisionReason: 'Enough.' }],
] as const)('an answer that %s would ignore does not let the call run: %s', async (host, answer, wanted) => {
  const hooks = await createHooks({ journal: false })
  hooks.on('pre_tool_use', () => answers[answer])
  const { stdout, exit } = await hooks.replyAs(host, await hooks.raiseAs(host, pre('Bash', { command: 'ls' })))
  await hooks.close()
  expect(exit).toBe(0)
  const said = stdout === '' ? {} : JSON.parse(stdout)
  if (wanted) expect(said.hookSpecificOutput).toEqual({ hookEventName: 'PreToolUse', ...wanted })
  else expect(said).toEqual({})
})

it('what a host ignores is refused in a prompt too, and a request for permission still reaches its user', async () => {
  const hooks = await createHooks({ journal: false })
  hooks.on('user_prompt_submit', () => ({ halt: { reason: 'Enough.' } }))
  hooks.on('permission_request', () => answers.ask)
  const prompt = await hooks.raiseAs('codex', { hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  expect(JSON.parse((await hooks.replyAs('codex', prompt)).stdout)).toMatchObject({
    decision: 'block',
    reason: 'Enough.',
  })
  const call = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } }
  const { stdout } = await hooks.replyAs('codex', await hooks.raiseAs('codex', call))
  await hooks.close()
  expect(stdout).not.toContain('deny')
})

it.each(['mcp__github__search', 'mcp_github_search'])('docker-agent’s `mcp:.*` matches %s', async (tool) => {
  const hooksOf = { pre_tool_use: [{ matcher: 'mcp:.*', hooks: [{ type: 'command', command: 'exit 2' }] }] }
  const config = join(scratch({ 'agent.json': JSON.stringify({ agents: { root: { hooks: hooksOf } } }) }), 'agent.json')
  const hooks = await createHooks({ config, dialect: 'docker-agent', journal: false })
  const native = await hooks.raise('pre_tool_use', { tool_name: tool, tool_input: {} })
  const claude = await hooks.raiseAs('claude-code', pre('mcp__github__search', {}))
  await hooks.close()
  expect([native.decision?.ruling, claude.decision?.ruling]).toEqual(['deny', 'deny'])
})

it('the dialect of a config does not follow that of the payload', async () => {
  const run = { type: 'command', command: 'echo no >&2; exit 2' }
  const entry = { event: 'pre_tool_use', matcher: { tool: 'shell', args: { path: '$.command', matches: 'rm' } }, run }
  const cwd = scratch({ 'hookline.json': JSON.stringify({ version: 1, hooks: [entry] }) })
  const words = ['dispatch', '--dialect', 'claude-code', '--config', 'hookline.json', '--trust', 'all']
  const { stdout } = await hookline(words, JSON.stringify(pre('Bash', { command: 'rm -rf /' })), { cwd })
  expect(JSON.parse(stdout).decision).toEqual({ ruling: 'deny', reason: 'no' })
})
