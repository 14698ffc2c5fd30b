import { join } from 'node:path'
import { hookline, type Session } from '../../../hookline/test/support/cli.ts'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import { type Terminal, terminal } from '../../../hookline/test/support/terminal.ts'
import { openScreen, type Screen, type ScreenOptions } from './screen.ts'

/** A rehearsal that runs the command in the prompt, repeats its result, and can answer slowly. */
export const script = `
rehearsal: 1
turns:
  - when: { tool: '.*' }
    say: 'It said: {{ result }}'
    repeat: true
  - when: { user: '^go on$', anywhere: 'Whether it took effect is not known' }
    say: 'I was told that nobody knows whether it took effect.'
  - when: { user: '(?s)^slowly (?P<words>.+)' }
    say: 'Once upon a time there was {{ words }} and then'
    pace_ms: 50
    repeat: true
  - when: { user: '(?s)^first talk, then run (?P<command>.+)' }
    say: 'Let me tell you something before I do that'
    pace_ms: 50
    call: { tool: shell, input: { cmd: '{{ command }}' } }
  - when: { user: '(?s)^run (?P<command>.+)' }
    say: 'Will do.'
    call: { tool: shell, input: { cmd: '{{ command }}' } }
    repeat: true
default: { say: 'You said: {{ user }}' }
`

/** A directory to work in, with a data directory beside it that no other test has. */
export interface Workplace {
  cwd: string
  env: Record<string, string>
  run(...args: string[]): Promise<Session>
  /** Line by line, as `--plain` has it. */
  talk(...args: string[]): Terminal
  /** On a screen of its own. */
  screen(args?: readonly string[], options?: ScreenOptions): Screen
  sessions(...args: string[]): Promise<Session>
}

export function workplace(files: Readonly<Record<string, string>> = {}): Workplace {
  const root = scratch({ 'script.yaml': script, 'work/.keep': '', ...prefixed(files) })
  const [cwd, rehearse] = [join(root, 'work'), ['--rehearse', join(root, 'script.yaml')]]
  const env = { XDG_DATA_HOME: join(root, 'data') }
  return {
    cwd,
    env,
    run: (...args) => hookline(['run', ...rehearse, ...args], '', { cwd, env }),
    talk: (...args) => terminal(['run', '--plain', ...rehearse, ...args], { cwd, env }),
    screen: (args = [], options = {}) =>
      openScreen(['run', ...rehearse, ...args], { cwd, ...options, env: { ...env, ...options.env } }),
    sessions: (...args) => hookline(['sessions', ...args], '', { cwd, env }),
  }
}

const prefixed = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`work/${name}`, text]))

/** What `--json` has printed. */
export const linesOf = ({ stdout }: Session): Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
