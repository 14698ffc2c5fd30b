import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { binary } from '../../../hookline/test/support/cli.ts'
import { ready, type Screen, says, typesCode } from './screen.ts'
import { workplace } from './support.ts'

async function rests(screen: Screen): Promise<void> {
  await screen.shows(/hooks ran/)
  await screen.shows(ready)
  await screen.hides('Esc stops')
}

describe('the input', () => {
  it('takes a paste of 3 or of 120 lines as one prompt, several lines by key, and completes commands and files', async () => {
    const { screen: open } = workplace({ 'notes/today.md': 'x' })
    const screen = open()
    await screen.shows(ready)
    // As terminals send it; the colour is of the log from which it was copied.
    screen.pastes('one\r\x1b[31mtwo\x1b[0m\rthree\x7f')
    await screen.shows('three')
    screen.types('\r')
    await screen.shows(/› one\n {2}two\n {2}three\n\nYou said: one\ntwo\nthree/)
    await rests(screen)
    screen.pastes(Array.from({ length: 120 }, (_, at) => `row ${at + 1}`).join('\n'))
    await screen.shows('[paste #1 +120 lines]')
    screen.types('\r')
    await screen.shows('row 120')
    await rests(screen)
    expect(screen.everything().join('\n')).toMatch(/› row 1\n[\s\S]* {2}… 108 more lines\n\nYou said: row 1\n/)
    // Alt+Enter, and a backslash before Enter, begin a new line.
    screen.types('first\x1b\rsecond\\')
    screen.types('\r')
    screen.types('third\r')
    await screen.shows(/› first\n {2}second\n {2}third\n\nYou said/)
    await rests(screen)
    screen.types('/snap')
    await screen.shows('What can be undone')
    screen.types('\t')
    await screen.shows('/snapshots ')
    screen.types('\x15read not\t')
    await screen.shows('read notes/')
    screen.types('\t')
    await screen.shows('read notes/today.md')
    screen.types('\x15look at @tod')
    await screen.shows(/notes\/today\.md/)
    screen.types('\x03\x04')
    expect((await screen.ended()).exit).toBe(0)
  })

  it('shows how a resumed session ended, and remembers what was typed across sessions, for the arrow and for Ctrl+R', async () => {
    const { screen: open } = workplace()
    const first = open()
    await says(first, 'a first thing')
    await first.shows('You said: a first thing')
    await says(first, 'another one')
    await first.shows('You said: another one')
    await says(first, '/quit')
    await first.ended()
    const second = open(['--resume'])
    await second.shows(/resumed\)[\s\S]*› another one\nYou said: another one/)
    await second.shows(ready)
    second.types('\x1b[A\x1b[A')
    await second.shows(/─\nanother one\s*\n─/)
    second.types('\x15\x12first')
    await second.shows(/Search what you typed[\s\S]*› a first thing/)
    second.types('\r')
    await second.shows(/─\na first thing\s*\n─/)
    second.types('\r')
    await second.shows('You said: a first thing')
  })

  it('shows that the agent works; Esc stops it, and what is typed meanwhile steers it', async () => {
    const { screen: open } = workplace()
    const screen = open(['slowly a fox that ran and ran and ran and ran and ran'])
    await screen.shows(/Writing… \(\d+ s · .*Esc stops\)/)
    screen.types('and now?\r')
    await screen.shows('↪ next: and now?')
    await screen.shows(/↪ steering: and now\?\n\nYou said: and now\?/)
    await says(screen, 'slowly a hare that slept and slept and slept and slept and slept')
    await screen.shows(/Once upon/)
    screen.types('\x1b')
    await screen.shows('Stopping.')
    await screen.hides('Esc stops')
    screen.types('half a line')
    await screen.shows('half a line')
    screen.types('\x03')
    await screen.hides('half a line')
    await says(screen, 'still there?')
    await screen.shows('You said: still there?')
  })
})

const page = [
  '# A title',
  '',
  `Some **bold** words ${'and a long line '.repeat(8)}`,
  '',
  '```js',
  'const one = 1',
  '```',
].join('\\n')

const scripted = `
rehearsal: 1
turns:
  - when: { tool: '.*' }
    say: Done.
    repeat: true
  - { when: { user: page }, say: "${page}" }
  - { when: { user: change }, call: { tool: edit_file, input: { path: poem.txt, edits: [{ oldText: two, newText: '2' }] } } }
  - { when: { user: many }, call: { tool: shell, input: { cmd: seq 1 40 } } }
  - { when: { user: hostile }, say: "\\u001b]0;owned\\u0007\\u001b[2J\\u001b[31mred \\u202eltr", call: { tool: shell, input: { cmd: "printf '\\\\033[2Jout\\\\033]0;owned\\\\007'" } } }
default: { say: 'You said: {{ user }}' }
`

const edit = (path: string, oldText: string, newText: string) =>
  `call: { tool: edit_file, input: { path: ${path}, edits: [{ oldText: ${oldText}, newText: '${newText}' }] } }`
const edits = `
rehearsal: 1
turns:
  - { when: { tool: '.*' }, say: Done., repeat: true }
  - { when: { user: change }, ${edit('poem.txt', 'two', '2')} }
  - { when: { user: again }, ${edit('poem.txt', 'three', '3')} }
default: { say: 'You said: {{ user }}' }
`

describe('the output', () => {
  it('wraps Markdown, colours code, shows edits as changes, folds long results, and fits into 60 columns', async () => {
    const { screen: open, cwd } = workplace({ 'poem.txt': 'one\ntwo\nthree\n', 'play.yaml': scripted })
    const screen = open(['--rehearse', 'play.yaml', '--yolo'], { columns: 80, rows: 30 })
    await says(screen, 'page')
    await screen.shows(/A title\n\nSome bold words and a long line[^\n]{20,60}\n/)
    await screen.shows('const one = 1')
    await expect.poll(() => screen.raw(), { timeout: 60_000 }).toMatch(/\x1b\[36mconst\x1b\[39m/)
    await says(screen, 'change')
    await screen.shows(/● edit_file {2}poem\.txt \+1 −1\n {2}1 {3}one\n {2}2 - two\n {2}2 \+ 2\n {2}3 {3}three/)
    expect(readFileSync(join(cwd, 'poem.txt'), 'utf8')).toBe('one\n2\nthree\n')
    await says(screen, 'many')
    await screen.shows('… 34 more lines (Ctrl+O shows all)')
    await screen.shows(ready)
    screen.types('\x0f')
    await screen.shows(/ {2}39\n {2}40\n/)
    screen.resize(60, 24)
    await screen.shows(/^─{60}$/m)
    await screen.shows(ready)
    await says(screen, '/hooks')
    await screen.shows(/redact_secrets|security/)
    await says(screen, '/help')
    await screen.shows(
      /\/sessions\n {4}The latest sessions of this directory,[^\n]*\n {4}[^\n]*with one\.\n\/quit\n {4}End the session/,
    )
    expect(screen.lines().every((line) => line.length <= 60)).toBe(true)
    await says(screen, 'hello')
    await screen.shows('You said: hello')
    // What was there before the conversation can be scrolled back to.
    expect(screen.raw()).not.toContain('\x1b[3J')
  })

  it('is not changed by hostile text, and has no colours under NO_COLOR', async () => {
    const { screen: open } = workplace({ 'play.yaml': scripted })
    const screen = open(['--rehearse', 'play.yaml', '--yolo'], { env: { NO_COLOR: '1' } })
    await says(screen, 'hostile')
    await screen.shows(/red.*ltr/)
    await screen.shows('Done.')
    await screen.shows(ready)
    expect(screen.lines().join('\n')).toContain('› hostile')
    expect(screen.raw()).not.toMatch(/\x1b\](?!8;;)|\x07(?<!\x1b\]8;;\x07)|\u202e/)
    expect(screen.raw()).not.toMatch(/\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;5;\d+)m/)
  })
})

describe('hooks', () => {
  const rules = [
    'version: 1',
    'rules:',
    '  - { id: no-force, deny: { run: git push --force }, because: Force pushes are off limits here. }',
    '  - { id: look-first, ask: { run: touch }, because: It makes a file. }',
  ].join('\n')

  it('are one quiet line a turn; a deny is shown once, with rule and reason; /why, /stats and others explain', async () => {
    const { screen: open } = workplace({ 'hookline.yaml': rules })
    const screen = open(['--yolo', '--trust', 'all'], { rows: 60 })
    await says(screen, 'run git push --force')
    await screen.shows(/✗ no-force blocked shell\n {4}.*Force pushes are off limits here\.\n {4}To allow it:/)
    await screen.shows(/· \d+ hooks ran: 1 blocked/)
    await says(screen, '/why')
    await screen.shows(/denied[\s\S]*Verdict: deny/)
    const shown = screen.everything().join('\n')
    expect(shown.match(/no-force blocked/g)).toHaveLength(1)
    expect(shown.match(/hooks ran/g)).toHaveLength(1)
    await says(screen, '/stats')
    await screen.shows(/tool +calls +blocked +failed +time\nshell +1 +1/)
    await says(screen, '/sessions')
    await screen.shows(/\(this one\)[\s\S]*Go on with one: hookline run --resume/)
    await says(screen, '/model')
    await screen.shows('rehearsal answers')
    await says(screen, '/model nobody/knows')
    await screen.shows(/nobody/)
    await says(screen, '/quit')
    const { exit } = await screen.ended()
    expect(exit).toBe(0)
    expect(screen.everything().join('\n')).toMatch(/Kept\. Go on with/)
  })

  it('ask in a box: what runs, how far it reaches, who asks; once, no with a reason, always with a rule', async () => {
    const { screen: open, cwd, env } = workplace({ 'hookline.yaml': rules })
    const config = join(cwd, '../config')
    const own = { XDG_CONFIG_HOME: config, XDG_STATE_HOME: join(cwd, '../state') }
    const screen = open(['run touch one', '--trust', 'all'], { env: own })
    await screen.shows(/╭ \? shell for root ─.*─╮\n│ touch one/)
    await screen.shows(/It makes a file[\s\S]*asked by look-first[\s\S]*a adds a rule: allow run touch, touch \*/)
    await screen.shows(/╰ y once · a always · n no · e edit · \? why ─/)
    screen.types('n')
    await screen.shows('Why not?')
    screen.types('use two instead\r')
    await screen.shows(/It said: [\s\S]*use two instead/)
    await screen.shows('✗ Blocked: You said no: use two instead')
    await says(screen, 'run touch three')
    await screen.shows('e edit')
    screen.types('e')
    await screen.shows(/Edit the command[^\n]*\n> touch three/)
    screen.types(`${'\x7f'.repeat(5)}two\r`)
    await screen.shows(/│ touch two/)
    screen.types('y')
    await screen.shows(/● shell {2}touch three\n {2}\(no output\)\n {2}~ you changed it to touch two/)
    expect([existsSync(join(cwd, 'one')), existsSync(join(cwd, 'two'))]).toEqual([false, true])
    await says(screen, 'run touch three')
    await screen.shows('a always')
    screen.types('a')
    await typesCode(screen)
    await screen.shows('has a new rule, always-shell')
    await screen.shows(ready)
    expect(readFileSync(join(config, 'hookline/hooks.yaml'), 'utf8')).toContain('allow: { run: [ touch, touch * ] }')
    await screen.shows('The config has changed')
    await says(screen, 'run touch four')
    await screen.shows(/● shell {2}touch four\n {2}\(no output\)/)
    expect(existsSync(join(cwd, 'four'))).toBe(true)
    expect(env).not.toHaveProperty('XDG_CONFIG_HOME')
  })

  it('ask with the change in the box; an answer for the session holds until it ends; /model says who answers', async () => {
    const { screen: open, cwd } = workplace({ 'poem.txt': 'one\ntwo\nthree\n', 'play.yaml': edits })
    const screen = open(['--rehearse', 'play.yaml', 'change'])
    await screen.shows(/╭ \? edit_file for root[^\n]*\n(?:│[^\n]*\n)*│ 2 - two +│\n│ 2 \+ 2 +│\n/)
    await screen.shows(/s allows [^\n]*edit_file[^\n]* until the session ends/)
    await screen.shows(/╰ y once · s this session · /)
    expect(readFileSync(join(cwd, 'poem.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    screen.types('?')
    await screen.shows('No hook asks about it.')
    screen.types('s')
    await screen.shows('Done.')
    await says(screen, 'again')
    await screen.shows(/● edit_file {2}poem\.txt \+1 −1\n[\s\S]*3 \+ 3/)
    expect(readFileSync(join(cwd, 'poem.txt'), 'utf8')).toBe('one\n2\n3\n')
    await says(screen, '/model')
    await screen.shows(/rehearsal\S* answers\. Another one: `\/model openai\/gpt-5`\./)
    await says(screen, '/model openai/gpt-5')
    await screen.shows('OPENAI_API_KEY')
    await says(screen, '/model nobody/nothing')
    await screen.shows(/nobody/)
    await says(screen, 'hello')
    await screen.shows('You said: hello')
  })

  it('a line that was begun before a question came up is no answer to it', async () => {
    const { screen: open, cwd } = workplace()
    const screen = open(['first talk, then run touch made'])
    await screen.shows('Let me')
    screen.types('y')
    await screen.shows('There is a question')
    expect(screen.lines().join('\n')).not.toContain('y once')
    screen.types('\r')
    await screen.shows('y once')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
    screen.types('n')
    await screen.shows('Why not?')
    screen.types('\r')
    await screen.shows('steering: y')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })
})

describe('a window that is closed', () => {
  it('ends the session in order, also when its shell passes the signal on', async () => {
    const { screen: open, cwd } = workplace()
    writeFileSync(join(cwd, 'window.sh'), `trap '' HUP\n"$@" --hook-session-end 'cat > ended.json'\necho $? > exit\n`)
    const screen = open([], {
      ownHolder: true,
      program: [
        '/bin/sh',
        'window.sh',
        process.execPath,
        binary,
        'run',
        '--rehearse',
        '../script.yaml',
        'slowly a fox',
      ],
    })
    await screen.shows('Once')
    screen.closes()
    await expect.poll(() => existsSync(join(cwd, 'exit')), { timeout: 30_000 }).toBe(true)
    expect(readFileSync(join(cwd, 'exit'), 'utf8')).toBe('129\n')
    expect(JSON.parse(readFileSync(join(cwd, 'ended.json'), 'utf8'))).toMatchObject({ reason: 'other' })
  })
})
