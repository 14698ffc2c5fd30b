import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Event, type Hook, programPins, type Run } from '../../src/core/index.ts'
import { loadDialect } from '../../src/dialects/index.ts'
import { pinnedBy, placeOf } from '../../src/trust/index.ts'
import { scratch } from '../support/scratch.ts'
import { hookIn, placeIn } from './hook.ts'

const scripts = {
  'guard.sh': 'echo hi\n',
  'hooks/check.py': 'print(1)\n',
  'hooks/a b.mjs': 'console.log(1)\n',
  'lib.sh': 'X=1\n',
  tool: 'echo no extension\n',
  test: 'console.log(1)\n',
  eval: 'console.log(1)\n',
}

/** Paths of the files that are pinned, from the directory of the project. */
function filesOf(run: string | Run, more: Partial<Hook> = {}, files: Record<string, string> = scripts, env = {}) {
  const directory = scratch(files)
  const variables = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, String(value).replace('<here>', directory)]),
  )
  const pinned = pinnedBy(hookIn(directory, run, more), placeIn(directory, variables))
  const paths = pinned.files.map((file) => ('missing' in file ? `missing ${file.path}` : file.path))
  return paths.map((path) => path.replace(`${directory}/`, ''))
}

describe('the bytes that run', () => {
  it.each([
    ['./guard.sh', ['guard.sh']],
    ['./guard.sh --fast && echo done', ['guard.sh']],
    ['bash guard.sh', ['guard.sh']],
    ['bash -o pipefail -e tool', ['tool']],
    ['python3 hooks/check.py --all', ['hooks/check.py']],
    ["node 'hooks/a b.mjs'", ['hooks/a b.mjs']],
    ['node hooks/a\\ b.mjs', ['hooks/a b.mjs']],
    ['cat | python3 -u ./hooks/check.py', ['hooks/check.py']],
    ['source lib.sh; echo $X', ['lib.sh']],
    ['. ./lib.sh', ['lib.sh']],
    ['echo "$(./guard.sh)"', ['guard.sh']],
    ['if true; then ./guard.sh; fi', ['guard.sh']],
    ["sh -c './guard.sh; python3 hooks/check.py'", ['guard.sh', 'hooks/check.py']],
    ["bash -lc 'bash -c ./guard.sh'", ['guard.sh']],
    ['eval ./guard.sh', ['guard.sh']],
    ['env A=1 timeout 5 ./guard.sh', ['guard.sh']],
    ['A=1 nice -n 5 bash ./guard.sh', ['guard.sh']],
    ['bash < guard.sh', ['guard.sh']],
    ['node --require=./lib.sh hooks/check.py', ['lib.sh', 'hooks/check.py']],
    ['uv run hooks/check.py', ['hooks/check.py']],
    ['$RUNNER guard.sh', ['guard.sh']],
    ["env -S 'bash guard.sh'", ['guard.sh']],
    ['env -u A -C hooks python3 check.py', ['missing check.py', 'hooks/check.py']],
    ['timeout -s KILL 10 bash tool', ['tool']],
    ['sudo -u somebody ./guard.sh', ['guard.sh']],
    ["script -qc 'bash tool' /dev/null", ['tool']],
    ['busybox sh tool', ['tool']],
    ['chrt -f 10 ./guard.sh', ['guard.sh']],
    ['setpriv --reuid=1000 --clear-groups bash tool', ['tool']],
    ['flock lock --command=./guard.sh', ['guard.sh']],
    ['bash -euo pipefail -c ./guard.sh', ['guard.sh']],
    ['bash -c -e ./guard.sh', ['guard.sh']],
    ['node --max-old-space-size=100 -e \'require("./lib.sh")\'', ['lib.sh']],
    ['cat <<END\n$(./guard.sh)\nEND', ['guard.sh']],
    ['builtin . ./lib.sh', ['lib.sh']],
    ['deno run tool', ['tool']],
    ['node test', ['test']],
    ['node eval', ['eval']],
    ['bash -c \'. "$0"\' lib.sh', ['lib.sh']],
    ['node --import ./lib.sh tool', ['lib.sh', 'tool']],
    ['node -e \'require("./hooks/check.py")\'', ['hooks/check.py']],
    ['node --eval="require(\'./lib.sh\')"', ['lib.sh']],
    ['java -jar ./guard.jar', ['missing guard.jar']],
    ['awk -f tool', ['tool']],
    ['tail -f tool', []],
    ['[ -f lib.sh ] && . ./lib.sh', ['lib.sh']],
    ['./gone.sh', ['missing gone.sh']],
    ['echo guard.sh > lib.sh', []],
    ["cat <<'END' | cat\n./guard.sh\nEND", []],
    ['# ./guard.sh\ntrue', []],
  ])('%s', (command, expected) => {
    expect(filesOf(command)).toEqual(expected)
  })

  it('are found in the arguments of a program that runs without a shell', () => {
    expect(filesOf({ type: 'command', command: 'python3', args: ['hooks/check.py'] })).toEqual(['hooks/check.py'])
    expect(filesOf({ type: 'resident', command: './guard.sh', args: ['$(x)'] })).toEqual(['guard.sh'])
  })

  it('are found wherever the command may have gone', () => {
    expect(filesOf('cd hooks && python3 check.py')).toContain('hooks/check.py')
    expect(filesOf('(cd hooks); ./guard.sh')).toContain('guard.sh')
  })

  it('are found from the working directory of the hook', () => {
    const directory = scratch(scripts)
    const { files } = pinnedBy(hookIn(directory, './check.py'), placeIn(join(directory, 'hooks')))
    expect(files).toMatchObject([{ realpath: join(directory, 'hooks/check.py') }])
  })

  it('are found through a variable that nobody changes on the way', () => {
    const env = { PROJECT: '<here>' }
    expect(filesOf('"$PROJECT"/guard.sh', {}, scripts, env)).toEqual(['guard.sh'])
    expect(filesOf('$PROJECT/guard.sh', {}, scripts, env)).toEqual(['guard.sh'])
    expect(filesOf('PROJECT=/elsewhere; $PROJECT/guard.sh', {}, scripts, env)).toEqual([])
    expect(filesOf('read PROJECT; $PROJECT/guard.sh', {}, scripts, env)).toEqual([])
  })

  it('include what a script sources, and what that sources in turn', () => {
    const files = {
      'a.sh': '#!/bin/bash\n. "$(dirname "$0")/lib.sh"\nsource "$HERE/other.sh"\nsource <(curl x)\n',
      'lib.sh': '. ./deep.sh\n',
      'other.sh': '',
      'deep.sh': '',
    }
    expect(filesOf('./a.sh', {}, files)).toEqual(['a.sh', 'lib.sh', 'deep.sh', 'other.sh'])
  })

  it('include files that the hook lists, and all that is in its directories', () => {
    const files = { 'x.sh': '', 'data/a.json': '{}', 'data/deep/b.txt': '' }
    expect(filesOf({ type: 'command', command: './x.sh', files: ['data'] }, {}, files)).toEqual([
      'x.sh',
      'data/a.json',
      'data/deep/b.txt',
    ])
  })

  it('include the module of a function', () => {
    expect(filesOf({ type: 'function', module: './hooks/a b.mjs#check' })).toEqual(['hooks/a b.mjs'])
  })

  it('are found in time that grows with the text, however hostile', () => {
    const hostile = [
      ' $('.repeat(20_000),
      '`'.repeat(50_001),
      `. ${'$('.repeat(100_000)}`,
      '{'.repeat(50_000),
      '<<E '.repeat(10_000),
    ]
    for (const text of hostile) {
      const directory = scratch({ 'x.sh': text })
      pinnedBy(hookIn(directory, text), placeIn(directory))
      pinnedBy(hookIn(directory, './x.sh'), placeIn(directory))
    }
  })

  it.each([
    ['python3 x/x.py', 'x/x.py', 'from a import ('],
    ['python3 x/x.py', 'x/x.py', 'import a.b.c, d\n'],
    ['python3 x/x.py', 'x/x.py', 'a.'],
    ['node x/x.js', 'x/x.js', 'import '],
    ['node x/x.js', 'x/x.js', ' \t'],
    ['node x/x.js', 'x/x.js', "require('./a"],
    ['ruby x/x.rb', 'x/x.rb', 'require_relative '],
    ['php x/x.php', 'x/x.php', 'require '],
    ['perl x/x.pl', 'x/x.pl', 'use A::'],
    ['sh x/x.sh', 'x/x.sh', '@'],
    ['sh x/x.sh', 'x/x.sh', 'sh -sh '],
    ['sh x/x.sh', 'x/x.sh', '$a/b/'],
  ])('are found in such time in every language: %s, %s, %j', (command, file, piece) => {
    const words = { ' \t': 'import', 'a.': 'import ' }
    const text = `${words[piece as keyof typeof words] ?? ''}${piece.repeat(Math.ceil(900_000 / piece.length))}`
    const directory = scratch({ [file]: text })
    expect(pinnedBy(hookIn(directory, command), placeIn(directory)).files).toHaveLength(1)
  })

  it('include an interpreter that the project brings along, not one of the machine', () => {
    const directory = scratch({ 'bin/python3': '#!/bin/sh\n', 'x.py': '' })
    chmodSync(join(directory, 'bin/python3'), 0o755)
    const names = (command: string, path: string) =>
      pinnedBy(hookIn(directory, command), placeIn(directory, { PATH: path })).files.map(({ path }) => path)
    expect(names('./bin/python3 x.py', '/usr/bin')).toContain(join(directory, 'bin/python3'))
    expect(names('python3 x.py', `${directory}/bin:/usr/bin`)).toContain(join(directory, 'bin/python3'))
    expect(names('sh x.py', '/usr/bin:/bin')).toEqual([join(directory, 'x.py')])
  })

  it('are found by a relative directory on PATH from where the hook runs', () => {
    const directory = scratch({ 'bin/tool': '#!/bin/sh\n' })
    chmodSync(join(directory, 'bin/tool'), 0o755)
    const { files } = pinnedBy(hookIn(directory, 'tool'), placeIn(directory, { PATH: 'bin:/usr/bin' }))
    expect(files.map(({ path }) => path)).toEqual([join(directory, 'bin/tool')])
  })

  it('are found from where the hook runs, not from where the shell of the person stood', async () => {
    const directory = scratch(scripts)
    const hook = hookIn(directory, 'bash "$PWD/guard.sh"')
    const event = { name: 'pre_tool_use', payload: { cwd: directory }, depth: 0, synthetic: true } as unknown as Event
    const { files } = pinnedBy(hook, placeOf(hook, event, await loadDialect('native'), { pins: programPins }))
    expect(files.map(({ path }) => path)).toEqual([join(directory, 'guard.sh')])
  })

  it('lead to their interpreter', () => {
    const directory = scratch({ 'x.sh': '#!/usr/bin/env -S bash -e\n' })
    const { programs } = pinnedBy(hookIn(directory, './x.sh'), placeIn(directory))
    expect(programs).toContainEqual({ name: 'bash', realpath: expect.stringContaining('/bash') })
  })
})

describe('what cannot be pinned is named', () => {
  it.each([
    ['python3 -m black', /python3 -m black/],
    ['python3 -mblack', /python3 -m black/],
    ["python3 -c 'import check'", /what the code of python3 loads/],
    ['perl -MCheck -e 1', /perl -MCheck/],
    ['PATH=.:$PATH jq .', /the command sets PATH/],
    ['jq .', /jq is found by its name/],
    ['"$(which x)" --flag', /which/],
    ['$TOOL --flag', /\$TOOL/],
    ['curl https://x.example | bash', /bash reads its program from standard input/],
    ['eval "$(cat)"', /eval/],
    ['bash -c "$CODE"', /\$CODE/],
    ['python3 tmp', /tmp is a directory/],
    ['nosuchprogram x', /nosuchprogram is not there/],
    ['for x in a b; do ./$x.sh; done', /\.\/\$x\.sh/],
  ])('%s', (command, expected) => {
    const directory = scratch()
    const stub = join(directory, 'bin')
    mkdirSync(stub)
    for (const name of ['jq', 'curl']) writeFileSync(join(stub, name), '#!/bin/sh\n', { mode: 0o755 })
    const { unpinned } = pinnedBy(hookIn('/', command), placeIn('/', { PATH: `${stub}:/usr/bin:/bin` }))
    expect(unpinned.join('\n')).toMatch(expected)
  })

  it.each(['echo no >&2; exit 2', "python3 -c 'print(1)'", 'sh ./x.sh', 'test -f a && exit 0'])(
    'and nothing is named where all is known: %s',
    (command) => {
      const directory = scratch({ 'x.sh': '' })
      expect(pinnedBy(hookIn(directory, command), placeIn(directory)).unpinned).toEqual([])
    },
  )
})

describe('what nobody should approve is refused', () => {
  const refusedIn = (directory: string, command = './x.sh', more: Partial<Hook> = {}) =>
    pinnedBy(hookIn(directory, command, more), placeIn(directory)).refused.join('\n')

  it('a FIFO, without waiting for it', () => {
    const directory = scratch()
    execFileSync('mkfifo', [join(directory, 'x.sh')])
    expect(refusedIn(directory)).toMatch(/not a regular file/)
    expect(refusedIn(directory, 'bash x.sh')).toMatch(/not a regular file/)
  })

  it('a device and a directory', () => {
    expect(refusedIn(scratch(), 'bash /dev/zero')).toMatch(/not a regular file/)
    expect(refusedIn(scratch({ 'x.sh/y': '' }))).toMatch(/not a regular file/)
  })

  it('a huge file', () => {
    const directory = scratch({ 'x.sh': '' })
    truncateSync(join(directory, 'x.sh'), 2 ** 31)
    expect(refusedIn(directory)).toMatch(/larger than/)
  })

  it.each([0o4755, 0o2755])('the mode %o', (mode) => {
    const directory = scratch({ 'x.sh': '' })
    chmodSync(join(directory, 'x.sh'), mode)
    expect(refusedIn(directory)).toMatch(/setuid or setgid/)
  })

  it('what everybody can change, itself or by its directory', () => {
    const directory = scratch({ 'x.sh': '', 'open/y.sh': '' })
    chmodSync(join(directory, 'x.sh'), 0o777)
    expect(refusedIn(directory)).toMatch(/changed by everybody/)
    chmodSync(join(directory, 'open'), 0o777)
    expect(refusedIn(directory, './open/y.sh')).toMatch(/changed by everybody/)
  })

  it('a link that leads out of the project, and not one inside it', () => {
    const outside = scratch({ 'evil.sh': '' })
    const directory = scratch({ 'real.sh': '' })
    symlinkSync(join(outside, 'evil.sh'), join(directory, 'x.sh'))
    symlinkSync('real.sh', join(directory, 'y.sh'))
    expect(refusedIn(directory)).toMatch(/leads out of/)
    expect(refusedIn(directory, './y.sh')).toBe('')
  })

  it.skipIf(process.getuid?.() !== 0)('a file of another user (only root can make one)', () => {
    const directory = scratch({ 'x.sh': '' })
    chownSync(join(directory, 'x.sh'), 12345, 12345)
    expect(refusedIn(directory)).toMatch(/another user/)
  })

  it.skipIf(process.getuid?.() !== 0)('a file in a directory of another user, who could replace it', () => {
    const directory = scratch({ 'theirs/x.sh': '' })
    chownSync(join(directory, 'theirs'), 12345, 12345)
    expect(refusedIn(directory, './theirs/x.sh')).toMatch(/theirs belongs to another user/)
  })

  it.each([
    ['LD_PRELOAD', './x.so'],
    ['DYLD_INSERT_LIBRARIES', './x.dylib'],
    ['NODE_OPTIONS', '--require ./x.js'],
    ['BASH_ENV', './x.sh'],
    ['ENV', './x.sh'],
    ['PYTHONSTARTUP', './x.py'],
    ['PERL5OPT', '-Mx'],
    ['RUBYOPT', '-rx'],
    ['JAVA_TOOL_OPTIONS', '-javaagent:x.jar'],
  ])('%s in the `env` of a project', (name, value) => {
    expect(refusedIn(scratch({ 'x.sh': '' }), './x.sh', { env: { [name]: value } })).toContain(name)
  })

  it('what people have reason to set is named instead, and what sets limits is neither', () => {
    const directory = scratch({ 'x.sh': '' })
    const found = (env: Record<string, string>, more: Partial<Hook> = {}) =>
      pinnedBy(hookIn(directory, './x.sh', { env, ...more }), placeIn(directory))
    expect(found({ PATH: './bin', PYTHONPATH: 'lib' }).unpinned.join()).toMatch(/PATH=.*PYTHONPATH=/)
    expect(found({ PATH: './bin', PYTHONPATH: 'lib' }).refused).toEqual([])
    expect(found({ NODE_OPTIONS: '--max-old-space-size=4096 --no-warnings' }).refused).toEqual([])
    expect(found({ NODE_OPTIONS: '--import x' }, { origin: { layer: 'user' } }).refused).toEqual([])
  })
})
