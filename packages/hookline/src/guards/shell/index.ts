/** What would this command line do? Pure: nothing is run, read or resolved outside the line itself. */

import { weigh } from '../../shell/syntax/index.ts'
import { Exhausted, MOST_STEPS } from './budget.ts'
import { standIn } from './directories.ts'
import { type Machine, openDisk } from './disk.ts'
import { fold, LONGEST_LINE, limitReached, report } from './findings.ts'
import { NOBODY_KNOWS } from './parameters.ts'
import { treesRead } from './readonly/trees.ts'
import { filesRead, followsLinks } from './reads.ts'
import type { Disk, Trace } from './seen.ts'
import { readable, UNTAINTED } from './text.ts'
import { newTrace, settleTrace } from './trace.ts'
import type { CommandReading, Danger, Finding, Run, ShellVerdict, State } from './types.ts'
import { walker } from './walk.ts'

export { MOST_STEPS } from './budget.ts'
export type { Machine } from './disk.ts'
export { foundBelow } from './listed.ts'
export { type Place, placeOfPath } from './places.ts'
export { GIT_OPTIONS } from './programs/git.ts'
export { sedActions } from './programs/sed.ts'
export type { Mount, Seen, SeenCommand, SeenFile, SeenHost, Trace } from './seen.ts'
export { type Field, field, isKnown, MAYBE, NAME, NUMBER, PATH, readable, render, SOME, UNKNOWN } from './text.ts'
export type { Category, CommandReading, Finding, Radius, ShellVerdict, SimpleCommand, Verdict } from './types.ts'
export { categories } from './types.ts'
export { lead, type Way } from './ways.ts'

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
  const run = analyse(input)
  return fold([...run.findings, ...elsewhere(run, input)])
}

interface Walked {
  verdict: ShellVerdict
  findings: readonly Finding[]
  conditional: ConditionalVerdict
  trace: Trace
  reading: CommandReading
}

/**
 * The rules of an agent and several guards judge one call, before and after hooks rewrite it: the analysis is pure, and
 * the last ones are kept.
 */
const recent = new Map<string, Walked>()
const keptAtMost = 64
/** Of longer lines only the last is kept: they fill the memory, and yet each costs as much as the budget allows. */
const longestKept = 4_096
let lastLong: { key: string; found: Walked } | undefined

/** A verdict that holds if git finds a repository of the user's own in these directories, and none that came with a clone. */
export interface ConditionalVerdict {
  verdict: ShellVerdict
  repositories: readonly string[]
}

/** For whoever can look: what is safe only because of where it happens. */
export const analyseIf = (input: ShellInput): ConditionalVerdict => walkOnce(input).conditional

/** The files that the line reads out, as far as it names them; see reads.ts. */
export const readsOf = (input: ShellInput): string[] => filesRead(walkOnce(input).trace, startState(input))

/** The directories that the line reads out, all that lies in them. */
export const treesOf = (input: ShellInput): string[] => treesRead(walkOnce(input).trace, startState(input))

/** Whether it goes through trees and follows links on the way: then what lies behind those is read too. */
export const readsThroughLinks = (input: ShellInput): boolean => followsLinks(walkOnce(input).trace)

/** Nobody has looked, so a repository in another directory than the one at hand may be anybody's. */
function elsewhere({ repositories }: Run, input: ShellInput): Finding[] {
  const { cwd } = startState(input)
  const others = [...repositories].filter((each) => each !== cwd)
  if (others.length === 0) return []
  return [{ verdict: 'unknown', ...OTHER_REPOSITORY, blamed: `git in ${readable(others[0]!).slice(0, 200)}` }]
}

const OTHER_REPOSITORY: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'Git runs what the settings of a repository name, and nobody has looked whose repository that is.',
}

/** How many steps the analysis takes; never more than `MOST_STEPS`, and those of one last step. */
export function stepsOf(input: ShellInput): number {
  return MOST_STEPS - analyse(input).budget.left
}

export const analyseOnce = (input: ShellInput): ShellVerdict => walkOnce(input).verdict

/** Everything that was found, each by itself; scripts that the machine lets us read included. */
export const findingsOnce = (input: ShellInput, machine?: Machine): readonly Finding[] =>
  walkOnce(input, machine).findings

/** What the line runs and opens, in order; `doubts` says why there may be more. */
export const traceOnce = (input: ShellInput, machine?: Machine): Trace => walkOnce(input, machine).trace

function walkOnce(input: ShellInput, machine?: Machine): Walked {
  const { command, cwd, home } = input
  const key = `${machine !== undefined}\0${cwd}\0${home}\0${command}`
  const known = recent.get(key) ?? (lastLong?.key === key ? lastLong.found : undefined)
  if (known) return known
  const disk = machine && openDisk(machine)
  const run = analyse(input, disk)
  const limits = run.findings.filter(({ category }) => category === 'limit').map(({ reason }) => reason)
  const trace = settleTrace({ ...run.trace, doubts: [...limits, ...run.trace.doubts] })
  const reading = limits.length > 0 ? { ...run.reading, certain: false } : run.reading
  const conditional = { verdict: fold(run.findings), repositories: [...run.repositories] }
  const findings = [...run.findings, ...elsewhere(run, input)]
  const found = { verdict: fold(findings), findings, conditional, trace, reading }
  // What the machine has answered holds for this moment only.
  if (disk?.asked) return found
  if (command.length > longestKept) {
    lastLong = { key, found }
    return found
  }
  if (recent.size >= keptAtMost) recent.delete(recent.keys().next().value!)
  recent.set(key, found)
  return found
}

/** Which simple commands would this line run? For rules about commands: a deny looks at any of them, an allow at all. */
export const readCommands = (input: ShellInput): CommandReading => walkOnce(input).reading

function analyse(input: ShellInput, disk?: Disk): Run {
  const { command } = input
  const reading = { commands: [], certain: true, more: false }
  const run: Run = {
    ...{ findings: [], reading, budget: { left: MOST_STEPS }, depth: 0, calls: [], walker, repositories: new Set() },
    ...{ trace: newTrace(), inside: [], elsewhere: false, atEnd: [], disk },
  }
  const why = command.length > LONGEST_LINE ? 'too long' : isDense(command) ? 'made of too many parts' : undefined
  if (why) run.findings.push(limitReached(why, `${command.slice(0, 120)}…`))
  if (DECEPTIVE.test(command)) report(run, 'unknown', READS_OTHERWISE, command.slice(0, 120))
  judgeLine(why ? command.slice(0, LONGEST_START) : command, startState(input), run)
  return run
}

/** A NUL, control characters, and what makes text run backwards or vanish: a person reads another line than the shell. */
const DECEPTIVE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\r(?!\n)/
const READS_OTHERWISE: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It holds invisible characters, so what a person reads is not what runs.',
}

/** Of a line that is too long to be analysed, the start is: what stands there counts. */
const LONGEST_START = 4_096

const isDense = (command: string): boolean =>
  command.length > LONGEST_START && weigh(command, MOST_STEPS / 2).cost > MOST_STEPS / 2

function judgeLine(command: string, state: State, run: Run): void {
  try {
    const wiring = { stdin: undefined, captured: false, background: false, piped: false }
    walker.script({ text: command, taints: UNTAINTED }, state, run, wiring)
    for (const each of run.atEnd.splice(0)) each()
  } catch (error) {
    // Only exhaustion gets here, of the steps or of the stack: a guard that is exhausted must not let anything pass.
    const what = error instanceof Exhausted ? 'made of too many parts' : 'too intricate'
    run.findings.push(limitReached(what, command.slice(0, 120)))
  }
}

function startState(input: ShellInput): State {
  const start = input.cwd?.startsWith('/') ? input.cwd.replace(/(?<=.)\/+$/, '') : undefined
  return {
    cwd: start ?? '.',
    standing: standIn([start ?? '.']),
    left: [],
    start,
    home: (input.home ?? SOME_HOME).replace(/(?<=.)\/+$/, ''),
    variables: new Map(),
    others: new Map(),
    functions: new Map(),
    aliases: new Map(),
    files: new Map(),
    links: new Map(),
    ways: [],
    descriptors: new Map(),
    readers: new Map(),
    positional: NOBODY_KNOWS,
  }
}
