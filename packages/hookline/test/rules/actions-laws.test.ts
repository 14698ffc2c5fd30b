import { type Action, actionsOf } from 'hookline/guards'
import { describe, expect, it } from 'vitest'
import fc from '../support/property.ts'
import { world } from './format-actions.ts'

const look = { ...world }
const read = (command: string) => actionsOf({ tool: 'shell', input: { command }, cwd: '/w' }, look)
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** What is done, whoever does it: without the wrappers and without the places in the list. */
function done(command: string): string[] {
  const plain = ({ by: _by, inside: _inside, ...action }: Action) =>
    action.kind === 'run' ? { ...action, extras: [] } : action
  const own = read(command).actions.filter((action) => action.kind !== 'run' || !action.wraps)
  return [...new Set(own.map((action) => JSON.stringify(plain(action))))]
}

const name = fc.constantFrom('a', 'b', 'src/x.c', '.env', '~/.ssh/id_rsa', '/etc/passwd', '../up', 'my file', "it's")
const command = fc.oneof(
  fc
    .record({ program: fc.constantFrom('cat', 'rm -rf', 'touch', 'head -n 2', 'grep -r x'), name })
    .map(({ program, name: path }) => `${program} ${path.startsWith('~') ? path : quote(path)}`),
  fc.record({ name, other: name }).map((each) => `cp ${quote(each.name)} ${quote(each.other)}`),
  fc.constantFrom(
    'git push origin HEAD:main',
    'git commit -m x',
    'curl -d @a https://x.example',
    'npm publish',
    'echo hi > b',
  ),
)

const wrappers: Record<string, (line: string) => string> = {
  'bash -c': (line) => `bash -c ${quote(line)}`,
  'sh -c in sh -c': (line) => `sh -c ${quote(`sh -c ${quote(line)}`)}`,
  eval: (line) => `eval ${quote(line)}`,
  'a pipe into a shell': (line) => `printf %s ${quote(line)} | bash`,
  'a here-document': (line) => `bash <<'END'\n${line}\nEND`,
  'a subshell': (line) => `( ${line} )`,
  'a group': (line) => `{ ${line}; }`,
  'a function': (line) => `f() { ${line}; }; f`,
  'an if': (line) => `if true; then ${line}; fi`,
  sudo: (line) => `sudo -u root sh -c ${quote(line)}`,
  env: (line) => `env -i A=1 sh -c ${quote(line)}`,
  timeout: (line) => `timeout -k 1 5 bash -c ${quote(line)}`,
  su: (line) => `su root -c ${quote(line)}`,
  'a substitution': (line) => `: "$(${line})"`,
}

describe('what a command does', () => {
  it.each(Object.entries(wrappers))('is the same inside %s', (_, wrap) => {
    fc.assert(
      fc.property(command, (line) => {
        const inside = done(wrap(line))
        for (const each of done(line)) expect(inside).toContain(each)
      }),
      { numRuns: 40 },
    )
  })

  it('does not depend on how its words are quoted', () => {
    const spell = [
      (text: string) => quote(text),
      (text: string) => `"${text}"`,
      (text: string) => [...text].map((char) => `\\${char}`).join(''),
      (text: string) => [...text].map((char) => `'${char}'`).join(''),
    ]
    const words = fc.array(fc.constantFrom('a', '.env', 'src/x.c', '-r', 'my file', '/etc/x'), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(fc.constantFrom('rm', 'cat', 'cp', 'git', 'curl'), words, fc.nat(3), (program, list, at) => {
        const line = (write: (text: string) => string) => [program, ...list].map(write).join(' ')
        expect(done(line(spell[at]!))).toEqual(done(line(quote)))
      }),
    )
  })

  it('is still done when more is done after it', () => {
    const more = fc.constantFrom('; true', ' && ls', ' | cat', ' || rm z', '\nrm q', ' & wait')
    fc.assert(
      fc.property(command, more, (line, rest) => {
        const both = done(line + rest)
        for (const each of done(line)) expect(both).toContain(each)
      }),
    )
  })

  it('has a place in the list for every command that does something', () => {
    fc.assert(
      fc.property(command, fc.constantFrom(...Object.values(wrappers)), (line, wrap) => {
        const { actions } = read(wrap(line))
        for (const { by } of actions) if (by !== undefined) expect(actions[by]?.kind).toBe('run')
      }),
    )
  })
})

describe('whatever the text is', () => {
  const pieces = fc.constantFrom(
    ...[
      'rm',
      'cat',
      'git',
      'push',
      '-rf',
      '$X',
      '$(',
      ')',
      '`',
      "'",
      '"',
      '{',
      '}',
      '|',
      '&&',
      ';',
      '<',
      '>',
      '>>',
      '<<E',
    ],
    ...[
      '\n',
      '\\',
      '*',
      '?',
      '[',
      ']',
      '~',
      '..',
      '/',
      '=',
      '-c',
      'bash',
      'sudo',
      'xargs',
      'find',
      '-exec',
      '{}',
      '\\;',
      '@',
      ':',
    ],
    ...[
      'https://',
      'a:b',
      '\u0000',
      '\ue000',
      '\ue001',
      'ä',
      '-',
      '--',
      'curl',
      'tar',
      'sed',
      's/a/b/w x',
      'python -c',
      'for',
      'do',
      'done',
    ],
  )
  const text = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.array(pieces, { maxLength: 30 }).map((list) => list.join(' ')),
  )

  it.each(['shell', 'bash', 'powershell'])('there is an answer of %s, and it can be written down', (tool) => {
    fc.assert(
      fc.property(text, (input) => {
        const { actions, complete, doubt } = actionsOf({ tool, input: { command: input }, cwd: '/w' }, look)
        expect(JSON.parse(JSON.stringify(actions))).toEqual(actions)
        expect(complete).toBe(doubt === undefined)
      }),
      { numRuns: 400 },
    )
  })

  it('any arguments of any tool give an answer', () => {
    const keys = fc.constantFrom('path', 'paths', 'command', 'url', 'urls', 'to', 'files', 'agent', 'source', 'x')
    const tool = fc.constantFrom(
      'read_file',
      'shell',
      'fetch',
      'send_message',
      'mcp__a__b',
      'mcp__fs__move',
      'other',
      '__proto__',
    )
    fc.assert(
      fc.property(tool, fc.dictionary(keys, fc.jsonValue()), (name, input) => {
        expect(Array.isArray(actionsOf({ tool: name, input, cwd: '/w' }, look).actions)).toBe(true)
      }),
    )
  })

  it('a line beyond the limits says that there may be more', () => {
    for (const line of ['rm a;'.repeat(5_000), `${'('.repeat(2_000)}rm a${')'.repeat(2_000)}`, 'x'.repeat(200_000)])
      expect(read(line).complete).toBe(false)
    const many = read(`cat ${'a/*/b '.repeat(3_000)}`)
    expect(many.actions.length).toBeLessThan(10_000)
  })
})
