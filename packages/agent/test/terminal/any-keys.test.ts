import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { binary } from '../../../hookline/test/support/cli.ts'
import fc, { seed } from '../../../hookline/test/support/property.ts'
import { ready, type Screen } from './screen.ts'
import { workplace } from './support.ts'

type Deed = { keys: string } | { paste: string } | { columns: number; rows: number }

/** Whatever the keys spell, no word of them is run: the commands stand in the script. */
const script = `
rehearsal: 1
turns:
  - { when: { tool: '.*' }, say: 'It said: {{ result }}', repeat: true }
  - { when: { user: slowly }, say: Once upon a time there was a fox and then it went on and on, pace_ms: 50, repeat: true }
  - { when: { user: touch }, say: Will do., call: { tool: shell, input: { cmd: touch new } }, repeat: true }
  - { when: { user: wait }, call: { tool: shell, input: { cmd: sleep 30 } }, repeat: true }
  - { when: { user: write }, call: { tool: write_file, input: { path: poem.txt, content: "one\\ntwo\\n" } }, repeat: true }
default: { say: 'You said: {{ user }}' }
`
const lines = ['hello', 'slowly', 'touch', 'wait', 'write']
const commands = '/help /hooks /why /stats /cost /clear /compact /undo /sessions /model /todo /nothing /goal do it'
/** Ctrl+Z is not among them: it gives the terminal to a shell, and there is none. */
const keys = [
  ...[
    '\r',
    '\t',
    '\x1b',
    '\x7f',
    '\x03',
    '\x0f',
    '\x12',
    '\x15',
    '\x17',
    '\x01',
    '\x05',
    '\x0b',
    '\x0c',
    '\x1b\r',
    '\\\r',
  ],
  ...[
    '\x1b[A',
    '\x1b[B',
    '\x1b[C',
    '\x1b[D',
    '\x1b[H',
    '\x1b[F',
    '\x1b[3~',
    '\x1b[5~',
    '\x1b[13;2u',
    '\x1b[Z',
    '\x1b[200~',
  ],
  ...['y', 'n', 's', 'a', '?', '/', '@', '\x1b[999', '\x1b]0;', '\x00', '\x1c', '\ud83e\udd8a', 'é'],
]
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...lines, ...commands.split(/ (?=\/)/)).map((line) => ({ keys: `${line}\r` })),
  },
  {
    weight: 8,
    arbitrary: fc
      .array(fc.constantFrom(...keys), { minLength: 1, maxLength: 6 })
      .map((all) => ({ keys: all.join('') })),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => ({ keys: text.replaceAll('\x1a', '') })),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 150 }).map((all) => ({ paste: all.join('\n') })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ columns: fc.integer({ min: 2, max: 180 }), rows: fc.integer({ min: 2, max: 60 }) }),
  },
)

function does(screen: Screen, one: Deed): void {
  if ('keys' in one) screen.types(one.keys)
  else if ('paste' in one) screen.pastes(one.paste)
  else screen.resize(one.columns, one.rows)
}

/** More with every hundred thousand cases that `npm run soak` wants. */
const sessions = process.env['HOOKLINE_CASES'] === undefined ? 2 : 12

it('whatever is typed, pasted and resized: it ends when it is left, in order, and gives the terminal back', async () => {
  for (const [at, deeds] of fc
    .sample(fc.array(deed, { minLength: 60, maxLength: 120 }), { seed, numRuns: sessions })
    .entries()) {
    const { screen: open, cwd } = workplace({ 'play.yaml': script })
    writeFileSync(
      join(cwd, 'window.sh'),
      `trap : INT\n"$@"\necho $? > exit\nstty -a > settings; mv settings terminal\n`,
    )
    const run = ['run', '--rehearse', 'play.yaml', '--hook-session-end', 'cat >> ended.jsonl; echo >> ended.jsonl']
    const screen = open([], {
      env: { XDG_CONFIG_HOME: join(cwd, '../config'), XDG_STATE_HOME: join(cwd, '../state') },
      program: ['/bin/sh', 'window.sh', process.execPath, binary, ...run],
    })
    const isOver = () => existsSync(join(cwd, 'terminal'))
    await screen.shows(ready)
    for (const [step, one] of deeds.entries()) {
      if (isOver()) break
      does(screen, one)
      // Now and then it may draw before more comes.
      if (step % 10 === 9) await drawn(screen, 100 + (step % 7), isOver)
    }
    for (const until = Date.now() + 90_000; !isOver() && Date.now() < until; await delay(500))
      screen.types('\x1b[201~\x1b\x03\x03')
    const about = `session ${at} of seed ${seed}:\n${screen.everything().join('\n')}`
    expect(isOver(), about).toBe(true)
    expect(['0\n', '130\n'], about).toContain(readFileSync(join(cwd, 'exit'), 'utf8'))
    expect(readFileSync(join(cwd, 'terminal'), 'utf8'), about).toMatch(/ icanon[\s\S]* echo /)
    expect(readFileSync(join(cwd, 'ended.jsonl'), 'utf8').trim().split('\n').length, about).toBeGreaterThan(0)
    // The cursor is there again, and what is pasted is typed.
    expect(screen.raw().lastIndexOf('\x1b[?25h')).toBeGreaterThan(screen.raw().lastIndexOf('\x1b[?25l'))
    expect(screen.raw().lastIndexOf('\x1b[?2004l')).toBeGreaterThan(screen.raw().lastIndexOf('\x1b[?2004h'))
    // Nothing that was typed or pasted gets to the terminal as a control character.
    expect(/.{0,60}[\x00-\x06\x0e-\x1a\x7f].{0,20}/.exec(screen.raw())?.[0]).toBeUndefined()
    expect(screen.raw(), about).not.toMatch(/Error:|at file:\/\/|node:internal/)
  }
})

/** A window of another size is drawn anew. */
async function drawn(screen: Screen, columns: number, isOver: () => boolean): Promise<void> {
  const before = screen.raw().length
  screen.resize(columns, 40)
  await expect.poll(() => isOver() || screen.raw().length > before, { timeout: 60_000, interval: 20 }).toBe(true)
}
