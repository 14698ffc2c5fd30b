import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HooklineError, layers, settingLayers } from '../../src/core/index.ts'
import { createHooks, type HooksOptions } from '../../src/hooks/index.ts'
import { hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'
import { soon } from '../support/soon.ts'

const command = (text: string) => ({ type: 'command', command: text })
const settings = {
  hooks: {
    PreToolUse: [
      { matcher: 'Bash|Ignore (all rules', hooks: [command('exit 0')] },
      { matcher: 'Read', hooks: [{ type: 'comand', command: 'exit 0' }] },
    ],
    PostToolUse: [{ matcher: 'Edit[', hooks: [command('exit 0')] }],
    Stop: [{ hooks: [command('echo \'{"systemMessage":"bye"}\'')] }],
  },
}
const file = () => join(scratch({ 'settings.json': JSON.stringify(settings, null, 2) }), 'settings.json')
const call = (tool: string) => ({ tool_name: tool, tool_input: {}, session_id: 's' })

async function opened(options: HooksOptions) {
  const hooks = await createHooks({ journal: false, dialect: 'claude-code', ...options })
  return { hooks, close: () => hooks.close() }
}

describe('one broken entry of a system that reads each entry by itself', () => {
  it.each([undefined, false] as const)(
    'leaves the others alone, and a guard closed, with strict: %s',
    async (strict) => {
      const config = file()
      const { hooks, close } = await opened({ config, ...(strict === false && { strict }) })
      expect(hooks.notes.map(({ code }) => code).sort()).toEqual(['entry-broken', 'guard-broken', 'guard-broken'])
      expect(hooks.notes.map(({ message }) => message).join()).toContain(`${config}:5:9: this guard is broken`)
      expect((await hooks.raise('stop', { session_id: 's' } as never)).message).toEqual(['bye'])
      const { decision } = await hooks.raise('pre_tool_use', call('Anything'))
      expect(decision?.ruling).toBe('deny')
      expect(decision?.reason).toContain(`${config}:5:9: matcher: not a valid regex`)
      await close()
    },
  )

  it('refuses to start when that is wanted, and begins with what is wrong', async () => {
    const error = await opened({ config: file(), strict: true }).catch((thrown: unknown) => thrown as HooklineError)
    const lines = (error as HooklineError).message.split('\n')
    expect(lines[0]).toContain('3 problem(s)')
    expect(lines[1]).toMatch(/settings\.json:\d+:\d+: /)
    expect(lines.slice(1, 3).join('\n')).toContain('matcher: not a valid regex')
  })

  it.each(layers.filter((layer) => layer !== 'code'))('needs no approval to refuse in the %s layer', async (layer) => {
    const { hooks, close } = await opened({
      // No keys have signed it; what holds of its layer holds all the same.
      files: [{ file: file(), layer, dialect: 'claude-code', ...(layer === 'fleet' && { candidate: true as const }) }],
      trust: () => ({ trusted: false, detail: 'nobody approved it', remedy: 'approve it' }),
    })
    const { decision, reports } = await hooks.raise('pre_tool_use', call('Bash'))
    const broken = reports.find(({ failure }) => failure?.kind === 'broken-config')
    expect(broken?.failure?.detail).toContain('not a valid regex')
    expect(decision?.ruling).toBe('deny')
    // What a project has written, and nobody has approved, is not passed on to the model.
    const isOwn = settingLayers.has(layer)
    for (const words of ['not a valid regex', 'Ignore (all rules']) expect(decision?.reason.includes(words)).toBe(isOwn)
    await close()
  })

  it('counts again as soon as it is corrected', async () => {
    const config = file()
    const { hooks, close } = await opened({ config })
    expect((await hooks.raise('pre_tool_use', call('Bash'))).decision?.ruling).toBe('deny')
    writeFileSync(config, JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [command('exit 0')] }] } }))
    await hooks.reload()
    expect(hooks.notes).toEqual([])
    expect((await hooks.raise('pre_tool_use', call('Bash'))).decision).toBeUndefined()
    await close()
  })
})

describe('the command line', () => {
  const payload = JSON.stringify({ hook_event_name: 'PreToolUse', ...call('Bash'), tool_use_id: 't' })

  it('refuses in the words of the host, and goes on where nothing is guarded', async () => {
    const args = ['dispatch', '--dialect', 'claude-code', '--config', file(), '--trust', 'all', '--reply']
    const guarded = await hookline(args, payload)
    expect(guarded.exit).toBe(0)
    expect(JSON.parse(guarded.stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/settings\.json:5:9: matcher: not a valid regex/),
    })
    const stop = JSON.stringify({ hook_event_name: 'Stop', session_id: 's', stop_hook_active: false })
    const free = await hookline(args, stop)
    expect([free.exit, JSON.parse(free.stdout)]).toEqual([0, { systemMessage: 'bye' }])
    expect(free.stderr).toContain('this entry is broken')
  })

  it('checks each entry, and takes remarks for people for none of them', async () => {
    const { stdout, exit } = await hookline(['check', '--dialect', 'claude-code', '--json', file()])
    const { findings } = JSON.parse(stdout) as { findings: { code: string; line: number }[] }
    expect(exit).toBe(1)
    expect(findings.map(({ code }) => code)).toEqual(['matcher-regex', 'unknown-executor', 'matcher-regex'])

    const handler = { ...command('exit 0'), id: 'a', description: 'd', $comment: 'c', statusMessage: 's', once: false }
    const group = { description: 'd', id: 'g', '//': 'c', _note: 'n', hooks: [handler] }
    const remarks = { $schema: 's', _comment: 'c', hooks: { _comment: 'c', '//': 'c', Stop: [group] } }
    const cwd = scratch({ 'settings.json': JSON.stringify(remarks) })
    const clean = await hookline(['check', '--strict', 'settings.json'], '', { cwd })
    expect([clean.exit, clean.stdout]).toEqual([0, expect.not.stringContaining('error')])
  })

  it('lists the hooks that count, and says that others do not', async () => {
    const { exit, stdout, stderr } = await hookline(['list', '--config', file(), '--config-dialect', 'claude-code'])
    expect([exit, stdout]).toEqual([1, expect.stringContaining('stop_1')])
    expect(stderr).toContain('An entry is broken')
  })
})

describe('a hook that leaves with its first line', () => {
  const leaving = (line: string, rest: string) => ({
    hooks: { PreToolUse: [{ hooks: [command(`echo '${line}'; ${rest}`)] }] },
  })

  it('is not waited for, goes on, and decides nothing', async () => {
    const rest = 'while [ ! -e go ]; do sleep 0.05; done; touch done; echo late >&2; exit 2'
    const cwd = scratch({ 'settings.json': JSON.stringify(leaving('{"async": true}', rest)) })
    const { hooks } = await opened({ config: join(cwd, 'settings.json'), cwd })
    const { decision, reports } = await hooks.raise('pre_tool_use', { ...call('Bash'), cwd })
    expect(decision).toBeUndefined()
    expect(reports).toMatchObject([{ background: true, outcome: 'no-opinion' }])
    expect(existsSync(join(cwd, 'done'))).toBe(false)
    writeFileSync(join(cwd, 'go'), '')
    await hooks.close({ drainMs: soon })
    expect(existsSync(join(cwd, 'done'))).toBe(true)
  })

  it('ends when its time is over', async () => {
    const config = leaving('{"async": true, "asyncTimeout": 50}', 'while :; do sleep 0.05; done')
    const cwd = scratch({ 'settings.json': JSON.stringify(config) })
    const notes: string[] = []
    const { hooks } = await opened({
      config: join(cwd, 'settings.json'),
      cwd,
      onNote: ({ code }) => void notes.push(code),
    })
    await hooks.raise('pre_tool_use', { ...call('Bash'), cwd })
    await hooks.close({ drainMs: soon })
    expect(notes).toEqual([])
  })

  it('says so only with a line of its own', async () => {
    const config = leaving('{"async": false}', 'echo no >&2; exit 2')
    const cwd = scratch({ 'settings.json': JSON.stringify(config) })
    const { hooks } = await opened({ config: join(cwd, 'settings.json'), cwd })
    expect((await hooks.raise('pre_tool_use', { ...call('Bash'), cwd })).decision?.ruling).toBe('deny')
    await hooks.close()
  })
})

it('what a background hook objected to, a person gets to know', async () => {
  const handler = { ...command('echo "tests fail" >&2; exit 2'), asyncRewake: true }
  const cwd = scratch({ 'settings.json': JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } }) })
  const notes: string[] = []
  const { hooks } = await opened({
    config: join(cwd, 'settings.json'),
    cwd,
    onNote: ({ message }) => void notes.push(message),
  })
  expect((await hooks.raise('stop', { session_id: 's' } as never)).decision).toBeUndefined()
  await hooks.close({ drainMs: soon })
  expect(notes).toEqual([expect.stringContaining('tests fail')])
})
