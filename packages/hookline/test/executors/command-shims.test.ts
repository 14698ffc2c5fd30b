import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import { findOnPath } from '../../src/executors/command/script.ts'
import { makeCall } from '../support/call.ts'
import { remove } from '../support/scratch.ts'

const executor = createCommandExecutor()
/** A machine with a shell, and nothing else. */
const bare = mkdtempSync(join(tmpdir(), 'hookline-bare-'))
for (const name of ['cat', 'sh']) symlinkSync(findOnPath(name, process.env['PATH'])!, join(bare, name))
afterAll(async () => {
  await executor.close?.()
  remove(bare)
})

async function run(command: string, more: object = {}, env: Record<string, string> = { PATH: bare }) {
  const spec = { command, ...more }
  const payload = { tool_name: 'bash', tool_input: { command: 'ls' }, cwd: bare }
  const reply = await executor.run(spec, makeCall({ type: 'command', ...spec }, { env, payload, timeoutMs: 20_000 }))
  if (reply.kind !== 'wire') throw new Error('not over the wire')
  return reply
}

describe('where no jq is installed', () => {
  it('a hook that is lent one works', async () => {
    expect(await run('jq -r .tool_input.command', { lend_jq: true })).toMatchObject({ exit: 0, stdout: 'ls\n' })
  })

  it('a hook that is lent none fails', async () => {
    expect((await run('jq .')).exit).toBe(127)
  })

  it('stdin is left to others when jq reads nothing, or a file', async () => {
    writeFileSync(join(bare, 'a.json'), '{"a":[1,2]}')
    writeFileSync(join(bare, 'f.jq'), '.a | length')
    const script = "jq -nc --arg x 'a b' '{x:$x}'; jq -c .a a.json; jq -f f.jq a.json; cat"
    const { stdout } = await run(script, { lend_jq: true })
    expect(stdout.split('\n').slice(0, 3)).toEqual(['{"x":"a b"}', '[1,2]', '2'])
    expect(stdout).toContain('"tool_name":"bash"')
  })

  it('its exit codes and errors are those of jq', async () => {
    expect(await run('jq -e .nothing', { lend_jq: true })).toMatchObject({ exit: 1, stdout: 'null\n' })
    expect(await run("jq '.a |'", { lend_jq: true })).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('jq'),
    })
  })
})

describe('a jq that is installed', () => {
  it('comes first', async () => {
    const own = mkdtempSync(join(tmpdir(), 'hookline-own-'))
    writeFileSync(join(own, 'jq'), '#!/bin/sh\necho mine\n')
    chmodSync(join(own, 'jq'), 0o755)
    const { stdout } = await run('jq .', { lend_jq: true }, { PATH: `${own}:${bare}` })
    remove(own)
    expect(stdout).toBe('mine\n')
  })
})

describe('the shell `auto`', () => {
  const isBash = 'test -n "$BASH_VERSION" && echo bash || echo sh'

  it('is bash where it is installed, for commands and for scripts that name no interpreter', async () => {
    const env = { PATH: process.env['PATH'] ?? '' }
    writeFileSync(join(bare, 'plain.sh'), `${isBash}\n`)
    expect((await run(isBash, { shell: 'auto' }, env)).stdout).toBe('bash\n')
    expect((await run('./plain.sh', { shell: 'auto' }, env)).stdout).toBe('bash\n')
    expect((await run('./plain.sh', {}, env)).stdout).toBe('sh\n')
  })

  it('is sh where it is not', async () => {
    expect((await run('test -n x && echo fine', { shell: 'auto' })).stdout).toBe('fine\n')
  })
})
