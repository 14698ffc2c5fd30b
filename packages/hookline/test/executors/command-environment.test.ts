import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { ask, direct, script, temporaryDirectory } from './command-support.ts'

const set: string[] = []
afterEach(() => {
  for (const name of set.splice(0)) delete process.env[name]
})

/** The host's environment is read once a second at most. */
async function withHostEnvironment(variables: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(variables)) {
    if (process.env[name] === undefined) set.push(name)
    process.env[name] = value
  }
  await new Promise((resolve) => setTimeout(resolve, 1_050))
}

async function environmentOf(spec: { clean_env?: boolean } = {}, options = {}): Promise<Record<string, string>> {
  const { reply } = await ask(direct(), { command: 'env', args: ['-0'], ...spec }, options)
  const pairs = reply?.stdout.split('\0').filter(Boolean) ?? []
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

describe('the environment of a hook', () => {
  test('is that of the host without what injects code', async () => {
    const evil = {
      LD_PRELOAD: '/tmp/evil.so',
      LD_AUDIT: 'x',
      DYLD_INSERT_LIBRARIES: 'x',
      NODE_OPTIONS: '--require /tmp/evil.js',
      BASH_ENV: '/tmp/evil.sh',
      ENV: '/tmp/evil.sh',
      'BASH_FUNC_echo%%': '() { :; }',
      SHELLOPTS: 'xtrace',
      PS4: '$(touch /tmp/evil)',
      CDPATH: '/tmp',
      PYTHONSTARTUP: 'x',
      PYTHONPATH: '/tmp/evil',
      PERL5OPT: '-Mevil',
      RUBYOPT: '-revil',
      JAVA_TOOL_OPTIONS: '-javaagent:evil.jar',
      GIT_SSH_COMMAND: 'evil',
      GIT_CONFIG_COUNT: '1',
      GIT_DIR: '/tmp/evil',
      LESSOPEN: '|evil %s',
      HOOKLINE_APPROVE_TOKEN: 'a hook must not approve others',
    }
    await withHostEnvironment({ ...evil, HOST_SETTING: 'kept', GIT_AUTHOR_NAME: 'kept' })
    const environment = await environmentOf()
    expect(Object.keys(environment).filter((name) => name in evil)).toEqual([])
    expect(environment).toMatchObject({ HOST_SETTING: 'kept', GIT_AUTHOR_NAME: 'kept', PATH: process.env['PATH'] })
  })

  test('with clean_env, is an allow-list: no secret of the host gets through', async () => {
    await withHostEnvironment({ AWS_SECRET_ACCESS_KEY: 'secret', LC_TIME: 'C' })
    const environment = await environmentOf({ clean_env: true }, { env: { OWN: 'yes' } })
    expect(environment).toMatchObject({
      PATH: process.env['PATH'],
      LC_TIME: 'C',
      OWN: 'yes',
      HOOKLINE_EVENT: 'pre_tool_use',
    })
    expect(environment).not.toHaveProperty('AWS_SECRET_ACCESS_KEY')
    expect(environment).not.toHaveProperty('VITEST')
  })

  test("holds the event's scalars and the hook's own, which win and may name anything", async () => {
    const options = { env: { HOOKLINE_EVENT: 'mine', PYTHONPATH: '/lib' }, requestEnv: { HOOKLINE_TOOL_NAME: 'shell' } }
    const environment = await environmentOf({}, options)
    expect(environment).toMatchObject({ HOOKLINE_EVENT: 'mine', PYTHONPATH: '/lib', HOOKLINE_TOOL_NAME: 'shell' })
  })

  test('contains the nesting depth', async () => {
    expect(await environmentOf()).toMatchObject({ HOOKLINE_DEPTH: '1' })
  })

  test('drops values that no system could pass on, and says so', async () => {
    const requestEnv = { LONG: 'x'.repeat(200 * 1024), NUL: 'a\0b', SHORT: 'ok' }
    const { reply, call } = await ask(direct(), { command: 'printenv LONG NUL SHORT' }, { requestEnv })
    expect(reply?.stdout).toBe('ok\n')
    expect(call.notes.map((note) => note.code)).toEqual(['env-value-dropped', 'env-value-dropped'])
  })

  test('PATH of the hook decides where programs are found', async () => {
    const bin = join(temporaryDirectory(), 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'my-guard'), '#!/bin/sh\necho guarded\n', { mode: 0o755 })
    const options = { env: { PATH: `${bin}:${process.env['PATH']}` } }
    expect((await ask(direct(), { command: 'my-guard', args: [] }, options)).reply?.stdout).toBe('guarded\n')
  })
})

describe('a hook is cut off from the host', () => {
  test('it has no terminal', async () => {
    const { reply } = await ask(direct(), {
      command: 'if (: </dev/tty) 2>/dev/null; then echo tty; else echo none; fi',
    })
    expect(reply?.stdout).toBe('none\n')
  })

  test.runIf(process.platform === 'linux')('it inherits no file that the host has opened', async () => {
    const directory = temporaryDirectory()
    const opened = openSync(script(directory, 'secret', 'secret'), 'r')
    onTestFinished(() => closeSync(opened))
    const { reply } = await ask(direct(), { command: 'ls -l /proc/$$/fd' })
    expect(reply?.stdout).toContain(' 0 -> ')
    expect(reply?.stdout).not.toContain(directory)
  })

  test('it leads a group and a session of its own', async () => {
    const { reply } = await ask(direct(), { command: 'ps -o pid=,pgid=,sid= -p $$ || cut -d" " -f1,5,6 /proc/$$/stat' })
    const ids = new Set(reply?.stdout.trim().split(/\s+/))
    expect(ids.size).toBe(1)
  })
})
