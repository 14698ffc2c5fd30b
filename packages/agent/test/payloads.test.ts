import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { starchild } from '../../hookline/src/dialects/starchild/index.ts'
import { echo, texts } from '../../hookline/test/support/agent.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { stages } from '../../hookline/test/support/stages.ts'
import { createPermissions } from '../src/index.ts'
import { permissionModes } from '../src/permissions/index.ts'
import { openSessionLog, readSession } from '../src/sessions/index.ts'

const stage = stages()
const summing = { when: { purpose: 'compaction' }, say: 'In short.', repeat: true as const }

it('every payload says where the project is, who works for whom, and where the transcript can be read', async () => {
  const directory = scratch()
  const one = await stage({
    turns: [{ call: { tool: 'echo', input: { text: 1 } } }],
    tools: [echo],
    cwd: directory,
    projectDir: '/project',
    orgId: 'org_1',
    channel: 'telegram',
    openLog: async (id) => openSessionLog(directory, id),
  })
  await one.agent.prompt('hello there')
  for (const { payload } of one.raised) {
    expect(payload).toMatchObject({
      project_dir: '/project',
      org_id: 'org_1',
      agent_id: expect.stringMatching(/^agt_/),
    })
    expect(readFileSync(String(payload['transcript_path']), 'utf8')).toContain('"type":"session"')
  }
  expect(one.of('user_prompt_submit')).toMatchObject([{ channel: 'telegram' }])
  expect(readFileSync(String(one.of('stop')[0]!['transcript_path']), 'utf8')).toContain('hello there')
  const again = await stage()
  await again.agent.prompt('x')
  expect(again.of('stop')[0]?.['agent_id']).toBe(one.of('stop')[0]?.['agent_id'])
})

it('every payload says which permission mode holds, also when that changes', async () => {
  const one = await stage({ permissions: createPermissions({}) })
  const seen: unknown[] = []
  for (const mode of permissionModes) {
    one.agent.setPermissionMode(mode)
    one.raised.length = 0
    await one.agent.prompt('x')
    seen.push(...new Set(one.raised.map(({ payload }) => payload['permission_mode'])))
  }
  expect(seen).toEqual(['plan', 'default', 'accept-edits', 'yolo'])
})

it('turns of a resumed session have ids that did not come before', async () => {
  const directory = scratch()
  const openLog = async (id: string) => openSessionLog(directory, id)
  const one = await stage({ sessionId: 's', openLog })
  await one.agent.prompt('x')
  await one.agent.end('other')
  const again = await stage({ resume: await readSession(directory, 's'), openLog })
  await again.agent.prompt('y')
  const ids = [one, again].map((each) => each.of('turn_start').map(({ turn_id }) => turn_id))
  expect(ids).toEqual([['s.1'], ['s.1.1']])
})

it('clear: the session ends and starts anew, and the model reads nothing of before', async () => {
  const one = await stage({
    prepare: (hooks) => void hooks.on('session_start', ({ payload }) => ({ context: [`began by ${payload.source}`] })),
  })
  await one.agent.prompt('a secret plan')
  await one.agent.clear()
  await one.agent.prompt('and now?')
  expect(one.of('session_end')).toMatchObject([{ reason: 'clear' }])
  expect(one.of('session_start')).toMatchObject([{ source: 'startup' }, { source: 'clear' }])
  expect(JSON.stringify(one.requests.at(-1))).not.toContain('secret plan')
  expect(texts(one.requests.at(-1)!.messages, 'system')).toEqual(['began by clear'])
})

it('compact: hooks of session_start run again, since what they said at the beginning is gone', async () => {
  const one = await stage({ script: { turns: [summing], default: { say: 'hi' } } })
  await one.agent.prompt('hello')
  await one.agent.compact()
  expect(one.of('session_start')).toMatchObject([{ source: 'startup' }, { source: 'compact' }])
})

it('a prompt that a hook blocks is a failed turn, with what the hook wants the user to read', async () => {
  const one = await stage({
    prepare: (hooks) =>
      void hooks.on('user_prompt_submit', () => ({
        decision: { ruling: 'deny', reason: 'prompt contains a private key' },
        message: ['Remove the secret and resend.'],
      })),
  })
  const user_message = 'Remove the secret and resend.'
  expect(await one.agent.prompt('BEGIN RSA')).toMatchObject({ reason: 'refused', user_message })
  expect(one.happenings.filter(({ type }) => type === 'turn.failed')).toMatchObject([
    { code: 'blocked_by_hook', reason: 'prompt contains a private key', user_message },
  ])
})

it('Starchild reads the tools of a turn under its own names', () => {
  const payload = { response: 'done', tool_names: ['shell', 'fetch', 'mcp_github_search', 'mine'] }
  const event = { name: 'stop', payload, depth: 0, synthetic: false } as const
  const { body } = starchild.event.encode(event as never, {} as never)
  expect(JSON.parse(body).tool_names).toEqual(['bash', 'web_fetch', expect.stringContaining('github'), 'mine'])
})
