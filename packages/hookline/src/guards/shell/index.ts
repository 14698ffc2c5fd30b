/** What would this command line do? Pure: nothing is run, read or resolved outside the line itself. */
import { fold, LONGEST_LINE, limitReached, MOST_COMMANDS } from './findings.ts'
import { UNTAINTED } from './text.ts'
import type { CommandReading, Run, ShellVerdict, State } from './types.ts'
import { walker } from './walk.ts'

export type { Category, CommandReading, Radius, ShellVerdict, SimpleCommand, Verdict } from './types.ts'

export interface ShellInput {
  command: string
  /** Absolute. What lies in it is the user's project; without it, relative paths are taken to be in it. */
  cwd?: string
  home?: string
}

/** Stands for an unknown home directory: one level below /home, and no real name. */
const SOME_HOME = '/home/~'

/** `safe` only when every part is known and only reads; `unknown` when in doubt; a limit never weakens a verdict. */
export function analyseCommand(input: ShellInput): ShellVerdict {
  return fold(analyse(input).findings)
}

/**
 * The rules of an agent and several guards judge one call, before and after hooks rewrite it: the analysis is pure, and
 * the last ones are kept.
 */
const recent = new Map<string, ShellVerdict>()
const keptAtMost = 64
const longestKept = 4_096

export function analyseOnce(input: ShellInput): ShellVerdict {
  const { command, cwd, home } = input
  if (command.length > longestKept) return analyseCommand(input)
  const key = `${cwd}\0${home}\0${command}`
  const known = recent.get(key)
  if (known) return known
  const verdict = analyseCommand(input)
  if (recent.size >= keptAtMost) recent.delete(recent.keys().next().value!)
  recent.set(key, verdict)
  return verdict
}

/** Which simple commands would this line run? For rules about commands: a deny looks at any of them, an allow at all. */
export function readCommands(input: ShellInput): CommandReading {
  const { findings, reading } = analyse(input)
  const exhausted = findings.some(({ category }) => category === 'limit')
  return exhausted ? { ...reading, certain: false } : reading
}

function analyse(input: ShellInput): Run {
  const { command } = input
  const reading = { commands: [], certain: true, more: false }
  const run: Run = { findings: [], reading, meter: { left: MOST_COMMANDS }, depth: 0, calls: [], walker }
  if (command.length > LONGEST_LINE) run.findings.push(limitReached('too long', `${command.slice(0, 120)}…`))
  else judgeLine(command, startState(input), run)
  return run
}

function judgeLine(command: string, state: State, run: Run): void {
  try {
    const wiring = { stdin: undefined, captured: false, background: false, piped: false }
    walker.script({ text: command, taints: UNTAINTED }, state, run, wiring)
  } catch {
    // Only exhaustion gets here, and a guard that is exhausted must not let anything pass.
    run.findings.push(limitReached('too intricate', command.slice(0, 120)))
  }
}

function startState(input: ShellInput): State {
  const start = input.cwd?.startsWith('/') ? input.cwd.replace(/(?<=.)\/+$/, '') : undefined
  return {
    cwd: start ?? '.',
    start,
    home: (input.home ?? SOME_HOME).replace(/(?<=.)\/+$/, ''),
    variables: new Map(),
    functions: new Map(),
    aliases: new Map(),
    files: new Map(),
    links: new Map(),
    positional: [],
  }
}
