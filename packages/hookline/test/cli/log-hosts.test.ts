import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type EntryInput, openJournal } from '../../src/journal/index.ts'
import { newFile } from '../journal/support.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

/** What two agents did in two projects, as the journal of one person keeps it. */
let journal: string
const denied = (command: string, more: Partial<EntryInput>): EntryInput => ({
  ...{ time: '2026-01-01T00:00:00.000Z', event: 'pre_tool_use', dispatch: command, generation: 1, synthetic: false },
  ...{ tool_name: 'shell', outcome: 'deny', decision: { ruling: 'deny', reason: 'no' }, notes: [] },
  hooks: [
    {
      ...{ id: 'rules:user', stage: 0, asked: true, outcome: 'deny', rules: more.rules ?? [] },
      opinion: { decision: { ruling: 'deny', reason: 'no' } },
    },
  ],
  payload: { tool_name: 'shell', tool_input: { command } },
  ...more,
})
beforeAll(async () => {
  journal = newFile()
  const writing = await openJournal({ file: journal })
  const claude = { name: 'claude-code', version: '2.1.325' }
  await writing.append(
    denied('git push --force', {
      ...{ host: claude, project: '/srv/web', rules: ['no-force'], actions: ['run git push --force', 'fetch origin'] },
      ...{ call_id: 'toolu_1', rerun: true },
    }),
  )
  await writing.append(denied('cat .env', { host: { name: 'codex' }, project: '/srv/api', rules: ['no-secrets'] }))
  await writing.append(denied('rm -rf /', { host: claude, project: '/srv/api', rules: ['no-secrets', 'no-force'] }))
  await writing.close()
})
const run = async (...args: string[]) => (await hookline([...args, '--journal', journal], '')).stdout

describe('a journal of several agents and projects', () => {
  it.each([
    [['--host', 'codex'], ['cat .env']],
    [['--project', 'api', '--rule', 'no-force'], ['rm -rf /']],
    [['--project', '/srv/web'], ['git push --force']],
  ])('log %j', async (filters, expected) => {
    const lines = (await run('log', '--json', ...filters)).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).dispatch)).toEqual(expected)
  })

  it('log names the rule that decided, and shows the rest in full', async () => {
    expect(await run('log', '--host', 'codex')).toMatch(/no-secrets/)
    const shown = await run('log', 'show', 'git push')
    for (const text of ['claude-code 2.1.325', '/srv/web', 'no-force', 'fetch origin', 'toolu_1', 'ran again'])
      expect(shown).toContain(text)
  })

  it('stats counts per rule, host and project', async () => {
    const stats = JSON.parse(await run('stats', '--json'))
    expect(stats.rules).toMatchObject([
      { rule: 'no-force', times: 2, deny: 1, allow: 0 },
      { rule: 'no-secrets', times: 2, deny: 2 },
    ])
    expect(stats.hosts).toMatchObject([
      { host: 'claude-code', times: 2, versions: ['2.1.325'] },
      { host: 'codex', times: 1, versions: [] },
    ])
    expect(stats.projects).toMatchObject([{ project: '/srv/api', times: 2 }, { project: '/srv/web' }])
    const text = await run('stats', '--host', 'codex')
    expect(text).toMatch(/rule +matched/)
    expect(text).toMatch(/no-secrets +1 +1/)
    expect(text).not.toContain('claude-code')
  })

  it('replay takes the same filters, and says of each change whose it was', async () => {
    const cwd = scratch({ 'hookline.yaml': 'version: 1\nhooks: []\n' })
    const args = ['replay', '--json', '--journal', journal, '--project', 'web']
    const { changes, replayed } = JSON.parse((await hookline(args, '', { cwd })).stdout)
    expect(replayed).toBe(1)
    expect(changes).toMatchObject([{ kind: 'allowed', host: { name: 'claude-code' }, project: '/srv/web', rules: [] }])
  })
})

it('dispatch records the host of the payload, its version where it says so, and the project', async () => {
  const cwd = scratch({ 'hookline.yaml': 'version: 1\nuse: [security]\n' })
  mkdirSync(join(cwd, '.git'))
  mkdirSync(join(cwd, 'src'))
  const own = join(scratch(), 'journal.jsonl')
  const payload = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } }
  await hookline(
    ['dispatch', '--trust', 'all', '--dialect', 'claude-code', '--journal', own],
    JSON.stringify({ ...payload, cwd: join(cwd, 'src'), tool_use_id: 't1' }),
    { cwd, env: { AI_AGENT: 'claude-code_2-1-325_agent' } },
  )
  const { stdout } = await hookline(['log', '--json', '--journal', own], '')
  expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({
    ...{ host: { name: 'claude-code', version: '2.1.325' }, project: cwd, call_id: 't1' },
  })
})
