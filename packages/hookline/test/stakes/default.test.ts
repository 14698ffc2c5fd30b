import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHooks, type HooksOptions } from '../../src/index.ts'
import { ordinarySessions } from '../rules/sessions.ts'
import { project } from '../rules/support.ts'
import { dangerousByClass } from './dangerous.ts'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd, stdio: 'ignore' })

const write = (root: string, files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

/** A home with a repository in it: files that are committed, changed, untracked, ignored, and made again. */
function workspace(changed = true): { home: string; cwd: string } {
  const home = project({ 'projects/a.txt': '1', 'Documents/b.txt': '2' })
  const cwd = join(home, 'work/app')
  write(cwd, {
    '.gitignore': 'node_modules\ndist\n.env*\n*.sqlite\nuploads\n',
    'package.json': JSON.stringify({ scripts: { clean: 'rm -rf dist', wipe: 'rm -rf uploads' } }),
    'src/changed.ts': '1',
    'src/clean.ts': '1',
    'docs/guide.md': '1',
    'scripts/wipe.sh': 'rm -rf ~/projects\n',
    Makefile: 'DATA := uploads\nclean:\n\trm -rf dist\nwipe: clean\n\trm -rf $(DATA)\n',
  })
  git(cwd, 'init', '-q', '-b', 'feature/x')
  git(cwd, 'remote', 'add', 'origin', 'https://github.com/acme/app.git')
  git(cwd, 'add', '-A')
  git(cwd, 'commit', '-qm', 'one')
  write(cwd, { 'node_modules/a/index.js': '1', 'dist/app.js': '1' })
  if (changed)
    write(cwd, {
      'src/changed.ts': '2',
      'notes.txt': '1',
      'src/new.ts': '1',
      '.env.local': 'A=1',
      'dev.sqlite': 'x',
      'uploads/a.png': 'x',
    })
  return { home, cwd }
}

async function judging(place: { home: string; cwd: string }, options: Partial<HooksOptions> = {}) {
  const { cwd, home } = place
  vi.stubEnv('HOME', home)
  vi.stubEnv('HOOKLINE_DATA_DIR', join(home, 'data'))
  const hooks = await createHooks({ use: ['security', 'secrets'], cwd, journal: false, ...options })
  onTestFinished(async () => {
    await hooks.close()
    vi.unstubAllEnvs()
  })
  const say = async (command: string, audience?: 'person' | 'waiting' | 'nobody') => {
    const payload = { session_id: 's', tool_name: 'shell', tool_input: { command }, cwd }
    const { decision, metadata, message } = await hooks.raise('pre_tool_use', payload, audience ? { audience } : {})
    return { ruling: decision?.ruling ?? '-', reason: decision?.reason ?? '', row: metadata?.['at_stake'], message }
  }
  return { hooks, say, run: async (command: string) => (await say(command)).ruling }
}

describe('what users get by default', () => {
  it('at least 95 of 100 dangerous commands are blocked or asked about, and most of every class', async () => {
    const { run } = await judging(workspace())
    const missed: string[] = []
    let count = 0
    for (const [name, commands] of dangerousByClass) {
      const passed: string[] = []
      for (const command of commands) if (!/deny|ask/.test(await run(command))) passed.push(`${name}: ${command}`)
      expect(passed.length / commands.length, passed.join('\n')).toBeLessThanOrEqual(0.15)
      missed.push(...passed)
      count += commands.length
    }
    expect(count).toBeGreaterThanOrEqual(300)
    expect(missed.length / count, missed.join('\n')).toBeLessThanOrEqual(0.05)
  })

  it('of the calls of whole ordinary sessions, at most 1 in 100 is blocked and 1 in 100 asked about', async () => {
    const { say } = await judging(workspace())
    const found = { deny: [] as string[], ask: [] as string[] }
    let count = 0
    for (const [name, commands] of ordinarySessions)
      for (const command of commands) {
        count++
        const { ruling, reason } = await say(command)
        if (ruling === 'deny' || ruling === 'ask') found[ruling].push(`${name}: ${command} → ${reason}`)
      }
    expect(count).toBeGreaterThanOrEqual(500)
    expect(found.deny.length / count, found.deny.join('\n')).toBeLessThanOrEqual(0.01)
    expect(found.ask.length / count, found.ask.join('\n')).toBeLessThanOrEqual(0.01)
  })

  const rows: [row: string | undefined, command: string, person: string, nobody: string][] = [
    [undefined, 'rm -rf /tmp/hookline-no-such', '-', '-'],
    [undefined, 'rm -rf node_modules dist', '-', '-'],
    [undefined, 'npm run clean', '-', '-'],
    [undefined, 'rm -rf docs', '-', '-'],
    [undefined, 'git checkout -- src/clean.ts', '-', '-'],
    [undefined, 'git push --force-with-lease', '-', '-'],
    ['uncommitted', 'rm -rf src', 'ask', '-'],
    ['uncommitted', 'rm notes.txt', 'ask', '-'],
    ['uncommitted', 'git reset --hard', 'ask', '-'],
    ['uncommitted', 'git clean -fd', 'ask', '-'],
    ['ignored', 'rm .env.local', 'ask', 'deny'],
    ['ignored', 'git clean -fdx', 'ask', 'deny'],
    ['ignored', 'npm run wipe', 'ask', 'deny'],
    ['elsewhere', 'rm -rf ~/projects', 'ask', 'deny'],
    ['elsewhere', 'mv ~/Documents /tmp/x', 'ask', 'deny'],
    ['elsewhere', 'echo hi > ~/Documents/b.txt', 'ask', 'deny'],
    ['elsewhere', 'cp README ~/Documents/b.txt', 'ask', 'deny'],
    ['elsewhere', "sed -i 's/a/b/' ~/Documents/b.txt", 'ask', 'deny'],
    ['elsewhere', 'dd if=x of=~/Documents/b.txt', 'ask', 'deny'],
    [undefined, 'mv ~/Documents ~/Papers', '-', '-'],
    [undefined, 'echo hi > ~/Documents/new.txt', '-', '-'],
    [undefined, 'echo hi >> ~/Documents/b.txt', '-', '-'],
    ['ignored', 'make wipe', 'ask', 'deny'],
    [undefined, 'make clean', '-', '-'],
    ['uncommitted', 'mv notes.txt /tmp/', 'ask', '-'],
    ['uncommitted', ': > notes.txt', 'ask', '-'],
    ['uncommitted', 'truncate -s 0 src/changed.ts', 'ask', '-'],
    ['uncommitted', 'cp docs/guide.md notes.txt', 'ask', '-'],
    ['ignored', 'cp docs/guide.md .env.local', 'ask', 'deny'],
    [undefined, 'cp docs/guide.md src/clean.ts', '-', '-'],
    [undefined, 'mv notes.txt docs/', '-', '-'],
    [undefined, 'sort notes.txt > x && mv x notes.txt', '-', '-'],
    [undefined, 'echo hi > notes.txt', '-', '-'],
    ['elsewhere', 'bash scripts/wipe.sh', 'ask', 'deny'],
    ['history', 'git push --force', 'ask', 'deny'],
    ['local', 'psql -c "DROP TABLE users"', 'ask', 'deny'],
    ['shared', 'git push --force origin main', 'ask', 'deny'],
    ['shared', 'psql -h db.example.com -c "DROP TABLE users"', 'ask', 'deny'],
    ['shared', 'kubectl delete ns prod', 'ask', 'deny'],
    ['vital', 'rm -rf .git', 'deny', 'deny'],
    ['vital', 'rm -rf .', 'deny', 'deny'],
    ['vital', 'rm -rf ~', 'deny', 'deny'],
    ['vital', 'mkfs.ext4 /dev/sda1', 'deny', 'deny'],
  ]

  it.each(rows)('%s: %s → %s, with nobody to ask %s', async (row, command, person, nobody) => {
    const { say } = await judging(workspace())
    expect(await say(command)).toMatchObject({ ruling: person, row })
    expect((await say(command, 'nobody')).ruling).toBe(nobody)
  })

  it('what cannot be read is asked about, and blocked where nobody can answer', async () => {
    const { say } = await judging(workspace())
    const padded = `${'env '.repeat(60)}rm -rf ~/projects`
    expect((await say(padded)).ruling).not.toBe('-')
    expect((await say(padded, 'nobody')).ruling).toBe('deny')
  })

  it('a question names the files that would be lost', async () => {
    const { say } = await judging(workspace())
    expect((await say('rm -rf src')).reason).toBe(
      'It deletes 1 file with changes that are not committed: src/changed.ts; and 1 untracked file: src/new.ts; git cannot bring them back. The command: rm -rf src',
    )
  })

  it('where nobody can be asked, what git cannot bring back is kept first, and comes back', async () => {
    const place = workspace()
    const { say } = await judging(place)
    const { ruling, message } = await say('rm -rf src', 'nobody')
    expect([ruling, message?.[0]]).toEqual(['-', expect.stringMatching(/^Kept 2 files in a snapshot/)])
    execFileSync('rm', ['-rf', join(place.cwd, 'src')])
    const { openSessionSnapshots } = await import('../../src/executors/snapshots.ts')
    const snapshots = await openSessionSnapshots({ cwd: place.cwd, session: 's' })
    expect((await snapshots!.undo()).sort()).toEqual(['src/changed.ts', 'src/new.ts'])
    expect(existsSync(join(place.cwd, 'src/new.ts'))).toBe(true)
  })

  it('knows who can be asked: hosts that ignore the question and callers without a person have nobody', async () => {
    const place = workspace()
    const { hooks } = await judging(place)
    const call = (command: string, more: object = {}) => ({
      ...{ hook_event_name: 'PreToolUse', session_id: 's', cwd: place.cwd, tool_name: 'Bash', ...more },
      tool_input: { command },
    })
    const rulingIn = async (host: string, command: string, more?: object) =>
      (await hooks.raiseAs(host, call(command, more))).decision?.ruling ?? '-'
    expect(await rulingIn('claude-code', 'rm -rf ~/projects')).toBe('ask')
    expect(await rulingIn('claude-code', 'rm -rf ~/projects', { permission_mode: 'dontAsk' })).toBe('deny')
    expect(await rulingIn('codex', 'rm -rf ~/projects')).toBe('deny')
    expect(await rulingIn('codex', 'rm notes.txt')).toBe('-')
    const guarded = { tool_name: 'shell', tool_input: { command: 'rm notes.txt' }, cwd: place.cwd }
    expect((await hooks.guardTool(guarded, async () => 'gone')).outcome).toBe('ran')
    expect((await hooks.guardTool(guarded, async () => 'gone', { ask: () => false })).outcome).toBe('refused')
  })

  it('without a repository there is nothing to keep it in, and it is blocked', async () => {
    const home = project({ 'app/data/a.csv': '1' })
    const { say } = await judging({ home, cwd: join(home, 'app') })
    expect((await say('rm -rf data')).reason).toContain('It deletes 1 untracked file: data/a.csv')
    expect((await say('rm -rf data', 'nobody')).ruling).toBe('deny')
  })

  it('profiles: strict blocks what others share, ci has nobody to ask, watch blocks nothing', async () => {
    const place = workspace()
    const under = async (profile: string, command: string) => {
      const { run } = await judging(place, { use: [{ bundle: 'security', with: { profile } }] })
      return run(command)
    }
    expect(await under('strict', 'terraform destroy')).toBe('deny')
    expect(await under('strict', 'rm -rf ~/projects')).toBe('ask')
    expect(await under('ci', 'rm -rf ~/projects')).toBe('deny')
    expect(await under('watch', 'rm -rf ~')).toBe('-')
  })

  it('a repository runs nothing while it is looked at', async () => {
    const place = workspace()
    const trap = join(place.home, 'trap')
    for (const key of ['filter.evil.clean', 'filter.evil.process', 'core.fsmonitor'])
      git(place.cwd, 'config', key, `touch ${trap}`)
    write(place.cwd, { '.gitattributes': '* filter=evil\n', 'src/clean.ts': 'newer' })
    const { run } = await judging(place)
    expect(await run('rm -rf src')).toBe('ask')
    expect(existsSync(trap)).toBe(false)
  })
})
