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

  it('says where, what and what to do, on one line each when piped, and exits 1', async () => {
    const cwd = scratch({
      'hookline.yaml': config('{ event: pre_tool_usee, run: exit 0 }', '{ event: stop, run: { type: comand } }'),
    })
    const { exit, stdout } = await hookline(['check'], '', { cwd })
    expect(exit).toBe(1)
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^hookline\.yaml:3:7 {2}error {2}Unknown event .*Did you mean `pre_tool_use`\? {2}→ /),
      expect.stringMatching(/^hookline\.yaml:4:\d+ {2}error {2}.*Unknown type `comand`.* {2}→ Known types: /),
      '✖ 2 errors in hookline.yaml. 1 can be corrected with `--fix`.',
    ])
  })

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
  ] as const

  it.each(sound)('%s is no problem', async (what) => {
    expect((await allAtOnce(sound)).get(what)).toEqual([])
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
