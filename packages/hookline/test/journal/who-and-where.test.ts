import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/core/index.ts'
import { createHooks, defineExecutor, type HooksOptions, verifyJournal } from '../../src/index.ts'
import { type EntryInput, entryOf, queryJournal } from '../../src/journal/index.ts'
import { scratch } from '../support/scratch.ts'
import { collect, entry, newFile, verdict, writeJournal } from './support.ts'

/** Answers as an executor of rules does: with the ids of those that decided, and what the call would do. */
const rules = defineExecutor<{ deny: string }>({
  type: 'rules-like',
  doc: 'Denies commands that hold a text.',
  spec: {
    '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { deny: string } }) },
  },
  pins: () => [],
  run({ deny }, { event }) {
    const { command } = event.payload['tool_input'] as { command: string }
    const actions = [`run ${command}`]
    if (!command.includes(deny)) return { kind: 'opinion', opinion: undefined, actions }
    const decision = { ruling: 'deny', reason: 'no' } as const
    return { kind: 'opinion', opinion: { decision }, rules: ['no-force'], actions }
  },
})

async function recorded(
  { hooks: entries = [], journal = {}, ...options }: Omit<HooksOptions, 'journal'> & { journal?: object },
  raise: (hooks: Awaited<ReturnType<typeof createHooks>>) => Promise<unknown>,
) {
  const file = newFile()
  const hooks = await createHooks({ ...options, executors: [rules], hooks: entries, journal: { file, ...journal } })
  await raise(hooks)
  await hooks.close()
  return { file, entries: await collect(queryJournal(file)) }
}

const guard = { id: 'guard', event: 'pre_tool_use', run: { type: 'rules-like', deny: '--force' } } as const
const call = (command: string, more: object = {}) => ({
  ...{ session_id: 's', tool_name: 'shell', tool_use_id: 'c1', tool_input: { command } },
  ...more,
})

describe('an entry says', () => {
  it('which rules decided and what the call would do, and in which call', async () => {
    const { entries } = await recorded({ hooks: [guard] as never }, async (hooks) => {
      await hooks.raise('pre_tool_use', call('git push --force'))
      await hooks.raise('pre_tool_use', call('ls'))
    })
    expect(entries).toMatchObject([
      { call_id: 'c1', tool_use_id: 'c1', rules: ['no-force'], actions: ['run git push --force'] },
      { call_id: 'c1', actions: ['run ls'] },
    ])
    expect(entries[0]!.hooks).toMatchObject([{ id: 'guard', rules: ['no-force'] }])
    expect(entries[1]).not.toHaveProperty('rules')
  })

  it('a rule in shadow mode with its hook only: it decided nothing', async () => {
    const { entries } = await recorded({ hooks: [{ ...guard, mode: 'shadow' }] as never }, (hooks) =>
      hooks.raise('pre_tool_use', call('git push --force')),
    )
    expect(entries).toMatchObject([{ outcome: 'no-opinion', hooks: [{ shadow: true, rules: ['no-force'] }] }])
    expect(entries[0]).not.toHaveProperty('rules')
  })

  it('no secret, and no action where payloads are not kept', async () => {
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
    const raise = (hooks: Awaited<ReturnType<typeof createHooks>>) =>
      hooks.raise('pre_tool_use', call(`git push --force ${token}`))
    const { file, entries } = await recorded({ hooks: [guard] as never }, raise)
    expect(readFileSync(file, 'utf8')).not.toContain(token)
    expect(entries[0]?.actions?.[0]).toContain('REDACTED')
    for (const payload of ['digest', 'none']) {
      const without = await recorded({ hooks: [guard] as never, journal: { payload } }, raise)
      expect(without.entries).toMatchObject([{ rules: ['no-force'] }])
      expect(without.entries[0]).not.toHaveProperty('actions')
    }
  })

  it('who raised it: the system of the payload, the program that said so, or nobody', async () => {
    const theirs = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } }
    const { entries } = await recorded({ hooks: [guard] as never }, async (hooks) => {
      await hooks.raise('pre_tool_use', call('ls'))
      await hooks.raise('pre_tool_use', call('ls'), { host: { name: 'mine', version: '3' } })
      await hooks.raiseAs('claude-code', theirs)
      await hooks.raiseAs('claude-code', theirs, { host: { version: '2.1.325' } })
    })
    expect(entries.map(({ host }) => host)).toEqual([
      undefined,
      { name: 'mine', version: '3' },
      { name: 'claude-code' },
      { name: 'claude-code', version: '2.1.325' },
    ])
    const ours = await recorded({ hooks: [guard] as never, host: { name: 'mine', version: '4' } }, async (hooks) => {
      await hooks.raise('pre_tool_use', call('ls'))
      await hooks.guardTool(call('ls'), () => '')
      await hooks.raiseAs('native', { event: 'pre_tool_use', ...call('ls') })
    })
    expect(ours.entries.map(({ host }) => host)).toEqual(Array(3).fill({ name: 'mine', version: '4' }))
  })

  it('in which project: the repository, else the nearest directory with a config; elsewhere none', async () => {
    const repository = scratch({ 'packages/a/hookline.yaml': 'version: 1\nhooks: []\n' })
    mkdirSync(join(repository, '.git'))
    const plain = scratch({ 'deep/er/x': '', 'hookline.yaml': 'version: 1\nhooks: []\n' })
    const nowhere = scratch()
    const { entries } = await recorded({ hooks: [guard] as never }, async (hooks) => {
      for (const cwd of [repository, join(repository, 'packages/a'), plain, nowhere, 'relative', join(plain, 'gone')])
        await hooks.raise('pre_tool_use', call('ls', { cwd }))
    })
    expect(entries.slice(0, 5).map(({ project }) => project)).toEqual([
      ...[repository, repository, plain],
      ...[undefined, undefined],
    ])
  })

  it('that hooks ran again', () => {
    const report: Report = { hook: 'guard', stage: 0, asked: true, outcome: 'no-opinion', times: 2 }
    const extra = { time: '2026-01-01T00:00:00.000Z', dispatch: 'd', generation: 1, synthetic: false }
    expect(entryOf(verdict({ reports: [report] }), extra)).toMatchObject({ rerun: true })
    expect(entryOf(verdict(), extra)).not.toHaveProperty('rerun')
  })
})

describe('filters by', () => {
  const kept: [string, Partial<EntryInput>][] = [
    ['none', {}],
    ['old', { payload: { cwd: '/srv/web/src' } }],
    ['web', { project: '/srv/web', host: { name: 'claude-code', version: '2' }, rules: ['a', 'b'] }],
    ['api', { project: '/srv/api', host: { name: 'codex' }, rules: ['b'] }],
    ['shadow', { hooks: [{ id: 'h', stage: 0, asked: true, shadow: true, rules: ['c'] }] }],
    ['text', { payload: { text: '"a" "host":{"name":"codex"' } }],
  ]
  it.each([
    [{ host: 'codex' }, ['api']],
    [{ host: ['codex', 'claude-code'] }, ['web', 'api']],
    [{ rule: 'a' }, ['web']],
    [{ rule: 'b' }, ['web', 'api']],
    [{ rule: 'c' }, ['shadow']],
    [{ project: 'web' }, ['web']],
    [{ project: '/srv/web' }, ['old', 'web']],
    [{ project: '/srv' }, ['old']],
    [{ rule: 'b', host: 'codex' }, ['api']],
  ])('%j', async (filter, expected) => {
    const file = newFile()
    const { openJournal } = await import('../../src/journal/index.ts')
    const journal = await openJournal({ file, redact: (value) => value })
    for (const [dispatch, more] of kept) await journal.append(entry(1, { ...more, dispatch }))
    await journal.close()
    expect((await collect(queryJournal(file, filter))).map(({ dispatch }) => dispatch)).toEqual(expected)
  })
})

it('a journal of before is intact, is read, and goes on', async () => {
  const file = newFile()
  const before = ({ call_id: _id, ...rest }: EntryInput): EntryInput => rest
  await writeJournal(file, 3, { redact: before })
  const hooks = await createHooks({ executors: [rules], hooks: [guard] as never, journal: { file } })
  await hooks.raise('pre_tool_use', call('git push --force'))
  await hooks.close()
  expect(await verifyJournal(file)).toMatchObject({ status: 'intact' })
  const entries = await collect(queryJournal(file))
  expect(entries.map(({ call_id }) => call_id)).toEqual([undefined, undefined, undefined, 'c1'])
  expect(await collect(queryJournal(file, { rule: 'no-force' }))).toHaveLength(1)
})
