import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { importInto } from '../../src/cli/import/into.ts'
import { permissionLists } from '../../src/cli/import/lists.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const bare = 'version: 1\n'
const json = (value: unknown) => JSON.stringify(value, null, 2)

/** What becomes of the lists in these files, below a home and a project. */
async function imported(files: Record<string, string>, { allows = false, file = 'hookline.yaml' } = {}) {
  const root = scratch({ 'home/.keep': '', 'project/.keep': '', ...files })
  const target = { file: join(root, 'project', file), layer: 'project', exists: false } as const
  const ground = { home: join(root, 'home'), project: join(root, 'project'), env: {} }
  const text = file.endsWith('.json') ? '{ "version": 1 }\n' : bare
  const { text: written, rules, allowed, lost } = await importInto(target, text, ground, allows)
  return { written, rules, allowed, lost: lost.map(({ said, why }) => [said, why]) }
}

describe('a permission list becomes rules that say the same', () => {
  it.each([
    [
      'claude',
      'home/.claude/settings.json',
      json({
        permissions: {
          deny: [
            'Bash(git push --force:*)',
            'Read(./.env)',
            'Read(//etc/shadow)',
            'WebFetch(domain:evil.example)',
            'Bash(curl*)',
          ],
          ask: ['Bash(npm publish *)', 'Edit(infra/**)', 'mcp__github__merge'],
          allow: ['Bash(npm test)', 'Bash(git status:*)'],
        },
      }),
      [
        { deny: { run: 'git push --force' } },
        { deny: { read: '**/.env' } },
        { deny: { read: '/etc/shadow' } },
        { deny: { fetch: 'evil.example' } },
        { deny: { run: 'curl*' } },
        { ask: { run: 'npm publish' } },
        { ask: { write: 'infra/**' } },
        { ask: { tool: 'mcp__github__merge' } },
      ],
      [{ allow: { run: 'npm test' } }, { allow: { run: ['git status', 'git status *'] } }],
    ],
    [
      'codex',
      'home/.codex/rules/default.rules',
      `# prefix_rule(pattern = ["rm"], decision = "forbidden")
prefix_rule(
    pattern = ["git", ["push", "fetch"]],
    decision = "forbidden",
    match = [["git", "push"]],
    justification = "Not (here).",
)
prefix_rule(pattern=['npm', 'publish'], decision='prompt')
prefix_rule(pattern = ["ls"], decision = "allow")
`,
      [{ deny: { run: 'git push' } }, { deny: { run: 'git fetch' } }, { ask: { run: 'npm publish' } }],
      [{ allow: { run: ['ls', 'ls *'] } }],
    ],
    [
      'cursor',
      'project/.cursor/cli.json',
      json({ permissions: { deny: ['Shell(rm)', 'Write(**/*.key)'], allow: ['Shell(ls)'] } }),
      [{ deny: { run: 'rm' } }, { deny: { write: '**/*.key' } }],
      [{ allow: { run: 'ls' } }],
    ],
    [
      'opencode',
      'project/opencode.jsonc',
      '// mine\n{ "permission": { "bash": { "git push *": "deny", "npm *": "ask", "ls": "allow" }, "webfetch": { "*.internal": "deny" } }, }',
      [{ deny: { run: 'git push' } }, { ask: { run: 'npm' } }, { deny: { fetch: '*.internal' } }],
      [{ allow: { run: 'ls' } }],
    ],
    [
      'gemini',
      'home/.gemini/settings.json',
      '/* mine */ { "tools": { "exclude": ["run_shell_command(rm -rf)"], "allowed": ["run_shell_command(git status)"] } }',
      [{ deny: { run: 'rm -rf' } }],
      [{ allow: { run: 'git status' } }],
    ],
    [
      'gemini policies',
      'home/.gemini/policies/mine.toml',
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["git push", "npm publish"]\ndecision = "ask_user"\npriority = 100\n',
      [{ ask: { run: 'git push' } }, { ask: { run: 'npm publish' } }],
      [],
    ],
    [
      'qwen',
      'project/.qwen/settings.json',
      json({ permissions: { deny: ['Bash(docker *)'] }, tools: { exclude: ['write_file(secrets/**)'] } }),
      [{ deny: { run: 'docker' } }, { deny: { write: 'secrets/**' } }],
      [],
    ],
  ])('%s', async (_host, file, text, rules, allowed) => {
    const found = await imported({ [file]: text })
    expect(found).toMatchObject({ rules, allowed, lost: [] })
    const { rules: written } = parseYaml(found.written) as { rules: Record<string, unknown>[] }
    expect(written.map(({ id: _, ...rule }) => rule)).toEqual(rules)
  })
})

describe('what rules cannot say', () => {
  it.each([
    [
      'every call of a tool allowed',
      'home/.claude/settings.json',
      json({ permissions: { allow: ['Bash', 'Bash(*)'] } }),
    ],
    ['a tool that nobody knows', 'home/.claude/settings.json', json({ permissions: { deny: ['Teleport(home)'] } })],
    ['a path relative to its file', 'home/.claude/settings.json', json({ permissions: { deny: ['Read(/src/x)'] } })],
    ['every command', 'project/opencode.json', json({ permission: { bash: { '*': 'deny' } } })],
    ['one word for everything', 'project/opencode.json', json({ permission: 'ask' })],
    [
      'a pattern that is none',
      'home/.codex/rules/a.rules',
      'prefix_rule(pattern = [command], decision = "forbidden")\n',
    ],
    [
      'more commands than anybody wants to read',
      'home/.codex/rules/a.rules',
      `prefix_rule(pattern = [${Array.from({ length: 3 }, () => '["a", "b", "c", "d", "e"]').join(', ')}], decision = "forbidden")\n`,
    ],
    [
      'a rule that holds only under a condition',
      'home/.gemini/policies/a.toml',
      '[[rule]]\ntoolName = "run_shell_command"\ncommandRegex = "^rm"\ndecision = "deny"\n',
    ],
    ['half a file', 'home/.claude/settings.json', '{ "permissions": { "deny": ["Bash(rm)"'],
    ['no file at all, but a directory', 'home/.claude/settings.json/x', ''],
    ['TOML that is none', 'home/.gemini/policies/a.toml', '[[rule'],
  ])('is listed, and makes no rule: %s', async (_what, file, text) => {
    const { rules, allowed, lost } = await imported({ [file]: text })
    expect([rules, allowed]).toEqual([[], []])
    expect(lost.length).toBeGreaterThan(0)
  })
})

describe('a hostile list', () => {
  it('writes nothing but rules that deny or ask, whatever stands in it', async () => {
    const nasty = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        'a\nrules:\n  - allow: { run: rm }',
        '"}\n- x',
        '# ',
        '\u2028allow',
        '\r- allow: {run: x}',
        '__proto__',
        '$x',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(nasty, { maxLength: 3 }), fc.array(nasty, { maxLength: 3 }), async (deny, allow) => {
        const list = json({
          permissions: { deny: deny.map((said) => `Bash(${said})`), allow: allow.map((said) => `Read(${said})`) },
        })
        const { written, rules } = await imported({ 'project/.claude/settings.json': list })
        const config = parseYaml(written) as { version: number; rules?: Record<string, unknown>[] }
        expect(Object.keys(config)).toEqual(rules.length > 0 ? ['version', 'rules'] : ['version'])
        expect((config.rules ?? []).every((rule) => 'deny' in rule)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('in a config that takes no comments, what it allows is listed as lost', async () => {
    const list = json({ permissions: { allow: ['Bash(ls)'], deny: ['Bash(rm)'] } })
    const found = await imported({ 'home/.claude/settings.json': list }, { file: 'hookline.json' })
    expect(JSON.parse(found.written)).toEqual({ version: 1, rules: [{ deny: { run: 'rm' }, id: 'claude-1' }] })
    expect(found.lost).toEqual([['Bash(ls)', expect.stringContaining('hookline allow')]])
  })
})

describe('init', () => {
  it('takes over what the lists deny, shows what it lost, and lets nothing in that they allow', async () => {
    const root = scratch({
      'home/.claude/settings.json': json({
        permissions: { deny: ['Bash(terraform apply:*)', 'Teleport'], allow: ['Bash(make x)'] },
      }),
      'project/.keep': '',
    })
    const env = {
      HOME: join(root, 'home'),
      XDG_CONFIG_HOME: '',
      XDG_STATE_HOME: '',
      XDG_DATA_HOME: '',
      PATH: '/usr/bin:/bin',
    }
    const cwd = join(root, 'project')
    const { exit, stdout, stderr } = await hookline(['init', '--yes'], '', { cwd, env })
    expect(exit, stdout + stderr).toBe(0)
    expect(stdout).toContain('Teleport')
    const text = readFileSync(join(cwd, 'hookline.yaml'), 'utf8')
    expect(text).toContain('deny: { run: terraform apply }')
    expect(text).toMatch(/^#.*"allow":\{"run":"make x"\}/m)
    expect(permissionLists({ home: env.HOME, project: cwd, env: {} }).map(({ host }) => host)).toContain('claude')
  })
})
