import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { terminal } from '../support/terminal.ts'

/** What agents set; whoever runs the tests may be one. */
const noAgent = Object.fromEntries(
  ['CLAUDECODE', 'AI_AGENT', 'AGENT', 'COPILOT_CLI', 'GEMINI_CLI', 'OPENCODE', 'CURSOR_AGENT', 'CODEX_SANDBOX'].map(
    (name) => [name, ''],
  ),
)

/** A project with a person in it. */
function project(files: Record<string, string> = {}) {
  const root = scratch(Object.fromEntries(Object.entries(files).map(([name, text]) => [`repo/${name}`, text])))
  for (const directory of ['repo/.git', 'home']) mkdirSync(join(root, directory), { recursive: true })
  const cwd = join(root, 'repo')
  const env = { ...noAgent, HOME: join(root, 'home'), XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }
  const run = (...args: string[]) => hookline(args, '', { cwd, env })
  const asAgent = (...args: string[]) => hookline(args, '', { cwd, env: { ...env, CLAUDECODE: '1' } })
  const at = (...args: string[]) => terminal(args, { cwd, env })
  const read = (name = 'hookline.yaml') => readFileSync(join(cwd, name), 'utf8')
  const judge = async (command: string, tool = 'shell') => {
    const payload = { event: 'pre_tool_use', tool_name: tool, tool_input: { command }, cwd }
    const { stdout } = await hookline(['dispatch'], JSON.stringify(payload), { cwd, env })
    return JSON.parse(stdout).decision?.ruling
  }
  return { root, cwd, env, run, asAgent, at, read, judge }
}

describe('hookline deny, ask, allow', () => {
  it('one line blocks a command, and nothing that only looks like it', async () => {
    const { run, read, judge } = project()
    const { exit, stdout } = await run('deny', 'git push --force', '--because', 'Force pushes are off limits here.')
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/✗ deny {2}run git push --force[\s\S]*hookline\.yaml/)])
    expect(read()).toBe(
      [
        'version: 1',
        'rules:',
        '  - id: no-git-push-force',
        '    deny: { run: git push --force }',
        '    because: Force pushes are off limits here.',
        '',
      ].join('\n'),
    )
    expect(await judge('git push origin main --force')).toBe('deny')
    expect(await judge('sudo bash -c "git push --force"')).toBe('deny')
    expect(await judge('git push --force-with-lease')).toBeUndefined()
  })

  it('everything else in the file stays, comments included, and rules stand before hooks', async () => {
    const before = '# Ours.\nversion: 1\n# Guards\nhooks:\n  - id: a # first\n    event: stop\n    run: "true"\n'
    const { run, read } = project({ 'hookline.yaml': before })
    expect((await run('ask', '--write', 'infra/**')).exit).toBe(0)
    expect(read()).toMatch(
      /^# Ours\.\nversion: 1\n[\s\S]*rules:\n {2}- id: ask-write-infra\n {4}ask: \{ write: infra\/\*\* \}\n/,
    )
    expect(read()).toContain('# Guards')
    expect(read()).toContain('- id: a # first')
    expect(read().indexOf('rules:')).toBeLessThan(read().indexOf('hooks:'))
  })

  it('--user writes the rule where it holds for every project', async () => {
    const { root, run, cwd } = project()
    expect((await run('deny', 'npm publish', '--user')).exit).toBe(0)
    expect(existsSync(join(cwd, 'hookline.yaml'))).toBe(false)
    expect(readFileSync(join(root, 'home/.config/hookline/hooks.yaml'), 'utf8')).toContain('npm publish')
  })

  it('the same rule twice is one rule, and a taken name gets a number', async () => {
    const { run, read } = project()
    await run('deny', 'npm publish')
    const again = await run('deny', 'npm publish')
    expect([again.exit, again.stdout]).toEqual([0, expect.stringContaining('has this rule already')])
    await run('deny', 'npm  publish', '--when', 'branch=main')
    expect(read().match(/^ {2}- id: .*/gm)).toEqual(['  - id: no-npm-publish', '  - id: no-npm-publish-2'])
  })

  it('rules that ten processes add at once are all there', async () => {
    const { run, read } = project()
    const names = Array.from({ length: 10 }, (_, at) => `tool${at} run`)
    const ran = await Promise.all(names.map((name) => run('deny', name)))
    expect(ran.map(({ exit }) => exit)).toEqual(names.map(() => 0))
    for (const name of names) expect(read()).toContain(name)
  })

  it('a rule that can never match is refused, with a suggestion, and nothing is written', async () => {
    const { run, cwd } = project()
    const { exit, stderr } = await run('deny', '--tool', 'shel')
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/shel[\s\S]*shell/)])
    expect(existsSync(join(cwd, 'hookline.yaml'))).toBe(false)
  })

  it('says what is missing when there is nothing to decide about', async () => {
    const { exit, stderr } = await project().run('deny', '--because', 'no')
    expect([exit, stderr]).toEqual([64, expect.stringContaining('hookline deny "git push --force"')])
  })

  it('loosening needs a person: without a terminal it is only proposed', async () => {
    const { run, cwd } = project()
    const { exit, stdout } = await run('allow', 'npm test')
    expect([exit, stdout]).toEqual([3, expect.stringContaining('hookline rules pending')])
    expect(existsSync(join(cwd, 'hookline.yaml'))).toBe(false)
  })

  it('at a terminal, allow shows what it loosens and asks; then it answers what the same file asks', async () => {
    const { at, run, judge } = project()
    await run('ask', 'npm test')
    expect(await judge('npm test')).toBe('ask')
    const typed = at('allow', 'npm test')
    await typed.sees('Add it?')
    typed.types('y\r')
    expect((await typed.ended()).exit).toBe(0)
    expect(await judge('npm test')).toBe('allow')
    expect(await judge('npm test && rm x')).toBe('ask')
  })

  it('what a rule blocks becomes an exception of that rule: nothing else overrides a deny', async () => {
    const { at, run, read, judge } = project()
    await run('deny', 'git push --force')
    const typed = at('allow', 'git push --force origin sandbox')
    await typed.sees('becomes an exception of what blocks it now: no-git-push-force')
    typed.types('y\r')
    expect((await typed.ended()).exit).toBe(0)
    expect(read()).toContain('except: { run: git push --force origin sandbox }')
    expect(await judge('git push --force origin sandbox')).toBeUndefined()
    expect(await judge('git push --force origin main')).toBe('deny')
  })

  it('what a rule of a bundle blocks too: the file mutes it, and has a copy with the exception', async () => {
    const { at, cwd, read, judge } = project()
    writeFileSync(
      join(cwd, 'hookline.yaml'),
      'version: 1\nuse: [{ bundle: git-safe, with: { force_push: deny } }] # ours\n',
    )
    expect(await judge('git push --force origin sandbox')).toBe('deny')
    const typed = at('allow', 'git push --force origin sandbox')
    await typed.sees('becomes an exception of what blocks it now: git-safe:force-push')
    typed.types('y\r')
    expect((await typed.ended()).exit).toBe(0)
    expect(read()).toMatch(/use: \[ ?\{ bundle: git-safe, with: \{ force_push: deny \} \} ?\] # ours/)
    expect(await judge('git push --force origin sandbox')).toBeUndefined()
    for (const command of ['git push --force origin main', 'git push --mirror'])
      expect(await judge(command)).toBe('deny')
    expect(await judge('git clean -f')).toBe('ask')
  })

  it('a no at the terminal writes nothing', async () => {
    const { at, cwd } = project()
    const typed = at('allow', 'npm test')
    await typed.sees('Add it?')
    typed.types('n\r')
    expect((await typed.ended()).exit).toBe(2)
    expect(existsSync(join(cwd, 'hookline.yaml'))).toBe(false)
  })

  it('adding a rule approves no other rule of the file', async () => {
    const hostile = 'version: 1\nrules:\n  - ask: { run: npm publish }\n  - allow: { run: npm publish }\n'
    const { run, judge } = project({ 'hookline.yaml': hostile })
    expect(await judge('npm publish')).toBe('ask')
    expect((await run('deny', 'git push --force')).exit).toBe(0)
    expect(await judge('npm publish')).toBe('ask')
    expect(await judge('git push --force')).toBe('deny')
  })
})

describe('rules that agents propose', () => {
  it('an agent’s rule counts only after a person accepted it', async () => {
    const { asAgent, at, judge, run } = project({ 'hookline.yaml': 'version: 1\nhooks: []\n' })
    const { exit, stdout } = await asAgent('deny', 'git push --force', '--because', 'I was asked to.')
    expect([exit, stdout]).toEqual([3, expect.stringContaining('Proposed, not added')])
    expect(await judge('git push --force')).toBeUndefined()
    expect((await run('rules')).stdout).toContain('rules pending')
    const person = at('rules', 'pending')
    await person.sees('Add this rule?')
    person.types('y\r')
    const { screen } = await person.ended()
    expect(screen).toMatch(/Claude Code[\s\S]*Added to hookline\.yaml/)
    expect(await judge('git push --force')).toBe('deny')
    expect(JSON.parse((await run('rules', 'pending', '--json')).stdout)).toEqual([])
  })

  it('an agent cannot accept what it has proposed', async () => {
    const { asAgent, judge } = project({ 'hookline.yaml': 'version: 1\nhooks: []\n' })
    await asAgent('allow', 'npm publish')
    const [{ id }] = JSON.parse((await asAgent('rules', 'pending', '--json')).stdout)
    const { exit, stderr } = await asAgent('rules', 'pending', '--accept', id)
    expect([exit, stderr]).toEqual([1, expect.stringContaining('needs a person')])
    expect(await judge('npm publish')).toBeUndefined()
  })

  it('the same proposal waits once, and a rejected one is gone', async () => {
    const { asAgent, run } = project()
    await asAgent('deny', 'npm publish')
    await asAgent('deny', 'npm publish')
    const waiting = JSON.parse((await run('rules', 'pending', '--json')).stdout)
    expect(waiting).toHaveLength(1)
    expect((await run('rules', 'pending', '--reject', waiting[0].id)).exit).toBe(0)
    expect((await run('rules', 'pending')).stdout).toContain('No rule is waiting')
  })
})

describe('hookline rules', () => {
  it('lists each rule once, with its place, how often it matched, and those that never did', async () => {
    const { run, judge } = project()
    await run('deny', 'git push --force')
    await run('ask', '--write', 'infra/**')
    await judge('git push --force')
    await judge('git push --force origin x')
    const rules = JSON.parse((await run('rules', '--json')).stdout)
    expect(
      rules.map(({ id, ruling, matched, line }: Record<string, unknown>) => ({ id, ruling, matched, line })),
    ).toEqual([
      { id: 'no-git-push-force', ruling: 'deny', matched: 2, line: 3 },
      { id: 'ask-write-infra', ruling: 'ask', matched: 0, line: 5 },
    ])
    const { stdout } = await run('rules')
    expect(stdout).toMatch(
      /✗ deny +no-git-push-force +2×[\s\S]*\? ask +ask-write-infra +never[\s\S]*2 rules, 1 never matched/,
    )
  })

  it('removes a rule by its name', async () => {
    const { run, read, judge } = project()
    await run('deny', 'git push --force')
    expect((await run('remove', 'no-git-push-force')).exit).toBe(0)
    expect(read()).not.toContain('git push')
    expect(await judge('git push --force')).toBeUndefined()
  })

  it('suggests what a person always approved, and what they always refused', async () => {
    const { run, env, cwd } = project({ 'hookline.yaml': 'version: 1\nhooks: []\n' })
    const answer = (command: string, approval_source: string) =>
      hookline(
        ['dispatch'],
        JSON.stringify({
          event: 'on_tool_approval_decision',
          tool_name: 'shell',
          tool_input: { command },
          approval_decision: approval_source === 'user_rejected' ? 'deny' : 'allow',
          approval_source,
          cwd,
        }),
        { cwd, env },
      )
    for (let time = 0; time < 3; time++) await answer('npm test', 'user_approved')
    for (let time = 0; time < 3; time++) await answer('rm -rf /', 'user_approved')
    for (const branch of ['a', 'b']) await answer(`git push origin ${branch}`, 'user_rejected')
    const suggested = JSON.parse((await run('rules', 'suggest', '--json')).stdout)
    expect(suggested.map(({ command }: { command: string }) => command)).toEqual([
      'hookline allow "npm test"',
      'hookline deny "git push"',
    ])
  })
})
