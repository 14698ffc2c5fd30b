import { describe, expect, it } from 'vitest'
import { createHooks, fileState, memoryState, type RuleEntry } from '../../src/index.ts'
import { scratch } from '../support/scratch.ts'

const asks: RuleEntry = { id: 'ask', ask: { tool: 'refund' }, because: 'Money leaves.' }
const call = (amount = 5) => ({ session_id: 's1', tool_name: 'refund', tool_input: { amount } })

describe('judgeTool', () => {
  it('a question that is kept is answered by other hooks, once', async () => {
    const state = fileState(scratch())
    const first = await createHooks({ rules: [asks], state })
    const judged = await first.judgeTool(call())
    expect(judged).toMatchObject({ outcome: 'asks', reason: expect.stringContaining('Money leaves.') })
    const token = await judged.keep()
    await first.close()

    const second = await createHooks({ rules: [asks], state })
    const approved = await second.judgeTool(call(), { approval: token })
    expect(approved).toMatchObject({ outcome: 'allowed', source: 'user_approved' })
    expect(await approved.run(() => 'paid')).toMatchObject({ outcome: 'ran', output: 'paid' })
    const again = await second.judgeTool(call(), { approval: token })
    expect(again).toMatchObject({ outcome: 'refused', source: 'approval_not_valid' })
    await second.close()
  })

  it.each([
    ['another input', call(6), [asks]],
    ['another session', { ...call(), session_id: 's2' }, [asks]],
    ['another person', { ...call(), principal: 'eve' }, [asks]],
    ['other rules', call(), [asks, { id: 'more', deny: { tool: 'delete_account' } }]],
  ])('an approval does not hold for %s', async (_what, given, rules) => {
    const state = memoryState()
    const first = await createHooks({ rules: [asks], state })
    const token = await (await first.judgeTool(call())).keep()
    const second = await createHooks({ rules: rules as RuleEntry[], state })
    expect(await second.judgeTool(given, { approval: token })).toMatchObject({ outcome: 'refused' })
    await Promise.all([first.close(), second.close()])
  })

  it('of ten that use one answer at the same time, one may run', async () => {
    const hooks = await createHooks({ rules: [asks], state: fileState(scratch()) })
    const token = await (await hooks.judgeTool(call())).keep()
    const all = await Promise.all(Array.from({ length: 10 }, () => hooks.judgeTool(call(), { approval: token })))
    expect(all.filter(({ outcome }) => outcome === 'allowed')).toHaveLength(1)
    await hooks.close()
  })

  it('what nobody has answered does not run', async () => {
    const hooks = await createHooks({ rules: [asks] })
    const outcome = await (await hooks.judgeTool(call())).run(() => 'paid')
    expect(outcome).toMatchObject({ outcome: 'refused', source: 'non_interactive_deny' })
    await hooks.close()
  })
})

it('rules may depend on whom the agent works for', async () => {
  const hooks = await createHooks({
    rules: [
      { id: 'guests', deny: { tool: 'refund' }, when: { principal: 'guest-*' } },
      { id: 'acme', deny: { tool: 'export' }, when: { tenant: 'acme' } },
    ],
  })
  const outcome = async (tool_name: string, about: object) =>
    (await hooks.guardTool({ tool_name, tool_input: {}, principal: 'amy', tenant: 'other', ...about }, () => 1)).outcome
  expect(await outcome('refund', { principal: 'guest-7' })).toBe('refused')
  expect(await outcome('refund', {})).toBe('ran')
  expect(await outcome('export', { tenant: 'acme' })).toBe('refused')
  expect(await outcome('export', {})).toBe('ran')
  await hooks.close()
})

it('a session in shadow enforces nothing, and its verdicts say what would have been', async () => {
  const hooks = await createHooks({ rules: [{ id: 'no', deny: { tool: 'refund' }, because: 'Never.' }] })
  const notes: string[] = []
  const session = hooks.session(
    's1',
    {},
    { shadow: true, onVerdict: (v) => notes.push(...v.notes.map((n) => n.message)) },
  )
  expect(await session.guardTool({ tool_name: 'refund', tool_input: {} }, () => 'paid')).toMatchObject({
    outcome: 'ran',
  })
  expect(notes.join()).toContain('Never.')
  await hooks.close()
})
