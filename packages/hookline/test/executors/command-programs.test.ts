import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { validate } from '../../src/core/index.ts'
import { createCommandExecutor } from '../../src/executors/command/index.ts'
import { bundle } from '../support/bundle.ts'
import { missing, remove } from '../support/scratch.ts'
import { ask, direct, script, temporaryDirectory } from './command-support.ts'

const codes = ({ notes }: { notes: { code: string }[] }) => notes.map((note) => note.code)

describe('a script is run by what its first line says', () => {
  const hello = 'echo "hello $1 from $0"\n'
  const forms = {
    'with an execute bit': ['#!/bin/sh\n', 0o755],
    'without one': ['#!/bin/sh\n', 0o644],
    'with a blank after #!': ['#! /bin/sh\n', 0o644],
    'with an option': ['#!/bin/sh -e\n', 0o644],
    'through env': ['#!/usr/bin/env bash\n', 0o644],
    'through env -S': ['#!/usr/bin/env -S bash -e\n', 0o644],
    'through env with arguments that only some systems split': ['#!/usr/bin/env bash -e\n', 0o755],
    'without a first line at all': ['', 0o755],
    'without a first line or an execute bit': ['', 0o644],
  } as const
  for (const [name, [first, mode]] of Object.entries(forms))
    test(name, async () => {
      const directory = temporaryDirectory()
      const file = script(directory, 'hook.sh', first + hello, mode)
      const asProgram = await ask(direct(), { command: file, args: ['you'] })
      expect(asProgram.reply).toMatchObject({ exit: 0, stdout: `hello you from ${file}\n` })
      const asCommand = await ask(direct(), { command: './hook.sh you' }, { workingDir: directory })
      expect(asCommand.reply).toMatchObject({ exit: 0 })
      expect(asCommand.reply?.stdout).toMatch(/^hello you from .*hook\.sh\n$/)
    })

  test.each([0o644, 0o755])('with CRLF line ends (mode %o)', async (mode) => {
    const directory = temporaryDirectory()
    const lines = ['#!/bin/sh', 'if true; then', `  echo "{\\"said\\":\\"$1\\"}"`, 'fi', 'exit 2', '']
    const file = script(directory, 'hook.sh', lines.join('\r\n'), mode)
    const { reply } = await ask(direct(), { command: file, args: ['it'] })
    expect(reply).toMatchObject({ exit: 2, stdout: '{"said":"it"}\n', stderr: '' })
  })

  test('with CRLF line ends, in another language', async () => {
    const file = script(temporaryDirectory(), 'hook.pl', '#!/usr/bin/perl\r\nprint "hi\\n";\r\n', 0o755)
    expect((await ask(direct(), { command: file, args: [] })).reply).toMatchObject({ exit: 0, stdout: 'hi\n' })
  })

  test('with a byte order mark before it', async () => {
    const file = script(temporaryDirectory(), 'hook.sh', '\ufeff#!/bin/sh\necho hi\n', 0o755)
    expect((await ask(direct(), { command: file, args: [] })).reply).toMatchObject({ stdout: 'hi\n', stderr: '' })
  })

  test('with an interpreter that lives elsewhere, which is noted', async () => {
    const directory = temporaryDirectory()
    const file = script(
      directory,
      'hook',
      '#!/nowhere/bin/bash\necho "$1" $(test -n "$BASH_VERSION" && echo bash)\n',
      0o755,
    )
    for (const spec of [{ command: file, args: ['a'] }, { command: `${file} a` }]) {
      const { reply, call } = await ask(direct(), spec)
      expect(reply?.stdout).toBe('a bash\n')
      expect(codes(call)).toEqual(['shebang-fallback'])
    }
  })

  test('with an interpreter that is nowhere: the failure names it, not the script', async () => {
    const file = script(temporaryDirectory(), 'hook', '#!/nowhere/bin/frobnicate\n', 0o755)
    for (const spec of [{ command: file, args: [] }, { command: file }]) {
      const { failure } = await ask(direct(), spec)
      expect(failure).toMatchObject({ kind: 'spawn' })
      expect(failure?.message).toContain('interpreter /nowhere/bin/frobnicate')
    }
  })

  test('again when it has changed meanwhile', async () => {
    const directory = temporaryDirectory()
    const executor = direct()
    const file = script(directory, 'hook', '#!/bin/sh\necho one\n')
    expect((await ask(executor, { command: file, args: [] })).reply?.stdout).toBe('one\n')
    writeFileSync(file, '#!/usr/bin/perl\nprint "two\\n";\n')
    expect((await ask(executor, { command: file, args: [] })).reply?.stdout).toBe('two\n')
    chmodSync(file, 0o755)
    expect((await ask(executor, { command: file, args: [] })).reply?.stdout).toBe('two\n')
  })
})

describe('a shell command stays one', () => {
  const stdoutOf = async (command: string, options = {}) =>
    (await ask(direct(), { command }, options)).reply?.stdout.trim()

  test('with pipes, quotes, variables and lists', async () => {
    expect(await stdoutOf(`printf '%s\\n' "a b" c | sort -r | head -n 1; echo "$((1 + 2))"`)).toBe('c\n3')
  })

  test('paths with quotes, variables and tilde lead to scripts without execute bit', async () => {
    const directory = join(temporaryDirectory(), 'a b')
    mkdirSync(directory)
    script(directory, 'x.sh', '#!/bin/sh\necho "ran with $# $1"\n')
    const env = { PROJECT: directory, HOME: directory, ONE: 'one' }
    expect(await stdoutOf('"$PROJECT"/x.sh one', { env })).toBe('ran with 1 one')
    expect(await stdoutOf(`'${directory}/x.sh' "two words"`, { env })).toBe('ran with 1 two words')
    expect(await stdoutOf('"$PROJECT/x.sh" $ONE', { env })).toBe('ran with 1 one')
    expect(await stdoutOf('~/x.sh a=b', { env })).toBe('ran with 1 a=b')
  })

  test('what only a shell can understand goes to the shell', async () => {
    const directory = temporaryDirectory()
    script(directory, 'x.sh', '#!/bin/sh\necho "$V:$#"\n', 0o755)
    const options = { workingDir: directory, env: { MANY: 'a b' } }
    expect(await stdoutOf('V=1 ./x.sh', options)).toBe('1:0')
    expect(await stdoutOf('./x.sh $MANY', options)).toBe(':2')
    expect(await stdoutOf('./x.sh *', options)).toBe(':1')
    expect(await stdoutOf('./x.sh a && echo more', options)).toBe(':1\nmore')
    expect(await stdoutOf('./x.sh $(echo a b c)', options)).toBe(':3')
  })

  test('bash is bash, without start-up files', async () => {
    const home = temporaryDirectory()
    for (const file of ['.bashrc', '.bash_profile', '.profile']) writeFileSync(join(home, file), 'echo noise\n')
    const command = 'shopt -q login_shell && echo login; [[ -n $BASH_VERSION ]] && echo bash'
    expect(
      (await ask(direct(), { command, shell: 'bash', clean_env: true }, { env: { HOME: home } })).reply?.stdout,
    ).toBe('bash\n')
    const file = script(home, 'hook.sh', '#!/bin/bash\necho quiet\n')
    for (const clean_env of [true, false])
      expect((await ask(direct(), { command: file, args: [], clean_env }, { env: { HOME: home } })).reply?.stdout).toBe(
        'quiet\n',
      )
  })

  test('arguments of a program are passed untouched', async () => {
    const args = ['%s|', '$HOME', 'a b', '*', "it's", '', '漢']
    expect((await ask(direct(), { command: 'printf', args })).reply?.stdout).toBe(
      args
        .slice(1)
        .map((arg) => `${arg}|`)
        .join(''),
    )
  })
})

describe('a process that cannot be started says why', () => {
  const failureOf = async (command: string, options = {}) => {
    const { failure } = await ask(direct(), { command, args: [] }, options)
    expect(failure).toMatchObject({ kind: 'spawn' })
    return `${failure?.message} ${failure?.remedy}`
  }

  test('a missing file is named', async () => {
    const hook = missing('hook')
    expect(await failureOf(hook)).toContain(`${hook} does not exist`)
  })

  test('a relative path is named with the place where it was looked for', async () => {
    const workingDir = temporaryDirectory()
    expect(await failureOf('./hook', { workingDir })).toContain(join(workingDir, 'hook'))
  })

  test('a missing program was looked for on PATH', async () => {
    expect(await failureOf('no-such-program-anywhere')).toContain('not found on PATH')
    const workingDir = temporaryDirectory()
    script(workingDir, 'hook.sh', '#!/bin/sh\n', 0o755)
    expect(await failureOf('hook.sh', { workingDir })).toContain('./hook.sh')
  })

  test('a file on PATH that is not executable is named with the place where it was found', async () => {
    const directory = temporaryDirectory()
    const file = script(directory, 'hook-on-path', '#!/bin/sh\n', 0o644)
    const { failure } = await ask(direct(), { command: 'hook-on-path', args: [] }, { env: { PATH: directory } })
    expect(failure?.message).toContain(`${file} may not be executed.`)
  })

  test.skipIf(process.platform === 'win32')(
    'a missing program is not found, also where a directory of PATH may not be searched',
    async () => {
      const program = await bundle('./locked-path.ts', import.meta.url)
      chmodSync(dirname(program), 0o755)
      const locked = temporaryDirectory()
      chmodSync(locked, 0o000)
      const asUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
      const { stdout, stderr } = spawnSync(process.execPath, [program, locked], {
        ...asUser,
        cwd: '/',
        encoding: 'utf8',
      })
      chmodSync(locked, 0o700)
      expect(stderr).toBe('')
      expect(stdout).toContain(
        `no-such-program-anywhere was not found on PATH. Not searched, for lack of permission: ${locked}.`,
      )
      expect(stdout).not.toContain('chmod')
    },
  )

  test('in a shell command, the shell says it', async () => {
    const hook = missing('hook')
    const { reply } = await ask(direct(), { command: `'${hook}' --now` })
    expect(reply).toMatchObject({ exit: 127 })
    expect(reply?.stderr).toContain(hook)
  })

  test('a directory is no program', async () => {
    expect(await failureOf(temporaryDirectory())).toContain('is a directory')
  })

  test('a binary without execute bit wants one', async () => {
    const file = script(temporaryDirectory(), 'binary', '\x7fELF\0\0\0')
    expect(await failureOf(file)).toContain(`chmod +x ${file}`)
  })

  test('a file that is neither program nor script', async () => {
    const file = script(temporaryDirectory(), 'binary', '\x7fELF\0\0\0', 0o755)
    const { reply, failure } = await ask(direct(), { command: file, args: [] })
    expect(failure?.kind ?? reply?.exit).not.toBe(0)
  })

  test('a link in a circle', async () => {
    const file = join(temporaryDirectory(), 'loop')
    symlinkSync(file, file)
    expect(await failureOf(file)).toMatch(/loop/)
  })

  test('too many arguments', async () => {
    const { failure } = await ask(direct(), { command: 'true', args: ['x'.repeat(200 * 1024)] })
    expect(failure).toMatchObject({ kind: 'spawn' })
    expect(failure?.message).toContain('too large')
  })

  test('a NUL byte is refused before anything runs', () => {
    const { spec } = createCommandExecutor()
    expect(validate(spec, { command: 'echo', args: ['a\0b'] }).ok).toBe(false)
    expect(validate(spec, { command: 'echo \0' }).ok).toBe(false)
    expect(validate(spec, { command: '' }).ok).toBe(false)
    expect(validate(spec, { command: 'echo', comand: 'x' }).ok).toBe(false)
    expect(validate(spec, { command: 'echo', args: ['a'], clean_env: true, grace_ms: 100 }).ok).toBe(true)
  })

  test('a NUL byte in the environment', async () => {
    const { failure } = await ask(direct(), { command: 'true' }, { env: { A: 'a\0b' } })
    expect(failure).toMatchObject({ kind: 'spawn' })
  })
})

describe('the working directory', () => {
  test("is the hook's own, else the session's, else the host's", async () => {
    const [own, session] = [realpathSync(temporaryDirectory()), realpathSync(temporaryDirectory())]
    const payload = { cwd: session }
    const where = async (options: object) =>
      (await ask(direct(), { command: 'pwd; echo "$PWD"' }, options)).reply?.stdout
    expect(await where({ workingDir: own, payload })).toBe(`${own}\n${own}\n`)
    expect(await where({ payload })).toBe(`${session}\n${session}\n`)
    expect((await where({}))?.split('\n')[0]).toBe(process.cwd())
    mkdirSync(join(session, 'sub'))
    expect(await where({ workingDir: 'sub', payload })).toContain(join(session, 'sub'))
  })

  test('that is gone is replaced, and that is noted', async () => {
    const [gone, session] = [temporaryDirectory(), temporaryDirectory()]
    remove(gone)
    const { reply, call } = await ask(direct(), { command: 'pwd' }, { workingDir: gone, payload: { cwd: session } })
    expect(reply?.stdout.trim()).toBe(realpathSync(session))
    expect(codes(call)).toEqual(['working-dir-missing'])
    const session2 = await ask(direct(), { command: 'pwd' }, { payload: { cwd: gone } })
    expect(session2.reply?.stdout.trim()).toBe(process.cwd())
    expect(session2.call.notes[0]?.message).toContain(gone)
  })

  test('that is a file is replaced too', async () => {
    const file = script(temporaryDirectory(), 'file', '')
    const { reply, call } = await ask(direct(), { command: 'echo ran' }, { workingDir: file })
    expect(reply?.stdout).toBe('ran\n')
    expect(codes(call)).toEqual(['working-dir-missing'])
  })

  test('decides where a relative program is found', async () => {
    const directory = temporaryDirectory()
    script(directory, 'hook.sh', '#!/bin/sh\necho here\n')
    for (const options of [{ workingDir: directory }, { payload: { cwd: directory } }])
      expect((await ask(direct(), { command: './hook.sh', args: [] }, options)).reply?.stdout).toBe('here\n')
  })
})
