import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hookline } from '../../../hookline/test/support/cli.ts'
import { linesOf, workplace } from './support.ts'

const ready = '› '
const file = (...lines: string[]) => `agents:\n  root:\n    instruction: Help.\n${lines.join('\n')}\n`

it('the welcome message of an agent file is shown, and its commands are prompts', async () => {
  const { talk } = workplace({
    'agent.yaml': file(
      '    model: rehearsal',
      '    welcome_message: Hello, I am the release agent.',
      '    commands:',
      '      notes: Write the release notes.',
    ),
  })
  const terminal = talk('agent.yaml')
  await terminal.sees('Hello, I am the release agent.')
  await terminal.sees(ready)
  terminal.types('/notes for 2.0\r')
  await terminal.sees('You said: Write the release notes.\n\nfor 2.0')
  await terminal.sees(ready)
  terminal.types('/help\r')
  await terminal.sees('/notes')
})

it('--model rescues a file whose own models cannot be used', async () => {
  const { cwd, env } = workplace({ 'agent.yaml': file('    model: opnai/gpt-5') })
  const run = (...args: string[]) => hookline(['run', 'agent.yaml', '--print', ...args, 'list'], '', { cwd, env })
  const refused = await run()
  expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('unknown provider `opnai`')])
  expect((await run('--model', 'rehearsal')).exit).toBe(0)
})

it('settings.snapshot of the user turns snapshots on for every agent', async () => {
  const { cwd, env, run } = workplace({ 'agent.yaml': file('    model: rehearsal', '    toolsets: [{ type: shell }]') })
  execFileSync('git', ['init', '-q'], { cwd })
  const config = join(cwd, '..', 'config')
  const own = { ...env, XDG_CONFIG_HOME: config }
  execFileSync('mkdir', ['-p', join(config, 'hookline')])
  writeFileSync(join(config, 'hookline', 'hooks.yaml'), 'version: 1\nsettings: { snapshot: true }\n')
  await hookline(['run', 'agent.yaml', '--print', 'hello'], '', { cwd, env: own })
  expect(existsSync(join(env['XDG_DATA_HOME']!, 'hookline', 'snapshot'))).toBe(true)
  expect((await run('--print', 'x')).exit).toBe(0)
})

it('--json waits for agents that work in the background, and says so', async () => {
  const { cwd, env } = workplace({
    'agent.yaml': [
      'agents:',
      '  root: { model: rehearsal/play.yaml, sub_agents: [helper], toolsets: [{ type: background_agents }] }',
      '  helper: { model: rehearsal/play.yaml, description: Counts. }',
      '',
    ].join('\n'),
    'play.yaml': [
      'rehearsal: 1',
      'turns:',
      '  - when: { user: go }',
      '    call: { tool: run_background_agent, input: { agent: helper, task: count } }',
      'agents:',
      '  helper:',
      '    default: { say: one two three four five six seven eight nine ten, pace_ms: 40 }',
      'default: { say: Begun. }',
      '',
    ].join('\n'),
  })
  const result = await hookline(['run', 'agent.yaml', '--json', 'go'], '', { cwd, env })
  const lines = linesOf(result)
  const notices = lines.flatMap(({ type, text }) => (type === 'notice' ? [String(text)] : []))
  expect(notices.join('\n')).toMatch(/Waiting for 1 background agent: helper\.[\s\S]*task_1 \(helper\): done\./)
  expect(lines.at(-1)).toMatchObject({ type: 'result', response: 'Begun.', exit: 0 })
})

it('a terminal that goes away ends the session in order: session_end runs, and the exit code says why', async () => {
  const { talk, cwd } = workplace()
  const terminal = talk('slowly a fox', '--hook-session-end', 'cat > ended.json')
  await terminal.sees('Once')
  terminal.hangsUp()
  expect((await terminal.ended()).exit).toBe(129)
  expect(JSON.parse(readFileSync(join(cwd, 'ended.json'), 'utf8'))).toMatchObject({ hook_event_name: 'session_end' })
})
