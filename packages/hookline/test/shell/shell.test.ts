import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import {
  flagValues,
  hasFlag,
  injectingVariable,
  interpreterNamed,
  interpreterNames,
  interpreterTable,
  isPosixShell,
  isShell,
  parseArguments,
  programName,
  quoteAlways,
  quoteWord,
  quoteWords,
  readInterpreterOption,
  readOptions,
  runsScripts,
  splitWords,
  variableTable,
  wrappedBy,
  wrapperNames,
} from '../../src/shell/index.ts'
import { parseShell, readShell, textOf } from '../../src/shell/syntax/index.ts'
import fc from '../support/property.ts'

const words = (texts: string) => texts.split(' ').map((text) => ({ text }))
const texts = (list: readonly { text: string }[]) => list.map(({ text }) => text).join(' ')

describe('quoting', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.constantFrom(...`'"\\$\`!*?~#&|;<>(){}[] \n\t-=a/.`)).map((list) => list.join('')),
  )
  const withoutNul = word.map((text) => text.replaceAll('\0', ''))

  it('a shell reads a quoted word as that word', () => {
    const lists = fc.sample(fc.array(withoutNul, { maxLength: 6 }), { numRuns: 500, seed: 7 })
    const script = lists.map((list) => `printf '%s\\0' begin ${quoteWords(list)}`).join('\n')
    const output = execFileSync('/bin/sh', { input: script, encoding: 'utf8' })
    expect(output).toBe(
      lists
        .flatMap((list) => ['begin', ...list])
        .map((each) => `${each}\0`)
        .join(''),
    )
  })

  it('always quoting means the same', () => {
    fc.assert(
      fc.property(word, (text) => {
        expect(splitWords(quoteAlways(text))).toEqual(splitWords(quoteWord(text)))
      }),
    )
  })

  it('splitting undoes it', () => {
    fc.assert(
      fc.property(fc.array(word), (list) => {
        expect(splitWords(quoteWords(list))).toEqual({ ok: true, words: list })
      }),
    )
  })

  it('reading it as a command undoes it too', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (list) => {
        const { commands } = readShell(quoteWords(['x', ...list]))
        expect(commands[0]?.words.slice(1).map((each) => textOf(each, () => undefined))).toEqual(list)
      }),
    )
  })
})

describe('the commands of a text', () => {
  const known = (name: string) => ({ HOME: '/home/me', DIR: '/a b', ONE: 'one' })[name]
  const read = (source: string) =>
    readShell(source).commands.map(({ words }) => words.map((word) => textOf(word, known) ?? `?${word.raw}`))

  it.each([
    ['./x.sh --fast', [['./x.sh', '--fast']]],
    ['a && b | c; d &', [['a'], ['b'], ['c'], ['d']]],
    [`"$DIR"/x '$DIR' $DIR $ONE ~/y "a\\"b"`, [['/a b/x', '$DIR', '?$DIR', 'one', '/home/me/y', 'a"b']]],
    ['echo $(inner one) `two`', [['inner', 'one'], ['two'], ['echo', '?$(inner one)', '?`two`']]],
    ['if a; then b; else c; fi', [['a'], ['b'], ['c']]],
    ['case $x in rm) a;; git|curl) b;; esac', [['a'], ['b']]],
    ['A=$(inner) x', [['inner'], ['x']]],
    ['cat <<END\n$(inner)\nEND', [['inner'], ['cat']]],
    ["cat <<'END'\n$(inner)\nEND", [['cat']]],
    ['f() { a; }; f', [['a'], ['f']]],
    ['diff <(a) <(b)', [['a'], ['b'], ['diff', '?<(a)', '?<(b)']]],
    ['# a\nb # c', [['b']]],
    ['x {a,b} *.sh', [['x', '?{a,b}', '?*.sh']]],
  ])('%s', (source, expected) => expect(read(source)).toEqual(expected))

  it('stand where their spans say', () => {
    const bit = fc.constantFrom(
      'a',
      '"b c"',
      '$(d e)',
      '`f`',
      '|',
      ';',
      '&&',
      ' ',
      ' ',
      '>g',
      'h=1',
      '\n',
      '<(i)',
      "'j'",
    )
    fc.assert(
      fc.property(fc.array(bit), (bits) => {
        const source = bits.join('')
        for (const { words, assignments } of readShell(source).commands)
          for (const { raw, span } of [...words, ...assignments]) if (span) expect(source.slice(...span)).toBe(raw)
      }),
    )
  })

  it('what cannot be read is a command that is known only when it runs', () => {
    const { commands, broken } = readShell(`${'{'.repeat(5_000)} x`)
    expect(broken).toBe(true)
    expect(commands.map(({ words }) => textOf(words[0]!, () => 'x'))).toEqual([undefined])
    expect(parseShell('('.repeat(5_000)).tooDeep).toBe(true)
    expect(parseShell(`echo '${'{"a":1},'.repeat(5_000)}'`).tooDeep).toBe(false)
  })
})

describe('arguments', () => {
  it.each([
    ['-C:v', '-vC x y', { v: [undefined], C: ['x'] }, 'y'],
    ['-C:v', '-Cx y', { C: ['x'] }, 'y'],
    ['-i::e:', '-i.bak -i -e code file', { i: ['.bak', undefined], e: ['code'] }, 'file'],
    ['-apart -p:e:', '-pe code', { p: [undefined], e: ['code'] }, ''],
    ['--dir=', '--dir a --dir=b --other c', { '--dir': ['a', 'b'], '--other': [undefined] }, 'c'],
    ['-v', '-v -- -x', { v: [undefined] }, '-x'],
  ])('%s reads %s', (notation, line, flags, operands) => {
    const args = parseArguments(words(line), readOptions(notation))
    for (const [name, values] of Object.entries(flags))
      expect(flagValues(args, name).map((value) => value?.text)).toEqual(values)
    expect(texts(args.operands)).toBe(operands)
  })

  it('long names may be shortened', () => {
    expect(hasFlag(parseArguments(words('--forc'), readOptions('')), 'f|--force')).toBe(true)
    expect(hasFlag(parseArguments(words('--force-with-lease'), readOptions('')), 'f|--force')).toBe(false)
  })
})

describe('wrappers', () => {
  const inner = (program: string, line: string) => wrappedBy(program, words(line)).map((found) => texts(found.words))

  // The guards and trust had a table each, and each lacked what the other had.
  it.each([
    ['chrt', '-f 10 ./x.sh', './x.sh'],
    ['setpriv', '--reuid=1000 --clear-groups ./x.sh', './x.sh'],
    ['chronic', './x.sh', './x.sh'],
    ['xargs', '-n 1 ./x.sh', './x.sh'],
    ['gosu', 'somebody ./x.sh', './x.sh'],
    ['timeout', '-s KILL 5 ./x.sh a', './x.sh a'],
    ['env', '-i A=1 B=2 ./x.sh', './x.sh'],
    ['nice', '-n 5 ./x.sh', './x.sh'],
    ['sudo', '-u somebody A=1 ./x.sh', './x.sh'],
  ])('%s %s', (program, line, expected) => expect(inner(program, line)).toContain(expected))

  it('hold scripts in options', () => {
    expect(wrappedBy('flock', words('lock -c ./x.sh')).flatMap(({ scripts }) => texts(scripts))).toEqual(['./x.sh'])
    expect(wrappedBy('env', words('-S ./x.sh')).flatMap(({ scripts }) => texts(scripts))).toEqual(['./x.sh'])
  })

  it('are recognised by their sub-command where they have one', () => {
    expect(inner('uv', 'run x.py')).toEqual(['x.py'])
    expect(inner('uv', 'pip install x')).toEqual([])
  })

  it('only a wrapper wraps', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        if (!wrapperNames().includes(name)) expect(wrappedBy(name, words('a b'))).toEqual([])
      }),
    )
  })
})

describe('interpreters', () => {
  it.each(interpreterNames())('%s is known by its path, too', (name) => {
    expect(isShell(name) || interpreterNamed(name) !== undefined).toBe(true)
    expect(isShell(`/usr/bin/${name}`)).toBe(isShell(name))
    expect(interpreterNamed(`/usr/bin/${name}`)).toBe(interpreterNamed(name))
  })

  it('are known with a version in their name', () => {
    expect(['python3.12', 'Rscript', 'node20', 'python.exe'].map(programName)).toEqual([
      'python',
      'rscript',
      'node',
      'python',
    ])
    expect(runsScripts('/usr/bin/python3')).toBe(true)
    expect(runsScripts('awk')).toBe(false)
  })

  it('a POSIX shell is a shell', () => {
    for (const name of interpreterNames()) if (isPosixShell(name)) expect(isShell(name)).toBe(true)
    expect(isPosixShell('fish')).toBe(false)
  })

  it.each([
    ['bash', '-lc', { names: 'code' }],
    ['python3', '-uc', { names: 'code' }],
    ['python3', '-Wc', undefined],
    ['python3', '-m', { names: 'module' }],
    ['node', '-pe', { names: 'code' }],
    ['node', '--eval=1', { names: 'code', attached: { text: '1' } }],
    ['node', '--require=./x', { names: 'file', attached: { text: './x' } }],
    ['node', '--trace-warnings', undefined],
    ['perl', '-0777ne', { names: 'code' }],
    ['perl', '-MFoo', { names: 'library', attached: { text: 'Foo' } }],
    ['perl', '-i.e', undefined],
    ['ruby', '-rjson', { names: 'library', attached: { text: 'json' } }],
    ['pwsh', '-Command', { names: 'code' }],
  ])('%s %s', (program, option, expected) => {
    const read = readInterpreterOption(program, { text: option })
    expect(read).toEqual(expected)
  })

  it('no name stands in two rows', () => {
    const names = interpreterTable.flatMap((row) => row.names.split(' '))
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('variables that inject code', () => {
  // There were three lists. What stood in one of them only must be known to all.
  it.each([
    ['LD_PRELOAD', 'preload'],
    ['LD_LIBRARY_PATH', 'loader'],
    ['BASH_ENV', 'file'],
    ['ZDOTDIR', 'file'],
    ['NODE_OPTIONS', 'options'],
    ['PERL5DB', 'options'],
    ['LUA_INIT_5_4', 'options'],
    ['DOTNET_STARTUP_HOOKS', 'options'],
    ['BASH_FUNC_ls%%', 'options'],
    ['PROMPT_COMMAND', 'command'],
    ['GIT_SSH_COMMAND', 'command'],
    ['PS4', 'expanded'],
    ['PYTHONPATH', 'search'],
    ['GIT_DIR', 'search'],
  ])('%s', (name, does) => {
    expect(injectingVariable(name)).toMatchObject({ does })
    expect(injectingVariable(name)?.personal).toBeUndefined()
  })

  it.each(['PATH', 'PAGER', 'EDITOR', 'SHELL'])('%s is a person’s own choice', (name) => {
    expect(injectingVariable(name)?.personal).toBe(true)
  })

  it.each(['HOME', 'LANG', 'GIT_AUTHOR_NAME', 'GIT_COMMITTER_DATE', 'constructor', ''])('%s does not', (name) => {
    expect(injectingVariable(name)).toBeUndefined()
  })

  it('no name stands in two rows', () => {
    const names = variableTable.flatMap((row) => row.names?.split(' ') ?? [])
    expect(new Set(names).size).toBe(names.length)
  })
})
