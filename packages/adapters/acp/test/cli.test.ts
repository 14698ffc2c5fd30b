import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_METHODS } from '@agentclientprotocol/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { binary, hookline, nobody, unmarked } from '../../../hookline/test/support/cli.ts'
import { scratch } from '../../../hookline/test/support/scratch.ts'
// @ts-expect-error It is plain, so that a process can run it.
import { overLines } from './scripted-agent.mjs'
import { makeEditor } from './support.ts'

const scripted = join(import.meta.dirname, 'scripted-agent.mjs')

describe('hookline acp', () => {
  it('stands between an editor and the process of an agent, with the rules of the project', async () => {
    const cwd = scratch()
    writeFileSync(join(cwd, 'hookline.yaml'), 'version: 1\nuse: [secrets]\nrules:\n  - deny: { read: "**/.env" }\n')
    const child = spawn(process.execPath, [binary, 'acp', '--', process.execPath, scripted], {
      ...{ cwd, env: { ...unmarked(process.env), ...nobody }, stdio: ['pipe', 'pipe', 'inherit'] },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = new Promise((resolve) => child.on('exit', resolve))
    const { open, play, files, requests } = makeEditor(overLines(child.stdin, child.stdout))
    const { sessionId } = await open(cwd)
    const key = `AKIA${'QWERTYUIOPASDFGH'}`
    files.set(join(cwd, '.env'), 'x').set(join(cwd, 'a.txt'), `key ${key}`)
    const read = (path: string) => ({ request: CLIENT_METHODS.fs_read_text_file, params: { path: join(cwd, path) } })
    const [denied, shown] = await play(sessionId, read('.env'), read('a.txt'))
    expect(denied?.error?.message).toContain('Blocked by Hookline')
    expect(shown?.result?.['content']).toMatch(/^key (?!AKIA)/)
    expect(requests).toHaveLength(1)
    // The editor goes away, and the agent with it.
    child.stdin?.end()
    expect(await ended).toBe(0)
  })

  it.each([
    [['acp'], 'Name an agent'],
    [['acp', '--', 'no-such-program-here'], 'no-such-program-here'],
  ])('%j is refused with a reason', async (args, reason) => {
    const { exit, stderr } = await hookline(args, '', { cwd: scratch() })
    expect(exit).toBe(64)
    expect(stderr).toContain(reason)
  })
})
