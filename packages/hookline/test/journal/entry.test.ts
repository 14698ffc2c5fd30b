import { describe, expect, it } from 'vitest'
import { note, type Report } from '../../src/core/index.ts'
import { entryOf, isEventful } from '../../src/journal/index.ts'
import { verdict } from './support.ts'

const extra = { time: '2026-01-01T00:00:00.000Z', dispatch: 'd1', generation: 3, synthetic: true }

describe('an entry describes a dispatch', () => {
  it('when, what, which config, and whether it was for real', () => {
    expect(entryOf(verdict(), { ...extra, durationMs: 2.00049 })).toMatchObject({
      ...extra,
      event: 'pre_tool_use',
      session_id: 's1',
      turn_id: 't1',
      tool_name: 'shell',
      tool_use_id: 'c1',
      duration_ms: 2,
      outcome: 'no-opinion',
    })
  })

  it('the verdict whole, but of its context and messages only how many: their text is with the hook that gave them', () => {
    const denied = verdict({
      decision: { ruling: 'deny', reason: 'no' },
      rewrite: { mode: 'merge', value: { command: 'ls -l' } },
      metadata: { blast_radius: 'low' },
      context: ['one', 'two'],
      message: ['read this'],
    })
    const entry = entryOf(denied, extra)
    expect(entry).toMatchObject({
      outcome: 'deny',
      decision: { ruling: 'deny', reason: 'no' },
      rewrite: { mode: 'merge', value: { command: 'ls -l' } },
      metadata: { blast_radius: 'low' },
      context: 2,
      messages: 1,
    })
    expect(JSON.stringify(entry)).not.toContain('read this')
  })

  it('for each hook that matched: whether it ran, what it answered or how it failed, and what it cost', () => {
    const reports: Report[] = [
      {
        ...{ hook: 'a', stage: 0, asked: true, outcome: 'deny', durationMs: 12.3456, exit: 2 },
        bytes: { stdin: 10, stdout: 0, stderr: 5 },
        opinion: { decision: { ruling: 'deny', reason: 'not here' } },
      },
      { hook: 'b', stage: 1, asked: false, skipped: { reason: 'decided', detail: 'a denied' } },
      { hook: 'other', stage: 1, asked: false, skipped: { reason: 'matcher', detail: 'tool is not edit' } },
      {
        ...{ hook: 'c', stage: 1, asked: true, outcome: 'failure', shadow: true, background: true },
        failure: { kind: 'time-out', detail: 'took longer than 30 s', remedy: 'be quick' },
      },
    ]
    const definitionOf = (hook: string) => (hook === 'a' ? 'a1' : undefined)
    expect(entryOf(verdict({ reports }), { ...extra, definitionOf }).hooks).toEqual([
      {
        ...{ id: 'a', stage: 0, asked: true, outcome: 'deny', definition: 'a1' },
        opinion: { decision: { ruling: 'deny', reason: 'not here' } },
        ...{ duration_ms: 12.346, exit: 2, bytes: { stdin: 10, stdout: 0, stderr: 5 } },
      },
      { id: 'b', stage: 1, asked: false, skipped: 'decided' },
      {
        ...{ id: 'c', stage: 1, asked: true, outcome: 'failure', shadow: true, background: true },
        failure: { kind: 'time-out', detail: 'took longer than 30 s' },
      },
    ])
  })

  it('of notes their codes and hooks', () => {
    const notes = [note('text-sanitised', { effect: 'context' }, { hook: 'a' }), note('closed', {})]
    expect(entryOf(verdict({ notes }), extra).notes).toEqual([
      { code: 'text-sanitised', hook: 'a' },
      { code: 'closed' },
    ])
  })

  it('the payload as it was raised, so that it can be raised again', () => {
    const raised = { tool_name: 'shell', tool_input: { command: 'before' } }
    expect(entryOf(verdict(), { ...extra, payload: raised }).payload).toEqual(raised)
    expect(entryOf(verdict(), extra).payload).toEqual(verdict().payload)
  })

  it('nothing that is not there: it equals what is read back', () => {
    const entry = entryOf(verdict(), extra)
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry)
    expect(Object.values(entry)).not.toContain(undefined)
  })
})

it('a dispatch is eventful when a hook ran, something was decided, or something was noted', () => {
  const quiet = verdict({ reports: [{ hook: 'a', stage: 0, asked: false }] })
  expect(isEventful(entryOf(quiet, extra))).toBe(false)
  expect(isEventful(entryOf(verdict(), extra))).toBe(true)
  expect(isEventful(entryOf({ ...quiet, halt: { reason: 'stop' } }, extra))).toBe(true)
  expect(isEventful(entryOf({ ...quiet, notes: [note('closed', {})] }, extra))).toBe(true)
})
