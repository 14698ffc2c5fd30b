import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { makeToken } from '../../src/trust/index.ts'
import { hookline, startHookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const config = `version: 1
hooks:
  - id: guard
    event: pre_tool_use
    matcher: { tool: shell, args: { path: $.command, matches: '^git push' } }
    run: sh ./guard.sh
  - id: pnpm
    event: pre_tool_use
    matcher: { tool: shell, args: { path: $.command, matches: '^npm ' } }
    run: "echo '{\\"updated_input\\":{\\"command\\":\\"pnpm install\\"},\\"context\\":\\"We use pnpm.\\",\\"message\\":\\"rewritten\\"}'"
  - id: secrets
    event: user_prompt_submit
    run: "grep -q hunter2 && { echo 'That is a password.' >&2; exit 2; }; exit 0"
  - id: halting
    event: turn_start
    matcher: { agent: tired }
    run: "echo 'out of budget' >&2; exit 49"
  - { id: ends, event: stop, run: "echo 'not yet' >&2; exit 2" }
  - { id: limit, event: pre_tool_use, matcher: { tool: search }, run: { type: builtin, name: rate_limit, args: { limit: 2 } } }
  - { id: broken, event: on_outbound_message, run: exit 7 }
`
const guard = `grep -q -e --force && { echo "Force pushes are off limits." >&2; exit 2; }; exit 0\n`

interface Played {
  ok: boolean
  passed: number
  failed: number
  problems: { message: string; where: string }[]
  cases: {
    name: string
    ok: boolean
    problem: { message: string; where: string } | null
    steps: { mismatches: { key: string; expected: string; got: string }[] }[]
  }[]
  coverage: {
    percent: number
    hooks: { asked: string[]; never: string[] }
    matchers: { hook: string; never: string }[]
  }
}

const project = (cases: string, files: Record<string, string> = {}) =>
  scratch({
    'hookline.yaml': config,
    'guard.sh': guard,
    'hookline.test.yaml': `version: 1\ncases:\n${cases}`,
    ...files,
  })

async function play(cases: string, args: readonly string[] = ['--trust', 'all'], files: Record<string, string> = {}) {
  const cwd = project(cases, files)
  const session = await hookline(['test', '--json', ...args], '', { cwd })
  return { ...session, cwd, json: (session.stdout === '' ? undefined : JSON.parse(session.stdout)) as Played }
}

/** What each case that failed says was wrong. */
const wrong = ({ cases }: Played) =>
  cases
    .filter(({ ok }) => !ok)
    .map(({ name, steps }) => [name, ...steps.flatMap(({ mismatches }) => mismatches.map(({ key }) => key))].join(': '))

describe('what can be given and expected', () => {
  it('holds where it holds', async () => {
    const { exit, json, stderr } = await play(`
  - { name: deny, given: { tool: shell, command: git push --force }, expect: { decision: deny, reason: off limits, asked: guard } }
  - { name: regex, given: { tool: shell, command: git push --force }, expect: { reason: '/^Force .* limits\\.$/' } }
  - { name: none, given: { tool: shell, command: git push }, expect: { decision: none, rewrite: none, context: none, message: none, halt: false } }
  - { name: rewrite, given: { tool: shell, command: npm i, input: { dir: a } }, expect: { rewrite: { command: pnpm install }, context: [pnpm, /We/], message: rewritten } }
  - { name: prompt, given: { prompt: my password is hunter2 }, expect: { decision: deny } }
  - { name: halt, given: { event: TurnStart, payload: { agent_name: tired } }, expect: { halt: out of budget, reason: budget } }
  - { name: not asked, given: { tool: read_file, input: {} }, expect: { not_asked: [guard, pnpm] } }
  - { name: failed, given: { event: on_outbound_message, payload: { notification: x } }, expect: { decision: deny, failed: broken } }
  - name: another system's payload
    given: { dialect: claude-code, payload: { hook_event_name: PreToolUse, tool_name: shell, tool_input: { command: git push --force } } }
    expect: { decision: deny }
  - name: an agent with other names for its tools
    given: { host: gemini, tool: shell, command: git push --force }
    expect: { decision: deny }
  - name: the payload of an agent
    given: { host: codex, payload: { hook_event_name: PreToolUse, session_id: s, tool_name: Bash, tool_input: { command: git push --force } } }
    expect: { decision: deny }
`)
    expect({ exit, stderr, wrong: wrong(json) }).toEqual({ exit: 0, stderr: '', wrong: [] })
    expect(json).toMatchObject({ ok: true, passed: 11, failed: 0 })
  })

  it('fails where it does not, and says what was expected and what came', async () => {
    const force = '{ tool: shell, command: git push --force }'
    const npm = '{ tool: shell, command: npm i }'
    const { exit, json } = await play(`
  - { name: decision, given: ${force}, expect: { decision: allow } }
  - { name: reason, given: ${force}, expect: { reason: something else } }
  - { name: halt, given: ${force}, expect: { halt: true } }
  - { name: rewrite, given: ${npm}, expect: { rewrite: { command: yarn } } }
  - { name: no rewrite, given: ${npm}, expect: { rewrite: none } }
  - { name: context, given: ${npm}, expect: { context: [pnpm, yarn] } }
  - { name: message, given: ${npm}, expect: { message: none } }
  - { name: metadata, given: ${npm}, expect: { metadata: { a: b } } }
  - { name: asked, given: ${npm}, expect: { asked: [guard] } }
  - { name: not asked, given: ${npm}, expect: { not_asked: [pnpm] } }
  - { name: should fail, given: ${npm}, expect: { failed: pnpm } }
`)
    expect(exit).toBe(1)
    expect(wrong(json)).toEqual([
      'decision: decision',
      'reason: reason',
      'halt: halt',
      'rewrite: rewrite',
      'no rewrite: rewrite',
      'context: context',
      'message: message',
      'metadata: metadata',
      'asked: asked',
      'not asked: not_asked',
      'should fail: failed',
    ])
    expect(json.cases[0]!.steps[0]!.mismatches).toEqual([{ key: 'decision', expected: 'allow', got: 'deny' }])
  })

  it('a hook that fails although nobody expects it makes the case fail, whatever the verdict', async () => {
    const { exit, json } = await play(`
  - { name: it, given: { event: on_outbound_message, payload: { notification: x } }, expect: { decision: deny } }
`)
    expect(exit).toBe(1)
    expect(json.cases[0]!.steps[0]!.mismatches).toMatchObject([
      { key: 'failed', expected: 'none', got: expect.stringContaining('broken (exit)') },
    ])
  })

  it('steps share a session, so that limits and the cap on redos can be tried; cases do not', async () => {
    const { exit, json } = await play(`
  - name: the third search is refused
    steps:
      - { given: { tool: search }, times: 2, expect: { decision: none } }
      - { given: { tool: search }, expect: { decision: deny } }
  - { name: another session, given: { tool: search }, expect: { decision: none } }
  - name: sent back three times, then let go
    steps:
      - { given: { event: stop }, times: 3, expect: { decision: deny, reason: not yet } }
      - { given: { event: stop }, expect: { decision: none } }
`)
    expect({ exit, wrong: wrong(json) }).toEqual({ exit: 0, wrong: [] })
  })

  it('hooks run for real and know that it is a trial; the config may be named in the file', async () => {
    const other = {
      'other.yaml': `version: 1\nhooks:\n  - { id: o, event: stop, run: 'echo "$HOOKLINE_SYNTHETIC" > ran' }\n`,
    }
    const files = {
      ...other,
      'more.test.yaml': `version: 1\nconfig: other.yaml\ncases:\n  - { name: it, given: { event: stop }, expect: { asked: o } }\n`,
    }
    const { exit, cwd, json } = await play('[]', ['more.test.yaml', '--trust', 'all'], files)
    expect({ exit, wrong: wrong(json) }).toEqual({ exit: 0, wrong: [] })
    expect(readFileSync(join(cwd, 'ran'), 'utf8')).toBe('1\n')
  })
})

it('cases are found in hookline.test.yaml and .hookline/tests, from further down too, and play where they belong', async () => {
  const one = (name: string) =>
    `version: 1\ncases:\n  - { name: ${name}, given: { event: stop }, expect: { decision: deny } }\n`
  const cwd = scratch({
    '.git/HEAD': '',
    'hookline.yaml': 'version: 1\nhooks:\n  - { event: stop, run: "test -f hookline.yaml && exit 2; exit 7" }\n',
    'hookline.test.yaml': one('first'),
    '.hookline/tests/more.yaml': one('second'),
    'packages/a/x': '',
  })
  const { exit, stdout } = await hookline(['test', '--trust', 'all', '--json'], '', { cwd: join(cwd, 'packages/a') })
  const { cases } = JSON.parse(stdout) as Played
  expect({ exit, names: cases.map(({ name }) => name) }).toEqual({ exit: 0, names: ['first', 'second'] })
})

it('Ctrl+C ends it, and what it started', async () => {
  const cwd = scratch({
    'hookline.yaml': 'version: 1\nhooks:\n  - { event: stop, run: "echo $$ > pid; sleep 60" }\n',
    'hookline.test.yaml': 'version: 1\ncases:\n  - { name: it, given: { event: stop }, expect: { decision: none } }\n',
  })
  const { child, ended } = startHookline(['test', '--trust', 'all'], { cwd })
  const file = join(cwd, 'pid')
  while (!existsSync(file) || readFileSync(file, 'utf8').trim() === '') await sleep(20)
  child.kill('SIGINT')
  expect((await ended).exit).toBe(130)
  expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow()
})

describe('what is wrong with a file of cases is reported with its place', () => {
  it.each([
    [
      'an unknown key',
      '  - { name: a, given: { tool: x }, expct: { decision: deny } }',
      /Unknown key `expct`. Did you mean `expect`\?/,
      '3:36',
    ],
    [
      'an unknown event',
      '  - { name: a, given: { event: stopp }, expect: { decision: deny } }',
      /Unknown event `stopp`. Did you mean `stop`\?/,
      '3:25',
    ],
    [
      'an unknown hook',
      '  - { name: a, given: { tool: x }, expect: { not_asked: gaurd } }',
      /no hook `gaurd`. Did you mean `guard`\?/,
      '3:46',
    ],
    [
      'a decision that does not exist',
      '  - { name: a, given: { tool: x }, expect: { decision: block } }',
      /must be `allow`, `ask`, `deny` or `none`/,
      '3:46',
    ],
    [
      'a pattern that does not compile',
      '  - { name: a, given: { tool: x }, expect: { reason: /(/ } }',
      /cannot be used/,
      '3:46',
    ],
    ['no expectation', '  - { name: a, given: { tool: x } }', /expects nothing/, '3:5'],
    [
      'no event',
      '  - { name: a, given: { payload: {} }, expect: { decision: none } }',
      /does not say which event/,
      '3:16',
    ],
    [
      'two cases of one name',
      '  - { name: a, given: { tool: x }, expect: { decision: none } }\n  - { name: a, given: { tool: y }, expect: { decision: none } }',
      /is the name of another case/,
      '4:7',
    ],
    ['broken YAML', '  - { name: a', /not valid YAML/, ''],
  ])('%s', async (_what, cases, words, place) => {
    const { exit, json } = await play(cases)
    expect(exit).toBe(1)
    expect(json.problems[0]?.message).toMatch(words)
    expect(json.problems[0]?.where).toMatch(new RegExp(`^hookline\\.test\\.yaml:${place}`))
  })

  it('a payload that is none of the event is the problem of that case alone', async () => {
    const { exit, json } = await play(`
  - { name: bad, given: { event: pre_tool_use, payload: { tool_name: 7 } }, expect: { decision: none } }
  - { name: good, given: { tool: x }, expect: { decision: none } }
`)
    expect(exit).toBe(1)
    expect(json.cases.map(({ ok }) => ok)).toEqual([false, true])
    expect(json.cases[0]!.problem).toMatchObject({
      message: expect.stringContaining('tool_name'),
      where: 'hookline.test.yaml:4:18',
    })
  })

  it('a broken config is reported, and no cases at all is wrong usage', async () => {
    const broken = await play('  - { name: a, given: { tool: x }, expect: { decision: none } }', ['--trust', 'all'], {
      'hookline.yaml': 'version: 1\nhooks:\n  - { event: stopp, run: x }\n',
    })
    expect({ exit: broken.exit, message: broken.json.problems[0]?.message }).toMatchObject({
      exit: 1,
      message: expect.stringContaining('stopp'),
    })
    const none = await hookline(['test'], '', { cwd: scratch({ 'hookline.yaml': config }) })
    expect(none).toMatchObject({ exit: 64, stderr: expect.stringContaining('hookline.test.yaml') })
  })
})

describe('trust', () => {
  const cases =
    '  - { name: force, given: { tool: shell, command: git push --force }, expect: { decision: deny, reason: off limits } }\n'

  it('what nobody has approved does not run: the case fails and says so plainly', async () => {
    const cwd = project(cases, { 'guard.sh': `touch ran\n${guard}` })
    const { exit, stdout } = await hookline(['test'], '', { cwd })
    expect(exit).toBe(1)
    expect(stdout).toMatch(/guard: not approved, so it did not run\.\n→ Approve with `hookline approve`/)
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  it('what is approved runs', async () => {
    const state = scratch()
    mkdirSync(join(state, 'hookline'), { mode: 0o700 })
    const env = { XDG_STATE_HOME: state, HOOKLINE_APPROVE_TOKEN: makeToken(join(state, 'hookline')) }
    const cwd = project(cases)
    expect((await hookline(['approve', 'guard', '--yes'], '', { cwd, env })).exit).toBe(0)
    expect((await hookline(['test'], '', { cwd, env })).exit).toBe(0)
  })
})

describe('coverage', () => {
  const cases = `
  - { name: push, given: { tool: shell, command: git push }, expect: { decision: none } }
  - { name: read, given: { tool: read_file }, expect: { not_asked: guard } }
`

  it('lists hooks that never ran, and tests of matchers not seen both to match and not to', async () => {
    const { json, cwd } = await play(cases)
    expect(json.coverage.hooks).toEqual({
      asked: ['guard'],
      never: ['pnpm', 'secrets', 'halting', 'ends', 'limit', 'broken'],
    })
    expect(json.coverage.matchers.filter(({ hook }) => hook === 'guard' || hook === 'pnpm')).toMatchObject([
      { hook: 'pnpm', never: 'passes' },
    ])
    const { stdout } = await hookline(['test', '--trust', 'all'], '', { cwd })
    expect(stdout).toMatch(/^Coverage \d+ %: 1 of 7 hooks run, /m)
    expect(stdout).toMatch(/^ {2}never run +ends +hookline\.yaml:/m)
  })

  it('too little of it fails, if so wanted', async () => {
    const { exit, cwd } = await play(cases, ['--trust', 'all', '--coverage-min', '10'])
    expect(exit).toBe(0)
    expect((await hookline(['test', '--trust', 'all', '--coverage-min', '90'], '', { cwd })).exit).toBe(1)
    expect((await hookline(['test', '--coverage-min', 'lots'], '', { cwd })).exit).toBe(64)
  })
})

describe('how it is shown', () => {
  const cases = `
  - { name: passes, given: { tool: shell, command: git push }, expect: { decision: none } }
  - { name: 'fails & <breaks>', given: { tool: shell, command: git push }, expect: { decision: deny } }
`

  it('a mark for each; below a failure what was given, expected and got, and which hooks ran', async () => {
    const { exit, stdout } = await hookline(['test', '--trust', 'all'], '', { cwd: project(cases) })
    expect(exit).toBe(1)
    expect(stdout).toMatch(/^✔ passes {2}\S+ ms$/m)
    expect(stdout).toMatch(/^✖ fails & <breaks> {2}hookline\.test\.yaml:5:5$/m)
    expect(stdout).toMatch(/^ +given +pre_tool_use {2}\{"tool_name":"shell","tool_input":\{"command":"git push"\}\}$/m)
    expect(stdout).toMatch(/^ +- {2}decision {2}deny\n +\+ {2}decision {2}none$/m)
    expect(stdout).toMatch(/^ +hook +guard: no-opinion$/m)
    expect(stdout).toMatch(/^ +hook +pnpm: skipped, args was "git push"$/m)
    expect(stdout).toMatch(/^✖ 2 cases: 1 passed, 1 failed\./m)
  })

  it('only cases with this in their names', async () => {
    const { json } = await play(cases, ['--trust', 'all', '--filter', 'PASS'])
    expect(json.cases.map(({ name }) => name)).toEqual(['passes'])
    expect((await play(cases, ['--filter', 'nothing'])).exit).toBe(1)
  })

  it('as JUnit XML, well-formed', async () => {
    const { cwd } = await play(cases, ['--trust', 'all', '--junit', 'report.xml'])
    const xml = readFileSync(join(cwd, 'report.xml'), 'utf8')
    expect(xml).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="hookline" tests="2" failures="1" errors="0" time="/,
    )
    expect(xml).toContain(
      '<testcase name="fails &amp; &lt;breaks&gt;" classname="hookline.test.yaml" file="hookline.test.yaml" line="5"',
    )
    expect(xml).toContain('<failure message="decision: expected deny, got none">')
  })
})

it('watches: plays again when a script, a config or a case changes, and ends cleanly with Ctrl+C', async () => {
  const cases = '  - { name: it, given: { tool: shell, command: git push --force }, expect: { decision: deny } }\n'
  const cwd = project(cases)
  const { child, session, ended } = startHookline(['test', '--watch', '--trust', 'all'], { cwd })
  const until = async (pattern: RegExp, from: number) => {
    while (!pattern.test(session.stdout.slice(from))) await sleep(20)
    await sleep(50)
    return session.stdout.length
  }
  let seen = await until(/1 passed\./, 0)
  const watching = async (times: number) => {
    while (session.stderr.split('Watching').length <= times) await sleep(20)
  }
  await watching(1)
  writeFileSync(join(cwd, 'guard.sh'), 'exit 0\n')
  seen = await until(/1 failed\./, seen)
  await watching(2)
  writeFileSync(join(cwd, 'hookline.yaml'), 'version: 1\nhooks: nonsense\n')
  seen = await until(/must be a list/, seen)
  await watching(3)
  writeFileSync(join(cwd, 'hookline.yaml'), config)
  seen = await until(/1 failed\./, seen)
  await watching(4)
  writeFileSync(join(cwd, 'hookline.test.yaml'), `version: 1\ncases:\n${cases.replace('deny', 'none')}`)
  await until(/1 passed\./, seen)
  await watching(5)
  child.kill('SIGINT')
  expect((await ended).exit).toBe(0)
})
