import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

interface Report {
  ok: boolean
  hooks: number
  findings: { severity: string; code: string; message: string; remedy: string; hook: string | null; line: number }[]
  fixed: { what: string; from: string; to: string; line: number }[]
}

const config = (...hooks: string[]) => `version: 1\nhooks:\n${hooks.map((hook) => `  - ${hook}\n`).join('')}`

async function check(files: Record<string, string>, ...args: string[]) {
  const cwd = scratch(files)
  for (const name of Object.keys(files)) if (/\.(sh|py)$/.test(name)) chmodSync(join(cwd, name), 0o755)
  const { exit, stdout } = await hookline(['check', '--json', ...args], '', { cwd })
  return { exit, cwd, report: JSON.parse(stdout) as Report }
}

/** One run for a whole table: a hook on each line, and what was found on it. */
const runs = new Map<readonly unknown[], Promise<Map<string, Report['findings']>>>()
function allAtOnce(table: readonly (readonly [what: string, hook: string, ...rest: unknown[]])[]) {
  const known = runs.get(table) ?? run()
  runs.set(table, known)
  return known

  async function run() {
    const { report } = await check({
      'hookline.yaml': config(...table.map(([, hook]) => hook)),
      'ok.sh': '#!/bin/sh\n',
      'env.sh': '#!/usr/bin/env nosuch-9\n',
      'direct.sh': '#!/opt/nosuch-9\n',
    })
    return new Map(table.map(([what], at) => [what, report.findings.filter(({ line }) => line === at + 3)]))
  }
}

describe('hookline check', () => {
  it('a sound config prints one line, and exits 0', async () => {
    const cwd = scratch({ 'hookline.yaml': config('{ event: pre_tool_use, run: "cat >/dev/null; exit 0" }') })
    expect(await hookline(['check'], '', { cwd })).toEqual({
      exit: 0,
      stdout: '✔ 1 hook in hookline.yaml, no problems.\n',
      stderr: '',
    })
  })

  it('says where and what, with its code, shows the lines, and says what to do; and exits 1', async () => {
    const cwd = scratch({
      'hookline.yaml':
        'version: 1\nhooks:\n  - id: guard\n    event: pre_tool_us\n    run: exit 0\n  - { event: stop, run: { type: nothing-like-it } }\n',
    })
    const { exit, stdout } = await hookline(['check'], '', { cwd })
    expect(exit).toBe(1)
    expect(
      stdout
        .replace(/ {2,}HL-/g, '  HL-')
        .replace(/(Known types: ).*/, '$1…')
        .split('\n'),
    ).toEqual([
      'hookline.yaml:4:5  error  Unknown event `pre_tool_us`.  HL-unknown-event',
      '  3 │   - id: guard',
      '  4 │     event: pre_tool_us',
      '    │            ^^^^^^^^^^^ did you mean pre_tool_use?',
      '  5 │     run: exit 0',
      '  → A hook on an event nobody raises never fires.',
      '',
      expect.stringMatching(
        /^hookline\.yaml:6:\d+ {2}error {2}.*Unknown type `nothing-like-it` of hook\. {2}HL-unknown-executor$/,
      ),
      '  5 │     run: exit 0',
      '  6 │   - { event: stop, run: { type: nothing-like-it } }',
      '    │                                 ^^^^^^^^^^^^^^^',
      '  → Known types: …',
      '',
      '✖ 2 errors in hookline.yaml. 1 can be corrected with `--fix`. `hookline docs unknown-event` says more about the first.',
      '',
    ])
  })

  it('a frame shows no secret, obeys no escape, and is cut where the line is long', async () => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    const cwd = scratch({
      'hookline.yaml': config(
        `{ event: stop, env: { TOKEN: ${token} }, run: exit 0 }`,
        `{ event: stop, run: exit 0, timout: 3, description: "${'x'.repeat(500)}" }`,
      ),
      'crush.json': `{"hooks":{"PreToolUse":[{"command":"cat","name":"${'y'.repeat(3000)}","timout":3}]}}`,
    })
    const native = await hookline(['check', 'hookline.yaml'], '', { cwd })
    expect(native.stdout).toContain('^^^^^^ did you mean timeout?')
    expect(native.stdout).not.toContain(token)
    const crush = await hookline(['check', 'crush.json'], '', { cwd })
    expect(crush.stdout).toMatch(/"timout":3\}\]\}\}\n/)
    for (const line of [...native.stdout.split('\n'), ...crush.stdout.split('\n')])
      expect(line.length).toBeLessThan(160)
    const odd = scratch({ 'hookline.yaml': config('{ event: "st\\u001b[2Jop", run: exit 0 } # \u001b[2J') })
    expect((await hookline(['check'], '', { cwd: odd })).stdout).not.toContain('\u001b')
  })

  it.each([[['explain', '--tool', 'shell']], [['doctor']], [['replay', 'all']]])(
    '%j shows the same frame when a file cannot be loaded, and dispatch quotes no line of it',
    async (args) => {
      const cwd = scratch({ 'hookline.yaml': config('{ event: stop, timout: 3, run: "echo secretive" }') })
      const { exit, stderr } = await hookline(args, '', { cwd })
      expect(exit).not.toBe(0)
      expect(stderr).toMatch(
        /hookline\.yaml:3:\d+ {2}error {2}.*Unknown key `timout`\. +HL-[\w-]+\n {2}2 │ .*\n {2}3 │ .*\n {4}│ +\^{6} did you mean timeout\?$/m,
      )
      const host = await hookline(['dispatch'], '{"event":"stop"}', { cwd })
      expect(host.stderr).not.toContain('secretive')
    },
  )

  const mistakes = [
    ['an unknown key', '{ event: stop, run: exit 0, timout: 3 }', 'config-unknown-key', /timout/],
    [
      'a matcher that can never match',
      '{ event: stop, matcher: { tool: shell }, run: exit 0 }',
      'matcher-dead',
      /tool/,
    ],
    ['a broken pattern', "{ event: pre_tool_use, matcher: { tool: '(' }, run: exit 0 }", 'matcher-regex', /\(/],
    ['options that do not fit', '{ event: stop, run: { type: http } }', 'spec-invalid', /url/],
    ['a builtin on the wrong event', '{ event: stop, run: { type: builtin, name: security } }', 'spec-invalid', /stop/],
    ['an unknown builtin', '{ event: stop, run: { type: builtin, name: securty } }', 'spec-invalid', /securty/],
    ['a script that is not there', '{ event: stop, run: ./hooks/none.sh --fast }', 'program-missing', /none\.sh/],
    ['a script of an interpreter', '{ event: stop, run: sh hooks/none.sh }', 'program-missing', /none\.sh/],
    ['a program that is not installed', '{ event: stop, run: frobnicate-9 -x }', 'program-missing', /PATH/],
    [
      'a program without shell',
      '{ event: stop, run: { type: command, command: frobnicate-9, args: [] } }',
      'program-missing',
      /PATH/,
    ],
    [
      'a script that a program is given',
      '{ event: stop, run: { type: command, command: sh, args: [hooks/none.sh] } }',
      'program-missing',
      /none\.sh/,
    ],
    [
      'what a shell within is given',
      `{ event: stop, run: { type: command, command: sh, args: ['-c', 'frobnicate-9 x'] } }`,
      'program-missing',
      /frobnicate-9/,
    ],
    ['an interpreter that is not installed', '{ event: stop, run: ./env.sh }', 'program-missing', /nosuch-9/],
    ['an interpreter that does not exist', '{ event: stop, run: ./direct.sh }', 'program-missing', /nosuch-9/],
  ] as const

  it.each(mistakes)('%s is an error', async (what, _hook, code, words) => {
    const findings = (await allAtOnce(mistakes)).get(what)!
    expect(findings).toMatchObject([{ severity: 'error', code }])
    expect(findings[0]!.message + findings[0]!.remedy).toMatch(words)
  })

  const sound = [
    [
      'pipes, builtins and functions of the shell',
      `{ event: stop, run: 'ok() { echo "$1"; }; if true; then ok x | cat; fi' }`,
    ],
    [
      'a program that it looks for first',
      "{ event: stop, run: 'command -v frobnicate-9 >/dev/null || exit 0; frobnicate-9 x' }",
    ],
    ['a directory it changes to first', "{ event: stop, run: 'cd /elsewhere && ./there.sh' }"],
    ['a path in a variable', `{ event: stop, run: '"$HOOKLINE_PROJECT_DIR"/ok.sh' }`],
    ['what only a shell can tell', "{ event: stop, run: '$(which cat) < /dev/null' }"],
    ['what a hook that is switched off would run', '{ event: stop, enabled: false, run: ./hooks/none.sh }'],
    ['code instead of a file', "{ event: stop, run: 'sh -c true' }"],
    ...[
      'frobnicate-9 2>/dev/null || true',
      '(frobnicate-9 x) || :',
      '{ cat; frobnicate-9; } 2>/dev/null || exit 0',
      'x=$(frobnicate-9) || echo none',
      'echo "$(frobnicate-9 || echo none)"',
      'sh -c "frobnicate-9 || true"',
      'frobnicate-9 | cat || true',
      'true && frobnicate-9 || true',
      'hash frobnicate-9 2>/dev/null && frobnicate-9',
      'if command -v frobnicate-9; then frobnicate-9; fi',
      '[ -x ./none.sh ] && ./none.sh',
      '[[ -f "$PWD/none.sh" ]] && sh "$PWD"/none.sh',
      'test -f none.py && sh none.py',
      'alias frobnicate-9=cat; frobnicate-9',
      'function frobnicate-9 { cat; }; frobnicate-9',
      '. ./lib.sh; frobnicate-9',
      'eval "$(cat lib.sh)"; ./none.sh',
      'HOME=/elsewhere; $HOME/none.sh',
      'for HOME in a b; do "$HOME"/none.sh; done',
      'read -r HOME; "$HOME/none.sh"',
      'cat > none.sh; sh none.sh',
      'touch none.sh && sh none.sh',
      'cat install frobnicate-9 && frobnicate-9',
      'date "+%Y-%m-%d"',
      'echo "[$(date "+%Y-%m-%d %H:%M:%S")] done"',
      'echo "`date "+%Y-%m-%d %H:%M"`"',
      '~nobody-9/none.sh',
      './none-*.sh',
      '"+%Y-%m-%d"',
      'case x in y) echo ;; esac; (( 1 + 1 ))',
    ].map((command) => [command, `{ event: stop, run: ${JSON.stringify(command)} }`] as const),
    ['what a here-document holds', `{ event: stop, run: "cat <<EOF\\nfrobnicate-9 x\\nEOF\\n" }`],
  ] as const

  it.each(sound)('%s is no problem', async (what) => {
    expect((await allAtOnce(sound)).get(what)).toEqual([])
  })

  const doubtful = [
    'test -f x && frobnicate-9',
    'frobnicate-9; exit 0',
    'frobnicate-9 | cat',
    'frobnicate-9 || exit 2',
    'frobnicate-9 || { echo no >&2; exit 2; }',
    'frobnicate-9 &',
    '! frobnicate-9',
    'if frobnicate-9; then exit 2; fi',
    'echo "$(frobnicate-9)"',
    'echo x; frobnicate-9',
  ].map((command) => [command, `{ event: stop, run: ${JSON.stringify(command)} }`] as const)

  it.each(doubtful)('%s may do without, or goes on: a warning', async (what) => {
    expect((await allAtOnce(doubtful)).get(what)).toMatchObject([{ severity: 'warning', code: 'program-missing' }])
  })

  it('what may be run is a warning, which counts with --strict', async () => {
    const files = { 'hookline.yaml': config("{ event: stop, run: 'test -f x && frobnicate-9' }") }
    expect(await check(files)).toMatchObject({ exit: 0, report: { ok: true, findings: [{ severity: 'warning' }] } })
    expect(await check(files, '--strict')).toMatchObject({ exit: 1, report: { ok: false } })
  })

  it('reports a script that exists, but beside the config', async () => {
    const { report } = await check(
      { 'team/hookline.yaml': config('{ event: stop, run: ./guard.sh }'), 'team/guard.sh': '#!/bin/sh\n' },
      'team/hookline.yaml',
    )
    expect(report.findings[0]!.remedy).toMatch(/beside the config: write `\/.*\/team\/guard\.sh`/)
  })

  it('ids are unique over all files, and a hook that repeats another is reported', async () => {
    const hook = '{ id: a, event: stop, run: exit 0 }'
    const files = {
      'hookline.one.yaml': config(hook),
      'hookline.more.yaml': config(hook, '{ event: stop, run: exit 0 }'),
    }
    const { report } = await check(files, 'hookline.one.yaml', 'hookline.more.yaml')
    expect(report.findings.map(({ code }) => code)).toEqual(['duplicate-id', 'hook-repeated'])
  })

  it('hooks with the same command and different matchers are not repetitions; one that never runs is', async () => {
    const entry = (matcher: string | undefined) => ({
      matcher,
      hooks: [{ type: 'command', command: 'cat >/dev/null' }],
    })
    const settings = (...matchers: (string | undefined)[]) => ({
      'settings.json': JSON.stringify({ hooks: { PreToolUse: matchers.map(entry) } }),
    })
    const codes = async (...matchers: (string | undefined)[]) =>
      (await check(settings(...matchers), 'settings.json')).report.findings.map(({ code }) => code)
    expect(await codes('Bash', 'Edit', 'Write|Edit')).toEqual([])
    expect(await codes('Bash', undefined)).toEqual([])
    expect(await codes('Bash', 'Edit', 'Bash')).toEqual(['hook-repeated'])
    expect(await codes(undefined, 'Bash')).toEqual(['hook-repeated'])
  })

  it('a script of the sandbox is warned of programs that the sandbox does not have', async () => {
    const hook = (command: string, rest = '') =>
      `{ event: stop, run: { type: sandbox, command: ${JSON.stringify(command)}${rest} } }`
    const { exit, report } = await check({
      'hookline.yaml': config(
        hook('cargo fmt && git diff'),
        hook('f() { echo; }; f; cd /tmp; jq . | sed s/a/b/; test -f x; cargo fmt 2>/dev/null || true'),
        hook('curl https://example.com'),
        hook('curl https://example.com', ", network: { allow: ['https://example.com/'] }"),
      ),
    })
    expect(exit).toBe(0)
    expect(report.findings).toMatchObject([
      { severity: 'warning', code: 'sandbox-limit', line: 3, message: expect.stringContaining('`cargo` and `git`') },
      { severity: 'warning', code: 'sandbox-limit', line: 5, message: expect.stringContaining('`curl`') },
    ])
  })

  it('reads the configs of other systems', async () => {
    const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './no.sh' }] }] } }
    const { exit, report } = await check({ 'settings.json': JSON.stringify(settings, null, 2) }, 'settings.json')
    expect(exit).toBe(1)
    expect(report.findings).toMatchObject([{ code: 'program-missing', line: 9 }])
  })

  it('a second document in the same file is not passed over', async () => {
    const { exit, report } = await check({ 'hookline.yaml': `${config('{ event: stop, run: cat }')}---\nversion: 1\n` })
    expect(exit).toBe(1)
    expect(report.findings).toMatchObject([
      { code: 'config-syntax', message: expect.stringContaining('second document') },
    ])
  })

  it('without a config there is nothing to check, which is wrong usage', async () => {
    const { exit, stderr } = await hookline(['check'], '', { cwd: scratch() })
    expect(exit).toBe(64)
    expect(stderr).toContain('--config <file>')
  })
})

describe('hookline check --fix', () => {
  const yaml = `# our hooks
version: 1
hooks:
  - id: guard   # the one that matters
    event: PreToolUse
    "matchr": { tool: 'shell' }
    run: >-
      cat
  -   event: 'sesion_start'
      run: exit 0
`

  it('corrects the spelling of events and keys, and leaves every other byte as it was', async () => {
    const { exit, cwd, report } = await check({ 'hookline.yaml': yaml }, '--fix')
    expect(readFileSync(join(cwd, 'hookline.yaml'), 'utf8')).toBe(
      yaml.replace('PreToolUse', 'pre_tool_use').replace('matchr', 'matcher').replace('sesion_start', 'session_start'),
    )
    expect(exit).toBe(0)
    expect(report.fixed.map(({ from, to }) => [from, to])).toEqual([
      ['matchr', 'matcher'],
      ['sesion_start', 'session_start'],
      ['PreToolUse', 'pre_tool_use'],
    ])
  })

  it('keeps comments in JSONC, the mode of the file, and the names of the system it was written for', async () => {
    const crush = '{\n  // ours\n  "hooks": { "PreTooluse": [ { "command": "cat", "timout": 3, }, ] },\n}\n'
    const cwd = scratch({ 'crush.json': crush })
    chmodSync(join(cwd, 'crush.json'), 0o640)
    const { exit, stdout } = await hookline(['check', 'crush.json', '--fix'], '', { cwd })
    expect(stdout).toContain('crush.json:3:14  fixed  the event `PreTooluse` is now `PreToolUse`')
    expect(exit).toBe(0)
    expect(readFileSync(join(cwd, 'crush.json'), 'utf8')).toBe(
      crush.replace('PreTooluse', 'PreToolUse').replace('timout', 'timeout'),
    )
    expect(statSync(join(cwd, 'crush.json')).mode & 0o777).toBe(0o640)
  })

  it.each([
    ['two names are equally near', '{ event: pet_tool_use, run: exit 0 }'],
    ['the key is there already', '{ event: stop, evnt: stop, run: exit 0 }'],
    ['nothing is near', '{ event: when_it_rains, run: exit 0 }'],
  ])('changes nothing when %s', async (_what, hook) => {
    const text = config(hook)
    const { exit, cwd, report } = await check({ 'hookline.yaml': text }, '--fix')
    expect({ exit, fixed: report.fixed }).toEqual({ exit: 1, fixed: [] })
    expect(readFileSync(join(cwd, 'hookline.yaml'), 'utf8')).toBe(text)
  })
})
