import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeToken } from '../../src/trust/index.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const config = `version: 1
hooks:
  - id: guard
    event: pre_tool_use
    matcher: { tool: shell, args: { path: $.command, matches: '^rm ' } }
    run: "touch ran; echo 'no deleting' >&2; exit 2"
  - id: hint
    event: pre_tool_use
    run: "echo '{\\"context\\":\\"mind the gap\\"}'"
  - { id: editor, event: pre_tool_use, matcher: { tool: edit }, run: exit 0 }
  - { id: off, event: pre_tool_use, enabled: false, run: exit 0 }
  - { id: quiet, event: pre_tool_use, mode: shadow, run: exit 2 }
  - { id: later, event: pre_tool_use, stage: 1, run: exit 0 }
  - { id: end, event: stop, run: exit 0 }
`
const remove = ['--tool', 'shell', '--command', 'rm -rf /']

interface Explanation {
  event: string
  stages: string[][]
  hooks: {
    id: string
    asked: boolean
    why: string | null
    untrusted: object | null
    matcher: { saw: string[]; passes: boolean }[]
  }[]
  fold?: { hook: string; outcome: string; counts: boolean; so_far: object }[]
  verdict?: { decision: object | null }
}

async function explain(args: readonly string[], input = '') {
  const cwd = scratch({ 'hookline.yaml': config })
  const session = await hookline(['explain', ...args], input, { cwd })
  return { ...session, cwd, json: args.includes('--json') ? (JSON.parse(session.stdout) as Explanation) : undefined }
}

describe('hookline explain', () => {
  it('shows which hooks would run in which stage, which not and why, and what each test saw; nothing runs', async () => {
    const { exit, cwd, json, stderr } = await explain([...remove, '--json'])
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(json).toMatchObject({ event: 'pre_tool_use', stages: [['guard', 'hint', 'quiet'], ['later']] })
    expect(json!.hooks.map(({ id, why }) => [id, why])).toEqual([
      ['guard', null],
      ['hint', null],
      ['editor', 'matcher'],
      ['off', 'disabled'],
      ['quiet', null],
      ['later', null],
    ])
    expect(json!.hooks[0]!.matcher).toMatchObject([
      { saw: ['shell'], passes: true },
      { saw: ['rm -rf /'], passes: true },
    ])
    expect(json!.hooks[2]!.matcher).toMatchObject([{ saw: ['shell'], passes: false }])
    expect(json).not.toHaveProperty('verdict')
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  it('reads well', async () => {
    const { stdout } = await explain(remove)
    expect(stdout).toMatch(/^Stage 0: 3 hooks, run together$/m)
    expect(stdout).toMatch(/^ {4}✔ {2}args\.command {2}\/\^rm \/ {2}saw "rm -rf \/"$/m)
    expect(stdout).toMatch(/^ {4}✖ {2}tool {2}edit {2}saw "shell"$/m)
    expect(stdout).toContain('it is disabled')
    expect(stdout).toContain('On other events: stop (1 hook).')
  })

  it('shows which matching hooks would not run because they are not approved', async () => {
    const { stdout, json } = await explain([...remove, '--json'])
    expect(stdout).toContain('hookline approve')
    expect(json!.hooks.filter(({ untrusted }) => untrusted).map(({ id }) => id)).toEqual([
      'guard',
      'hint',
      'quiet',
      'later',
    ])
    expect((await explain([...remove, '--trust', 'all'])).stdout).not.toContain('would not run')
  })

  it('--run shows what each hook answered, the verdict so far after each, and the verdict', async () => {
    const { json, cwd } = await explain([...remove, '--run', '--trust', 'all', '--json'])
    expect(json!.fold!.map(({ hook, outcome, counts }) => [hook, outcome, counts])).toEqual([
      ['guard', 'deny', true],
      ['hint', 'no-opinion', true],
      ['quiet', 'deny', false],
    ])
    const denied = { ruling: 'deny', reason: 'no deleting' }
    expect(json!.fold!.map((step) => step.so_far)).toEqual([
      { decision: denied },
      { decision: denied, context: ['mind the gap'] },
      { decision: denied, context: ['mind the gap'] },
    ])
    expect(json!.verdict).toMatchObject({ decision: denied, context: ['mind the gap'] })
    expect(existsSync(join(cwd, 'ran'))).toBe(true)
  })

  it('--run shows steps that end in the verdict, where a stronger layer rewrites the same as a weaker one', async () => {
    const writes = (id: string, command: string, stage = 0) => {
      const reply = JSON.stringify({ rewrite: { command } })
      return { id, event: 'pre_tool_use', stage, run: `echo '${reply}'` }
    }
    const file = (...hooks: object[]) => JSON.stringify({ version: 1, hooks })
    const root = scratch({
      'home/.config/hookline/hooks.json': file(writes('mine', 'echo mine')),
      'work/.git/HEAD': '',
      'work/hookline.json': file(writes('beside', 'echo beside'), writes('after', 'echo after', 1)),
    })
    const env = { HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'home/.config') }
    const args = ['explain', ...remove, '--run', '--trust', 'all', '--json']
    const { stdout } = await hookline(args, '', { cwd: join(root, 'work'), env })
    const { fold, verdict } = JSON.parse(stdout) as Explanation
    const rewrite = { mode: 'replace', value: { command: 'echo mine' } }
    const steps = fold!.map(({ hook, so_far }) => [hook, so_far])
    expect(steps).toEqual(['mine', 'beside', 'after'].map((id) => [id, { rewrite }]))
    expect(verdict).toMatchObject({ rewrite: { value: rewrite.value } })
  })

  it('--run shows which hooks did not run after all', async () => {
    const { stdout } = await explain([...remove, '--run', '--trust', 'all'])
    expect(stdout).toMatch(/later.*\n {4}did not run: an earlier stage has decided already/)
    expect(stdout).toMatch(/^Verdict: deny, context\n {2}deny: no deleting$/m)
  })

  it('--run needs --trust for files that are not approved', async () => {
    const { exit, stderr, cwd } = await explain([...remove, '--run'])
    expect(exit).toBe(64)
    expect(stderr).toContain('--trust all')
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  it('--run needs no --trust once everything that would run is approved', async () => {
    const state = scratch()
    mkdirSync(join(state, 'hookline'), { mode: 0o700 })
    const env = { XDG_STATE_HOME: state, HOOKLINE_APPROVE_TOKEN: makeToken(join(state, 'hookline')) }
    const cwd = scratch({ 'hookline.yaml': config })
    const approve = (...ids: string[]) => hookline(['approve', ...ids, '--yes'], '', { cwd, env })
    const run = () => hookline(['explain', ...remove, '--run'], '', { cwd, env })
    expect((await approve('guard', 'hint', 'quiet')).exit).toBe(0)
    const early = await run()
    expect(early).toMatchObject({ exit: 64, stderr: expect.stringContaining('later is not approved') })
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    expect((await approve('later')).exit).toBe(0)
    const { exit, stdout } = await run()
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^Verdict: deny, context$/m)
    expect(existsSync(join(cwd, 'ran'))).toBe(true)
  })

  it.each([
    ['crush', { 'crush.json': JSON.stringify({ hooks: { PreToolUse: [{ matcher: '^bash$', command: 'cat' }] } }) }],
    [
      'docker-agent',
      {
        'agent.yaml':
          'agents:\n  root:\n    model: openai/x\n    hooks:\n      pre_tool_use:\n        - matcher: shell\n          hooks: [{ type: command, command: cat }]\n',
      },
    ],
  ])('a hook of %s that runs shows no test that fails, whatever its system calls the tool', async (_system, files) => {
    const cwd = scratch(files)
    const args = ['explain', ...remove, '--config', Object.keys(files)[0]!, '--json']
    const { stdout } = await hookline(args, '', { cwd })
    const { hooks } = JSON.parse(stdout) as Explanation
    expect(hooks).toMatchObject([{ asked: true, matcher: [{ passes: true }] }])
  })

  it('reads a payload, in the shape of any system', async () => {
    const native = '{"event":"PreToolUse","tool_name":"edit","tool_input":{}}'
    expect((await explain(['--json'], native)).json!.stages[0]).toContain('editor')
    const claude = '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"edit","tool_input":{},"cwd":"/"}'
    expect((await explain(['--json', '--dialect', 'claude-code'], claude)).json!.stages[0]).toContain('editor')
    expect((await explain(['--json', '--event', 'Stop'], '{}')).json!.stages).toEqual([['end']])
  })

  it('shows a call as an agent would make it, and what that agent makes of the verdict', async () => {
    const { json } = await explain(['rm -rf /', '--host', 'gemini', '--json'])
    expect(json).toMatchObject({ payload: { tool_name: 'run_shell_command', tool_input: { command: 'rm -rf /' } } })
    expect(json!.stages[0]).toContain('guard')
    const { stdout } = await explain(['--event', 'notification', '--host', 'codex'], '{}')
    expect(stdout).toContain('Codex CLI never raises notification: none of this runs there.')
    const { exit, stderr } = await explain(['ls', '--host', 'clade'])
    expect([exit, stderr]).toEqual([64, expect.stringContaining('`claude`')])
  })

  it('shows what rules and our own guards decide, without --run', async () => {
    const file =
      'version: 1\nuse: [security]\nrules:\n  - { id: tests, allow: { run: npm test } }\n  - { id: keys, deny: { read: keys/** } }\n'
    const cwd = scratch({ 'hookline.yaml': file })
    const verdict = async (line: string) => {
      const { stdout } = await hookline(['explain', line], '', { cwd })
      return stdout.slice(stdout.indexOf('\nRules'))
    }
    expect(await verdict('rm -fr /')).toMatch(/^Verdict {3}✗ blocked by security:commands-and-files\.$/m)
    expect(await verdict('echo hi')).toMatch(/^Verdict {3}· nothing objects\.$/m)
    expect(await verdict('npm test')).toMatch(/✓ allow {2}tests .*\(does not count before you approve it/)
    expect(await verdict('cat "$X"')).toMatch(/\? ask {2}keys .*\(may match, so it asks in place of a deny\)/)
  })

  it('says that a guard which is not approved blocks', async () => {
    const { stdout } = await explain(['rm x'])
    expect(stdout).toMatch(/^Verdict {3}✗ blocked: guard, hint, later must run first/m)
  })

  it('text cannot act on the terminal', async () => {
    const { stdout } = await explain(['--tool', 'x\u001b[2Jy'])
    expect(stdout).not.toContain('\u001b')
  })

  it.each([
    [['--event', 'stopp'], 64, /Did you mean `stop`\?/],
    [['--command', 'ls'], 64, /name it with `--tool`/],
    [['--tool', 'x', '--input', '[1]'], 64, /must be one JSON object/],
    [['--event', 'pre_tool_use'], 1, /tool_name/],
  ])('%j is refused with a reason', async (args, code, words) => {
    const { exit, stderr } = await explain(args)
    expect(exit).toBe(code)
    expect(stderr).toMatch(words)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})
