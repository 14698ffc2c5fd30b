import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import { workplace } from './support.ts'

/** On a machine where nobody has approved anything. */
const place = (files: Record<string, string>) => {
  const made = workplace({ '.git/HEAD': '', ...files })
  Object.assign(made.env, { XDG_STATE_HOME: join(scratch(), 'state') })
  return made
}

describe('hooks of a project that nobody has approved', () => {
  it('guard a run at once, where they only tighten: nothing is said, and nothing is asked', async () => {
    const { run } = place({ 'hookline.yaml': 'version: 1\nuse: [security, secrets]\n' })
    const greeted = await run('--print', 'hello')
    expect([greeted.exit, greeted.stdout, greeted.stderr]).toEqual([0, 'You said: hello\n', ''])
    const { stdout } = await run('--yolo', 'run rm -rf /')
    expect(stdout).toContain('It deletes the whole file system.')
  })

  const config = [
    'version: 1',
    'hooks:',
    '  - { id: no-touch, event: pre_tool_use, run: ./check.sh }',
    '  - { id: watcher, event: post_tool_use, run: touch watched }',
  ].join('\n')
  const files = { 'hookline.yaml': config, 'check.sh': '#!/bin/sh\ntouch checked\n' }

  it('are named once, before the run, with the one command; later nobody says so again', async () => {
    const { run, cwd } = place(files)
    const { stdout } = await run('--yolo', 'run touch made')
    expect(stdout.match(/hookline approve/g)).toHaveLength(1)
    expect(stdout).toMatch(/no-touch, watcher\. Look at them and approve them: `hookline approve`\./)
    expect(stdout).toMatch(/✗ Blocked: Nobody has approved a hook \(\S+:3\)/)
    expect(['made', 'checked', 'watched'].filter((name) => existsSync(join(cwd, name)))).toEqual([])
  })

  it('are offered for approval at a terminal, with what their scripts say', async () => {
    const { talk, cwd } = place(files)
    const first = talk('--yolo', 'run touch made')
    await first.sees('[y/N]')
    first.types('y\r')
    await first.sees('It said')
    first.types('\x04')
    const { screen } = await first.ended()
    expect(screen).toContain('│ touch checked')
    expect(existsSync(join(cwd, 'checked'))).toBe(true)
    const second = talk('--yolo', 'run touch twice')
    await second.sees('It said')
    second.types('\x04')
    expect((await second.ended()).screen).not.toContain('[y/N]')
  })
})
