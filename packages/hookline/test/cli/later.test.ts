import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hooklineProcess as hookline } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

/** Ends when somebody lets it: a dispatch that waited for it would not end. */
const waits = 'until [ -e go ]; do sleep 0.05; done; echo more; cat > seen.json; mv seen.json done.json'
const claude = (handler: object) => ({
  hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', timeout: 90, ...handler }] }] },
})
const call = {
  ...{ session_id: 's', hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_use_id: 't' },
  ...{
    tool_input: { command: 'env' },
    tool_response: { stdout: 'ok', stderr: '', interrupted: false, isImage: false },
  },
}

async function place(file: string, config: object, payload: object = call) {
  const cwd = scratch({ [file]: JSON.stringify(config) })
  const env = { XDG_DATA_HOME: join(cwd, 'data'), XDG_STATE_HOME: join(cwd, 'state') }
  const words = ['dispatch', '--dialect', 'claude-code', '--config', file, '--trust', 'all', '--reply']
  const session = await hookline(words, JSON.stringify({ cwd, ...payload }), { cwd, env })
  const done = join(cwd, 'done.json')
  return { cwd, env, session, done }
}

describe('a host gets its answer without waiting for', () => {
  it.each([
    ['an async hook', 'settings.json', claude({ command: waits, async: true })],
    [
      'a hook that begins with {"async": true}',
      'settings.json',
      claude({ command: `echo '{"async": true}'; ${waits}` }),
    ],
    [
      'a background hook',
      'hookline.json',
      { version: 1, hooks: [{ event: 'post_tool_use', background: true, run: { type: 'command', command: waits } }] },
    ],
  ])('%s, and that goes on to its end', async (_, file, config) => {
    const { cwd, session, done } = await place(file, config)
    expect(session).toMatchObject({ exit: 0, stdout: '' })
    expect(existsSync(done)).toBe(false)
    writeFileSync(join(cwd, 'go'), '')
    await expect.poll(() => existsSync(done)).toBe(true)
    expect(JSON.parse(readFileSync(done, 'utf8'))).toMatchObject({ session_id: 's' })
  })
})

it('a background hook sees what hooks before it have left of the event', async () => {
  const key = ['AKIA', 'QYLPMN5HHHFP', 'ZAM2'].join('')
  const audit = {
    ...{ event: 'post_tool_use', background: true, stage: 1 },
    run: { type: 'command', command: 'cat > seen.json; mv seen.json done.json' },
  }
  const { done, session } = await place(
    'hookline.json',
    { version: 1, use: ['secrets'], hooks: [audit] },
    { ...call, tool_response: { ...call.tool_response, stdout: `A=${key}` } },
  )
  expect(session.stdout).toContain('updatedToolOutput')
  await expect.poll(() => existsSync(done)).toBe(true)
  const seen = readFileSync(done, 'utf8')
  expect(seen).not.toContain(key)
  expect(JSON.parse(seen)).toMatchObject({ tool_name: 'shell' })
})

it('a background hook that fails is in the journal', async () => {
  const { cwd, env } = await place('settings.json', claude({ command: 'echo broken >&2; exit 3', async: true }))
  const log = async () => (await hookline(['log', '--json'], '', { cwd, env })).stdout
  await expect.poll(log).toContain('background-failed')
})
