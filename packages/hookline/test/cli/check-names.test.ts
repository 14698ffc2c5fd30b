import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline, nobody } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

interface Finding {
  severity: string
  code: string
  message: string
  hook: string
}

async function check(files: Record<string, string>, ...args: string[]) {
  const cwd = scratch(files)
  const { exit, stdout } = await hookline(['check', '--json', ...args], '', { cwd })
  return { exit, cwd, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings }
}

/** What a matcher was probably meant to say, in one word for each warning. */
const meant = (findings: readonly Finding[]) =>
  findings
    .filter(({ code }) => code.endsWith('-near-miss'))
    .map(({ message }) => /Did you mean `(.+)`\?$/.exec(message)?.[1])

const yaml = (matcher: string, more = '') =>
  `version: 1\n${more}hooks:\n  - { id: guard, event: pre_tool_use, matcher: ${matcher}, run: { type: builtin, name: security } }\n`

/** A config of each system that has this matcher of a tool. */
const systems: Record<string, (matcher: string) => Record<string, string>> = {
  native: (matcher) => ({ 'hookline.yaml': yaml(JSON.stringify({ tool: matcher })) }),
  'claude-code': (matcher) => ({
    'settings.json': JSON.stringify({
      hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command: 'true' }] }] },
    }),
  }),
  crush: (matcher) => ({
    'crush.json': JSON.stringify({ hooks: { PreToolUse: [{ matcher, command: 'true' }] } }),
  }),
  'docker-agent': (matcher) => ({
    'agent.yaml': `agents:\n  root:\n    model: a/b\n    hooks:\n      pre_tool_use:\n        - matcher: ${JSON.stringify(matcher)}\n          hooks:\n            - { type: command, command: "true" }\n`,
  }),
  everruns: (matcher) => ({
    'everruns.json': JSON.stringify({
      hooks: [
        {
          id: 'guard',
          event: 'pre_tool_use',
          matcher: { tool_name: matcher },
          executor: { type: 'bash', command: 'true' },
        },
      ],
    }),
  }),
  'pydantic-deep': (matcher) => ({
    'hooks.json': JSON.stringify({ hooks: [{ event: 'pre_tool_use', matcher, command: 'true' }] }),
  }),
}

const checkIn = async (system: string, matcher: string) => {
  const files = systems[system]!(matcher)
  return check(files, Object.keys(files)[0]!, '--dialect', system)
}

describe('hookline check, names in matchers', () => {
  it.each([
    ['native', 'shel', ['shell']],
    ['native', 'bash|reed_file', ['read_file']],
    ['native', 'wirte_file', ['write_file']],
    ['native', 'mcp_github', ['mcp__github__.*']],
    ['claude-code', 'Bsh', ['Bash']],
    ['claude-code', 'bash', ['Bash']],
    ['claude-code', 'Edit|Wirte|MultiEdti', ['Write', 'MultiEdit']],
    ['claude-code', 'Bsh.*', ['Bash']],
    ['claude-code', 'mcp_github_issue', ['mcp__github__issue']],
    ['claude-code', 'mcp_github_.*', ['mcp__github__.*']],
    ['crush', '^bsh$', ['bash']],
    ['crush', 'mutliedit', ['multiedit']],
    ['crush', '^mcp_github$', ['mcp_github_.*']],
    ['docker-agent', 'shel|write_flie', ['shell', 'write_file']],
    ['everruns', 'baash', ['bash']],
    ['everruns', 'read_flie', ['read_file']],
    ['pydantic-deep', 'exceute', ['execute']],
  ])(
    '%s: `%s` is nearly a name, and a warning says which, in the words of that system',
    async (system, matcher, names) => {
      const { findings, exit } = await checkIn(system, matcher)
      expect(meant(findings)).toEqual(names)
      expect([exit, new Set(findings.map(({ severity }) => severity))]).toEqual([0, new Set(['warning'])])
    },
  )

  it.each([
    ['native', 'shell|read_file|Bash|Shell|run_shell_command|mcp__github__create_issue|mcp_.*'],
    ['native', 'Skill|my_own_tool|deploy'],
    ['native', '(read|write)_.*'],
    ['claude-code', 'Bash|Edit|LSP|Skill|TodoWrite|ExitPlanMode|KillShell|AskUserQuestion'],
    ['claude-code', 'Bash|bash'],
    ['claude-code', 'mcp__.*'],
    ['claude-code', 'Notebook.*'],
    ['claude-code', 'apply_patch|exec_command'],
    ['crush', '^(bash|edit|todos|lsp_diagnostics)$'],
    ['crush', 'edit'],
    ['docker-agent', 'mcp:.*'],
    ['everruns', 'deploy_to_production'],
    ['pydantic-deep', 'execute|write_todos'],
  ])('%s: `%s` may well be meant as it is, and nothing is said', async (system, matcher) => {
    expect(meant((await checkIn(system, matcher)).findings)).toEqual([])
  })

  it('--strict makes it a problem', async () => {
    const { exit } = await check({ 'hookline.yaml': yaml('{ tool: shel }') }, '--strict')
    expect(exit).toBe(1)
  })

  it('a tool that the config declares is known, also to rules, and is what is meant', async () => {
    const tools = 'tools: { reader: { args: { amount: number } } }\nrules: [{ ask: { tool: reader } }]\n'
    expect((await check({ 'hookline.yaml': yaml('{ tool: reader }', tools) })).findings).toEqual([])
    expect(meant((await check({ 'hookline.yaml': yaml('{ tool: raeder }', tools) })).findings)).toEqual(['reader'])
    const path = yaml('{ tool: reader, args: { path: $.amuont, matches: x } }', tools)
    expect(meant((await check({ 'hookline.yaml': path })).findings)).toEqual(['amount'])
  })

  it.each([
    ['{ tool: shell, args: { path: $.comand, matches: rm } }', ['command']],
    ['{ args: { path: $.commnad, matches: rm } }', ['command']],
    ['{ tool: read_file, args: { path: $.file_path, matches: rm } }', ['path']],
    ['{ tool: "read_file|write_file", args: { path: filePath, matches: rm } }', ['path']],
    ['{ tool: shell, args: { path: cmd, matches: rm } }', ['command']],
    ['{ tool: Read, args: { path: $.file_path, matches: rm } }', []],
    ['{ tool: shell, args: { path: $.timeout, matches: rm } }', []],
    ['{ tool: my_own_tool, args: { path: $.comand, matches: rm } }', []],
    ['{ tool: mcp__a__b, args: { path: $.comand, matches: rm } }', []],
    ['{ tool: edit_file, args: { path: "edits[*].newText", matches: rm } }', []],
  ])('the argument in %s: %j', async (matcher, names) => {
    expect(meant((await check({ 'hookline.yaml': yaml(matcher) })).findings)).toEqual(names)
  })
})

describe('hookline check, agents that are used here', () => {
  const config = [
    'version: 1',
    'hooks:',
    '  - { id: out, event: before_llm_call, run: { type: builtin, name: max_iterations, args: { limit: 9 } } }',
    '  - { id: reads, event: pre_tool_use, matcher: { tool: read_file }, run: { type: builtin, name: security } }',
    '  - { id: runs, event: pre_tool_use, matcher: { tool: shell }, run: { type: builtin, name: security } }',
  ].join('\n')

  it('without a trace of any, nothing is said', async () => {
    expect((await check({ 'hookline.yaml': config })).findings).toEqual([])
  })

  it('a note says where a hook cannot run, because of its event or its tool, and is never a problem', async () => {
    const files = { 'hookline.yaml': config, '.codex/config.toml': '', '.claude/settings.json': '{}' }
    const { findings, exit } = await check(files, '--strict')
    expect([exit, findings.map(({ severity, hook, message }) => [severity, hook, message])]).toEqual([
      0,
      [
        ['note', 'out', 'It cannot run in Claude Code and Codex: they do not raise before_llm_call.'],
        ['note', 'reads', 'It cannot run in Codex: it has no tool like read_file.'],
      ],
    ])
  })

  it('what lies in the home of the person counts too, and every check looks anew', async () => {
    const cwd = scratch({ 'hookline.yaml': config })
    const home = scratch({})
    const run = () => hookline(['check'], '', { cwd, env: { ...nobody, HOME: home } })
    expect((await run()).stdout).toBe('✔ 3 hooks in hookline.yaml, no problems.\n')
    mkdirSync(join(home, '.gemini'))
    mkdirSync(join(home, '.config', 'goose'), { recursive: true })
    const { stdout, exit } = await run()
    expect(stdout).toContain('It cannot run in Gemini CLI and goose: they do not raise before_llm_call.')
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/✔ 3 hooks in hookline.yaml, no problems.\n$/)])
  })
})
