import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hookline, hooklineProcess, type Session } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const config = `version: 1
use: [security]
rules:
  - deny: { run: git push --force }
hooks:
  - { id: guard, event: pre_tool_use, matcher: { tool: shell }, run: "echo seen >> seen.txt; exit 0" }
`
const cases = `version: 1
cases:
  - { name: no force, given: { tool: shell, command: git push --force }, expect: { decision: deny } }
`
const call = (command: string) =>
  JSON.stringify({ event: 'pre_tool_use', session_id: 's', tool_name: 'shell', tool_input: { command } })

/** One of each kind: what reads, writes, asks, fails, runs programs, and counts on what one before it has left. */
const commands: [args: string[], input?: string][] = [
  [['--version']],
  [['dispach']],
  [['check']],
  [['list']],
  [['dispatch', '--trust', 'all'], call('ls')],
  [['dispatch', '--config', 'nowhere.yaml'], call('ls')],
  [['dispatch', '--dialect', 'claude-code', '--reply', '--trust', 'all'], call('git push --force')],
  [['dispatch'], 'no JSON'],
  [['deny', 'npm publish', '--because', 'Not from here.']],
  [['rules']],
  [['explain', 'npm publish']],
  [['test']],
  [['doctor', '--trust', 'all']],
  [['guard', 'shell'], '{"command":"ls"}\n{"command":"rm -rf /"}\n'],
  [['log']],
  [['stats']],
  [['run', '--print', 'hello']],
]

it('a command does the same in a process of its own as after many others in one', async () => {
  const alone = await all(hooklineProcess)
  expect(await all(hookline)).toEqual(alone)
  expect(alone.map(({ exit }) => exit)).toEqual(expect.arrayContaining([0, 1, 64]))
})

async function all(run: typeof hookline): Promise<Session[]> {
  const home = scratch({ 'hookline.yaml': config, 'hookline.test.yaml': cases })
  const env = { HOME: home, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_STATE_HOME: join(home, 'state') }
  const sessions: Session[] = []
  for (const [args, input] of commands) sessions.push(settled(await run(args, input, { cwd: home, env }), home))
  return sessions
}

/** Without what is different each time: where it ran, how long it took, when, and what derives from that. */
function settled({ exit, stdout, stderr }: Session, home: string): Session {
  const still = (text: string) =>
    text
      .replaceAll(home, '~')
      .replace(/\d+(?:\.\d+)?(?: ?(?:ms|µs|s|min)\b)/g, 'a while')
      .replace(/<?\d+ %/g, 'a part')
      .replace(/"duration_ms":[\d.]+/g, '"duration_ms":0')
      .replace(/\d{4}-\d\d-\d\d[T ]?|\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?/g, '')
      .replace(/ +/g, ' ')
  return { exit, stdout: still(stdout), stderr: still(stderr) }
}
