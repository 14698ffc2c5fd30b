import { existsSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHooks } from '../../src/hooks/index.ts'
import { hookline } from '../support/cli.ts'
import fc from '../support/property.ts'
import { scratch } from '../support/scratch.ts'

const builtin = (id: string, name: string, more = '') =>
  `  - { id: ${id}, event: pre_tool_use, run: { type: builtin, name: ${name}${more} } }\n`
const head = 'version: 1\nhooks:\n'

/** A project whose agent has lived through these tool calls. */
async function lived(config: string, calls: readonly { tool_name: string; tool_input: Record<string, unknown> }[]) {
  const cwd = scratch({ 'hookline.yaml': config })
  const journal = join(cwd, 'journal.jsonl')
  const hooks = await createHooks({ config: join(cwd, 'hookline.yaml'), cwd, journal: { file: journal } })
  for (const [number, call] of calls.entries())
    await hooks.raise('pre_tool_use', { session_id: `s${number % 3}`, cwd, ...call })
  await hooks.close()
  const replay = async (...args: string[]) => {
    const { stdout, stderr, exit } = await hookline(['replay', '--journal', journal, ...args], '', { cwd })
    return { stdout, stderr, exit }
  }
  const changes = async (...args: string[]) => JSON.parse((await replay('--json', ...args)).stdout)
  const candidate = (text: string) => {
    writeFileSync(join(cwd, 'candidate.yaml'), text)
    return ['--config', 'candidate.yaml']
  }
  return { cwd, replay, changes, candidate }
}

const shell = (command: string) => ({ tool_name: 'shell', tool_input: { command } })

describe('hookline replay', () => {
  it('says that a journal without payloads cannot be replayed, and not that nothing would change', async () => {
    const { cwd, replay } = await lived(`${head}${builtin('guard', 'safer_shell')}`, [])
    const hooks = await createHooks({
      config: join(cwd, 'hookline.yaml'),
      journal: { file: join(cwd, 'journal.jsonl'), payload: 'digest' },
    })
    await hooks.raise('pre_tool_use', { cwd, ...shell('rm -rf /') })
    await hooks.close()
    const { stdout, stderr } = await replay()
    expect(stdout).not.toContain('Nothing would change')
    expect(stderr).toContain('journal: { payload: full }')
  })

  it('a policy of a fleet is tried as if it were in force, before anybody has signed it', async () => {
    const { changes, replay } = await lived('version: 1\nrules:\n  - deny: { run: fly }\n', [
      shell('make x'),
      shell('ls'),
    ])
    const policy = scratch({
      'default/hookline.yaml': 'version: 1\nrules:\n  - deny: { run: make }\n',
      'canary/hookline.yaml': 'version: 1\nrules:\n  - deny: { run: ls }\n',
    })
    const changed = async (...args: string[]) => JSON.stringify((await changes('--policy', policy, ...args)).changes)
    const named = (text: string) =>
      ['make x', ' ls', '"ls"']
        .filter((command) => text.includes(command))
        .map((each) => each.trim().replaceAll('"', ''))
    expect(named(await changed())).toEqual(['make x'])
    expect(named(await changed('--group', 'canary'))).toEqual(['ls'])
    expect(await replay('--group', 'canary')).toMatchObject({ exit: 64 })
  })

  it('the same config shows no change, whatever happened', async () => {
    const config = `version: 1
use: [security, secrets]
hooks:
  - { id: limit, event: pre_tool_use, run: { type: builtin, name: rate_limit, args: { limit: 3, seconds: 3600 } } }
  - { id: wrap, event: pre_tool_use, matcher: { tool: shell }, run: 'jq -c "{rewrite: {mode: \\"merge\\", value: {cwd: \\"/tmp\\"}}, context: .tool_name}"' }
  - { id: odd, event: pre_tool_use, on_failure: warn, run: 'exit 7' }
  - { id: shadow, event: pre_tool_use, mode: shadow, run: 'exit 2' }
`
    const word = fc.constantFrom(
      'rm',
      '-rf',
      '/',
      'ls',
      'git',
      'push',
      '--force',
      '|',
      'sh',
      `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`,
      'é\u2028',
      '"',
    )
    const call = fc.oneof(
      fc.array(word, { maxLength: 6 }).map((words) => shell(words.join(' '))),
      fc.record({ tool_name: fc.constantFrom('edit', 'read'), tool_input: fc.dictionary(fc.string(), fc.jsonValue()) }),
    )
    const long = shell(`echo ${'x'.repeat(300_000)}`)
    const { changes } = await lived(config, [...fc.sample(call, { numRuns: 24, seed: 7 }), long])
    const { replayed, unchanged, changes: found, impossible } = await changes()
    expect(found).toEqual([])
    expect({ replayed, unchanged, impossible }).toEqual({ replayed: 25, unchanged: 25, impossible: {} })
  })

  it('lists what would be newly blocked, asked about, allowed, rewritten and added as context, with the numbers to look it up', async () => {
    const calls = [shell('ls'), shell('rm -rf /'), { tool_name: 'edit', tool_input: { path: 'a' } }]
    const { changes, candidate, replay } = await lived(head + builtin('guard', 'security_guard'), calls)
    const none = candidate(`${head}  []\n`)
    expect(await changes(...none)).toMatchObject({
      unchanged: 2,
      changes: [{ seq: 2, kind: 'allowed', before: 'deny', after: 'no-opinion' }],
    })
    const strict = candidate(
      head + builtin('guard', 'safer_shell') + builtin('no', 'block_tools', ', args: { tools: [edit] }'),
    )
    const { changes: found } = await changes(...strict)
    expect(found).toMatchObject([
      { seq: 2, kind: 'asked', before: 'deny', after: 'ask', by: ['guard'] },
      { seq: 3, kind: 'blocked', before: 'no-opinion', after: 'deny', by: ['no'] },
    ])
    const { stdout, exit } = await replay(...strict, '--fail-on-change')
    expect(exit).toBe(1)
    expect(stdout).toMatch(/✖ 1 newly blocked\n\s+#3 {2}pre_tool_use {2}edit a {2}none → deny\n\s+no: /)
    expect((await replay(...strict)).exit).toBe(0)
    const telling = candidate(
      head + builtin('guard', 'security_guard') + builtin('say', 'add_context', ', args: { templates: [mind] }'),
    )
    expect((await changes(...telling, '--limit', '1')).changes).toMatchObject([
      { seq: 3, kind: 'context', after: '["mind"]' },
    ])
  })

  it('rules judge anew what they judged before, by how they are now', async () => {
    const { changes, candidate } = await lived('version: 1\nrules:\n  - deny: { run: npm publish }\n', [
      ...['npm publish', 'npm test'].map(shell),
    ])
    const { changes: found, not_replayed } = await changes(
      ...candidate('version: 1\nrules:\n  - id: tests\n    deny: { run: npm test }\n'),
    )
    expect(not_replayed).toEqual({})
    expect(found).toMatchObject([
      { kind: 'allowed', about: 'shell npm publish' },
      { kind: 'blocked', about: 'shell npm test', rules: ['tests'] },
    ])
  })

  it('what acts is not run: its recorded answer is used while it is the same, and listed as not replayed when it is not', async () => {
    const acting = (more: string) => `${head}  - { id: act, event: pre_tool_use, run: 'touch ran; exit 2 ${more}' }\n`
    const { cwd, changes, candidate, replay } = await lived(acting(''), [shell('ls')])
    unlinkSync(join(cwd, 'ran'))
    expect(await changes()).toMatchObject({ unchanged: 1, not_replayed: {} })
    const other = candidate(acting('# otherwise'))
    expect(await changes(...other)).toMatchObject({
      changes: [{ kind: 'allowed', doubts: ['act was not replayed'] }],
      not_replayed: { act: 1 },
    })
    expect((await replay(...other)).stdout).toMatch(/Not replayed.*act \(1 ×\).*--run act/s)
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect(await changes(...other, '--run', 'act', '--trust', 'all')).toMatchObject({ unchanged: 1, not_replayed: {} })
    expect(existsSync(join(cwd, 'ran'))).toBe(true)
  })

  it('hooks that are let run need approval like any other', async () => {
    const { cwd, changes, candidate } = await lived(head + builtin('guard', 'safer_shell'), [shell('ls')])
    await changes(...candidate(`${head}  - { id: a, event: pre_tool_use, run: 'touch ran' }\n`), '--run', 'all')
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  it('what happened in other projects is not replayed, unless --everywhere is passed', async () => {
    const env = { XDG_STATE_HOME: scratch() }
    const elsewhere = scratch({ 'hookline.yaml': head + builtin('guard', 'safer_shell') })
    const input = JSON.stringify({ event: 'pre_tool_use', ...shell('ls') })
    await hookline(['dispatch', '--trust', 'all'], input, { cwd: elsewhere, env })
    const run = (cwd: string, ...args: string[]) => hookline(['replay', '--json', ...args], '', { cwd, env })
    const here = scratch({ 'hookline.yaml': head + builtin('guard', 'safer_shell') })
    expect(JSON.parse((await run(here)).stdout)).toMatchObject({ replayed: 0 })
    expect(JSON.parse((await run(here, '--everywhere')).stdout)).toMatchObject({ replayed: 1 })
    expect(JSON.parse((await run(elsewhere)).stdout)).toMatchObject({ replayed: 1 })
  })

  it('a failure fails again, and the policy of the candidate decides what it amounts to', async () => {
    const failing = (policy: string) =>
      `${head}  - { id: f, event: pre_tool_use, on_failure: ${policy}, run: 'exit 7' }\n`
    const { changes, candidate } = await lived(failing('warn'), [shell('ls')])
    expect((await changes(...candidate(failing('closed')))).changes).toMatchObject([{ kind: 'blocked', by: ['f'] }])
  })

  it('says what it cannot know: payloads that were not kept, secrets that were removed', async () => {
    const token = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
    const { changes, candidate } = await lived(head + builtin('secrets', 'redact_secrets'), [shell(`echo ${token}`)])
    expect((await changes()).changes).toEqual([])
    const { changes: found } = await changes(
      ...candidate(head + builtin('no', 'block_tools', ', args: { tools: [shell] }')),
    )
    expect(found).toMatchObject([{ kind: 'blocked', doubts: ['secrets were removed'] }])
    const unknown = await hookline(['replay', '--run', 'nobody'], '', {
      cwd: scratch({ 'hookline.yaml': `${head}  []\n` }),
    })
    expect(unknown).toMatchObject({ exit: 64, stderr: expect.stringMatching(/no hook here is called `nobody`/) })
  })
})
