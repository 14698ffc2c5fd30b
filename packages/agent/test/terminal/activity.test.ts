import { notApproved, paintFor } from 'hookline/internal'
import { expect, it, onTestFinished } from 'vitest'
import { createHooks } from '../../../hookline/src/hooks/index.ts'
import { watchHooks } from '../../src/terminal/activity.ts'

const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const payload = { session_id: 's', cwd: '/', agent_name: 'root' }

async function watched() {
  const run = { type: 'builtin', name: 'redact_secrets' } as const
  const hooks = await createHooks({
    journal: false,
    hooks: [
      { event: 'before_llm_call', run },
      { event: 'pre_tool_use', run },
    ],
  })
  onTestFinished(() => hooks.close())
  const activity = watchHooks(paintFor({ isTTY: false }))
  activity.setHooks(hooks.hooks)
  return { hooks, activity }
}

it('a rewrite that comes again at every model call is shown once, with who made it and why', async () => {
  const { hooks, activity } = await watched()
  const call = async () => {
    const messages = [{ role: 'user', content: `use ${secret}` }]
    const verdict = await hooks.raise('before_llm_call', { ...payload, iteration: 1, model_id: 'm', messages } as never)
    return { lines: activity.record(verdict as never, 1), verdict }
  }
  const first = await call()
  expect(first.lines).toEqual([
    '  ~ redact_secrets rewrote messages of before_llm_call',
    '    Redacted secret material from messages',
  ])
  expect((await call()).lines).toEqual([])
  expect(activity.summary().join()).toContain('2 rewrote')
  // What the hook says to the person is the reason above: it is not shown again.
  expect(first.verdict.message?.map(activity.isShown)).toEqual([true])
})

it('the rewrite of each tool call is shown', async () => {
  const { hooks, activity } = await watched()
  const call = async (id: string) => {
    const tool = { tool_name: 'shell', tool_use_id: id, tool_input: { cmd: `echo ${secret}` } }
    return activity.record((await hooks.raise('pre_tool_use', { ...payload, ...tool } as never)) as never, 1)
  }
  const one = await call('c1')
  expect(one[0]).toBe('  ~ redact_secrets rewrote tool_input of shell')
  expect(await call('c1')).toEqual([])
  expect(await call('c2')).toEqual(one)
})

it('a hook that did not finish because the person stopped the work has not failed', async () => {
  const stop = new AbortController()
  const hooks = await createHooks({ journal: false })
  onTestFinished(() => hooks.close())
  hooks.on('turn_start', () => {
    stop.abort()
    return new Promise<never>(() => {})
  })
  const activity = watchHooks(paintFor({ isTTY: false }))
  const verdict = await hooks.raise('turn_start', payload, { signal: stop.signal })
  expect(verdict.reports).toMatchObject([{ failure: { kind: 'aborted' } }])
  expect(verdict.message).toBeUndefined()
  expect(activity.record(verdict as never, 1)).toEqual([])
  expect(activity.summary().join()).not.toContain('failed')
})

it('what a project has written that nobody has approved is announced to the person, not explained to the model', async () => {
  const activity = watchHooks(paintFor({ isTTY: false }))
  const reason = `Refused by a hook of this project (a.yaml:3). ${notApproved}`
  const report = {
    hook: 'h',
    stage: 'rule',
    asked: true,
    outcome: 'deny',
    opinion: { decision: { ruling: 'deny', reason } },
  }
  const verdict = { event: 'pre_tool_use', payload: { tool_name: 'shell' }, reports: [report], notes: [] }
  expect(activity.record(verdict as never, 1)).toEqual([
    '  ✗ h blocked shell',
    '    Refused by a hook of this project (a.yaml:3). Its own words follow; the agent reads them once the file is approved.',
  ])
})
