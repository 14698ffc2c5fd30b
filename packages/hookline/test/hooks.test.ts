import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { convert, createHooks, HooklineError } from '../src/index.ts'
import { hookline } from './support/cli.ts'
import { scratch } from './support/scratch.ts'
import { soon } from './support/soon.ts'
import { terminal } from './support/terminal.ts'

it('the example of the README holds', async () => {
  const directory = scratch({
    'hookline.yaml': /```yaml\n(# hookline\.yaml\n[\s\S]*?)```/.exec(readFileSync('README.md', 'utf8'))![1]!,
  })
  const hooks = await createHooks({ config: join(directory, 'hookline.yaml') })
  hooks.on('pre_tool_use', { tool: 'shell' }, ({ payload }) => {
    if (String(payload.tool_input['command']).includes('sudo'))
      return { decision: { ruling: 'ask', reason: 'It wants to be root.' } }
    return undefined
  })
  const raise = (command: string) =>
    hooks.raise('pre_tool_use', { session_id: 's1', tool_name: 'shell', tool_input: { command } })
  for (const command of ['rm -fr /', 'rm -rf /', 'rm -r --force /'])
    expect((await raise(command)).decision).toEqual({
      ruling: 'deny',
      reason: `It deletes the whole file system. The command: ${command}`,
    })
  for (const command of ['git push --force', 'git push -f origin main'])
    expect((await raise(command)).decision).toEqual({
      ruling: 'deny',
      reason:
        'Blocked by a rule of this project (no-force): Force pushes are off limits here. Use git push --force-with-lease.',
    })
  expect((await raise('git push --force-with-lease origin my-branch')).decision).toBeUndefined()
  expect((await raise('sudo ls')).decision).toEqual({ ruling: 'ask', reason: 'It wants to be root.' })
  expect((await raise('ls')).decision).toBeUndefined()
  const call = (command: string) =>
    hooks.guardTool(
      { session_id: 's1', tool_name: 'shell', tool_input: { command } },
      async (input) => `ran ${input.command}`,
    )
  expect(await call('rm -fr /')).toMatchObject({
    outcome: 'refused',
    reason: 'It deletes the whole file system. The command: rm -fr /',
  })
  expect(await call('ls')).toMatchObject({ outcome: 'ran', output: 'ran ls' })
  await hooks.close()
})

it('whoever follows the README in an empty folder has rules that pass their test', async () => {
  const readme = readFileSync('README.md', 'utf8')
  const files = [...readme.matchAll(/```yaml\n(# (\S+)\n[\s\S]*?)```/g)]
  expect(files.map(([, , name]) => name)).toEqual(['hookline.yaml', 'hookline.test.yaml'])
  const cwd = scratch()
  expect((await hookline(['init', '--yes'], '', { cwd })).exit).toBe(0)
  for (const [, text, name] of files) writeFileSync(join(cwd, name!), text!)
  const approving = terminal(['approve'], { cwd })
  for (const thing of ['rules', 'pnpm-only']) {
    await approving.sees(`Approve \`${thing}\`? [y/N]`)
    approving.types('y\r')
  }
  expect((await approving.ended()).exit).toBe(0)
  const { stdout, exit } = await hookline(['test', '--json'], '', { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, passed: 3, failed: 0 })
  expect(exit).toBe(0)
})

it('every executor is closed: a program that closes its hooks ends by itself', () => {
  const program = `
    import { createHooks } from '${join(import.meta.dirname, '../dist/index.js')}'
    const run = {
      command: { command: 'sleep 300 & echo {}' },
      resident: { command: 'cat >/dev/null; sleep 300' },
      sandbox: { command: 'while :; do :; done' },
      http: { url: 'http://127.0.0.1:1999/', allow_local: true },
      builtin: { name: 'add_date' },
    }
    const hooks = await createHooks({ hooks: Object.entries(run).map(([type, spec]) => ({ event: 'turn_start', timeout: ['resident', 'sandbox'].includes(type) ? '300ms' : '20s', run: { type, ...spec } })) })
    hooks.on('turn_start', {}, () => new Promise(() => {}), { timeout: '300ms' })
    const verdict = await hooks.raise('turn_start', { session_id: 's' })
    await hooks.close()
    console.log(JSON.stringify(verdict.reports.map((report) => report.failure?.kind ?? report.outcome)))
  `
  const stdout = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 5 * soon,
  })
  expect(JSON.parse(stdout)).toEqual(['no-opinion', 'time-out', 'time-out', 'http', 'no-opinion', 'time-out'])
})

it('all problems of all files are reported at once, each with its place and remedy', async () => {
  const directory = scratch({
    'one.yaml': 'version: 1\nhooks:\n  - { id: a, event: pre_tool_use, run: { type: comand, command: x } }\n',
    'two.yaml': 'version: 1\nhooks:\n  - { id: b, event: pre_tool_use, matcher: { tool: "(?=x)" }, run: x }\n',
  })
  const config = ['one.yaml', 'two.yaml'].map((file) => join(directory, file))
  const refused = await createHooks({ config }).catch((error: unknown) => error as HooklineError)
  expect(refused).toBeInstanceOf(HooklineError)
  expect((refused as HooklineError).message).toMatch(/one\.yaml:3:\d+.*Did you mean `command`\?/)
  expect((refused as HooklineError).message).toMatch(/two\.yaml:3:\d+.*look-ahead/)

  const lenient = await createHooks({
    config,
    strict: false,
    hooks: [{ id: 'c', event: 'pre_tool_use', run: 'exit 0' }],
  })
  expect(lenient.hooks.map((hook) => hook.id)).toEqual(['c'])
  expect(lenient.notes.map((note) => note.code)).toEqual(['entry-skipped', 'entry-skipped'])
  await lenient.close()
})

it('a journal that must not be missed and cannot be written refuses', async () => {
  const file = join(scratch(), 'journal.jsonl')
  const hooks = await createHooks({ journal: { file, durability: 'full', onFailure: 'block' } })
  hooks.on('pre_tool_use', () => ({ decision: { ruling: 'allow', reason: '' } }))
  const payload = { session_id: 's', tool_name: 'shell', tool_input: { command: 'ls' } }
  expect((await hooks.raise('pre_tool_use', payload)).decision?.ruling).toBe('allow')
  const entries = []
  for await (const entry of hooks.journal.entries()) entries.push(entry)
  expect(entries).toMatchObject([{ event: 'pre_tool_use', outcome: 'allow', generation: 2, synthetic: false }])
  await hooks.close()
})

it('the guided tour runs to its end', () => {
  const stdout = execFileSync(process.execPath, ['examples/guided/tour.mjs'], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  expect(stdout).toContain('refused: It deletes the whole file system')
  expect(stdout).toContain('rewritten: {"command":"pnpm install left-pad"}')
  expect(stdout).toContain('[REDACTED:')
  expect(stdout).toContain('You say the tests pass, but you ran nothing')
  expect(stdout).toContain('broken-on-purpose: failure (spawn)')
})

it('a crowd of sessions waits its turn: no deadline is missed for want of a slot, and nothing is left', async () => {
  const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)
  const hooks = await createHooks({ hooks: [{ event: 'pre_tool_use', run: 'cat', timeout: 10 }] })
  const raise = (session: number) =>
    hooks.raise('pre_tool_use', { session_id: `s${session}`, tool_name: 'shell', tool_input: {} })
  await raise(0)
  const before = openFiles()
  const verdicts = await Promise.all(Array.from({ length: 300 }, (_, session) => raise(session)))
  // `cat` answers with the payload itself, which is no opinion of ours: each session must be judged by its own.
  expect(
    verdicts.every(({ reports }) => reports[0]?.failure === undefined || reports[0].failure.kind === 'invalid-output'),
  ).toBe(true)
  expect(new Set(verdicts.map((verdict) => verdict.payload['session_id'])).size).toBe(300)
  expect(openFiles()).toBeLessThanOrEqual(before + 5)
  await hooks.close()
})

it('a config is converted from one system to another, with what changes meaning', async () => {
  const crush = { hooks: { PreToolUse: [{ matcher: '^bash$', command: './guard.sh', timeout: 10 }] } }
  const { value, hooks, notes } = await convert('crush', 'claude-code', crush)
  expect(hooks).toBe(1)
  expect(JSON.stringify(value)).toContain('./guard.sh')
  expect(notes.length).toBeGreaterThan(0)
  expect(notes.every((note) => note.message !== '' && note.remedy !== '')).toBe(true)
})
