import { lookup, matchesGlob, programName } from '../../shell/index.ts'
import { spend, spendOnText } from './budget.ts'
import { BUILTINS, type Builtin } from './builtins.ts'
import { ranSomehow, standIn } from './directories.ts'
import { followScript } from './disk.ts'
import { limitReached, report } from './findings.ts'
import { interpret } from './interpreters.ts'
import { outputOf } from './outputs.ts'
import { credentialOf } from './parameters.ts'
import { isHidingPlace, resolvePath } from './places.ts'
import { judge, knownPrograms } from './programs/index.ts'
import { asksForHelp, isReadOnly } from './readonly/index.ts'
import { runScript } from './scripts.ts'
import type { SeenCommand } from './seen.ts'
import { followTasks } from './tasks/index.ts'
import {
  CUT,
  emptiest,
  type Field,
  field,
  isKnown,
  MAYBE,
  mixTaints,
  quote,
  render,
  SOME,
  type Stream,
  stream,
} from './text.ts'
import { doubt, seeCommand, within } from './trace.ts'
import type { Call, Danger, Shell, Wiring } from './types.ts'
import { feed, unwrap } from './wrappers.ts'
import { applyEffects, foundInPath, writtenAt } from './written.ts'

/** What it takes to read a command and to follow what it prints. */
const STEPS_OF_COMMAND = 4
const STEPS_OF_WORD = 1
/** To look a program up in all tables, and each of its words among the paths that matter. */
const STEPS_OF_PROGRAM = 20
const STEPS_OF_OPERAND = 5
/** A pattern is held against every file that matters, as the first word against every program. */
const STEPS_OF_PATTERN = 8
const STEPS_OF_PROGRAM_PATTERN = 400

const lengthOf = (words: readonly Field[]): number => words.reduce((sum, { text }) => sum + text.length, 0)

/** Cut off by us, or a pattern longer than any path: nobody has looked what it stands for. */
const LONGEST_PATTERN = 4_096
const isBeyond = ({ text, glob }: Field): boolean => text.includes(CUT) || (glob && text.length > LONGEST_PATTERN)

const TRUSTED = /^(?:\/usr(?:\/local)?|\/opt\/homebrew|\/run\/current-system\/sw)?\/s?bin\/[^/]+$/

/** Judges one command of resolved words; gives back what it would print. `shown` is its source, when it has one. */
export function runCommand(
  words: readonly Field[],
  shell: Shell,
  wiring: Wiring,
  shown: string | undefined,
  how: { assigned?: readonly string[]; redirected?: boolean; program?: boolean } = {},
): Stream {
  const [first, ...args] = words
  const { run, state } = shell
  if (!first) return stream('')
  const patterns = words.filter(({ glob }) => glob).length
  spend(run, STEPS_OF_COMMAND + words.length * (STEPS_OF_WORD + (state.ways.length >> 1)) + patterns * STEPS_OF_PATTERN)
  // Each word is resolved many times against where the command runs.
  spendOnText(run, lengthOf(words) * 4 + words.length * Math.max(0, (state.cwd?.length ?? 0) - 128))
  const text = render(words)
  const blamed = shown ?? text
  if (words.some(isBeyond)) run.findings.push(limitReached('made of too long texts', blamed.slice(0, 120)))
  run.reading.commands.push({ text, shown: blamed, program: programName(first.text) })
  const seen = seeCommand(words, run, state, { ...how, background: wiring.background })
  if (!isKnown(first.text)) return runHalfKnown(first, args, shell, wiring, blamed)
  if (/^[^/]*=/.test(first.text)) runCommand(args, shell, wiring, undefined)
  const alias = how.program ? undefined : state.aliases.get(first.text)
  if (alias !== undefined) {
    // Behind an alias that ends with a blank, the next word is looked up too.
    const next = /\s$/.test(alias.text) ? state.aliases.get(args[0]?.text ?? '') : undefined
    const rest = args.map((word, at) => (at === 0 && next ? next.text : quote(word.text))).join(' ')
    const inner = { ...state, aliases: new Map([...state.aliases].filter(([name]) => name !== first.text)) }
    alias.guessed.called = true
    seen.wraps = true
    const output = run.walker.script(
      stream(`${alias.text} ${rest}`, first.taints),
      inner,
      within(run, first.text),
      wiring,
    )
    if (isProgram(first.text)) runProgram(first, args, shell, wiring, blamed, seen)
    return output
  }
  if (!how.program && state.functions.has(first.text)) {
    seen.wraps = true
    const output = run.walker.function(first.text, args, state, run, wiring)
    if (isProgram(first.text)) runProgram(first, args, shell, wiring, blamed, seen)
    return output
  }
  if (first.glob) spend(run, STEPS_OF_PROGRAM_PATTERN)
  if (first.glob) for (const name of programsLike(first.text)) runCommand([field(name), ...args], shell, wiring, blamed)
  return runProgram(first, args, shell, wiring, blamed, seen)
}

/** `$SUDO rm -rf /`, `${x:-rm} -rf /`: what runs if every unset variable is unset? */
function runHalfKnown(first: Field, args: readonly Field[], shell: Shell, wiring: Wiring, blamed: string): Stream {
  const name = emptiest(first.text)
  shell.run.reading.certain = false
  doubt(shell.run, UNKNOWN_PROGRAM.reason)
  report(shell.run, first.taints.includes('remote') ? 'destructive' : 'unknown', UNKNOWN_PROGRAM, blamed)
  if (name === undefined) return stream(SOME, first.taints)
  return runCommand(name === '' ? args : [field(name), ...args], shell, wiring, blamed)
}

/** `-r${x}f`, `re${x}set`: no path, and a word of its own once the variable is empty, as unset ones are. */
const isHalfWord = ({ text }: Field): boolean => {
  if (!text.includes(MAYBE)) return false
  const plain = text.replaceAll(MAYBE, '')
  if (plain === '--' || (/^[\w:=+-]+$/.test(plain) && /\w/.test(plain))) return true
  return /^[\w\uE000+-]+=[^\uE001]*$/.test(text) && text.slice(0, text.indexOf('=')).includes(MAYBE)
}
const asIfUnset = (word: Field): Field =>
  isHalfWord(word) ? { ...word, text: word.text.replace(/^[^=]*/, (name) => name.replaceAll(MAYBE, '')) } : word

/** Words of the shell that no table has more about. */
const CHEAP = new Set(
  'echo printf test [ : true false exit return break continue shift set local readonly unset wait let umask times'.split(
    ' ',
  ),
)

function runProgram(
  first: Field,
  given: readonly Field[],
  shell: Shell,
  wiring: Wiring,
  blamed: string,
  seen: SeenCommand,
): Stream {
  const { run, state } = shell
  const args = given.map(asIfUnset)
  if (!CHEAP.has(first.text)) spend(run, STEPS_OF_PROGRAM + given.length * STEPS_OF_OPERAND)
  if (given.some(isHalfWord)) report(run, 'unknown', HALF_KNOWN_WORDS, blamed)
  const before = state.standing.now
  ranSomehow(state)
  const path = first.text.includes('/') ? resolvePath(first.text, state) : foundInPath(first.text, state)
  const written = path === undefined ? undefined : writtenAt(path, state)
  const linked = state.links.get(path ?? first.text)
  if (written && !linked)
    return runScript(written, { name: first.text, args, wiring, state, run, shown: blamed, seen }, args)
  const name = programName(linked ?? first.text)
  if (linked !== undefined) {
    seen.wraps = true
    seeCommand([field(linked), ...args], within(run, first.text), state, { background: wiring.background })
  }
  const call: Call = { name, args, wiring, state, run, shown: blamed, seen }
  const trusted =
    linked === undefined && (path === undefined || TRUSTED.test(path)) && first.text === first.text.toLowerCase()

  if (trusted && asksForHelp(call)) return stream('')
  const builtin: Builtin | undefined = path === undefined ? lookup(BUILTINS, name) : undefined
  if (path !== undefined && linked === undefined) followScript(first, args, call, 'program')
  const inner = builtin?.(call, shell) ?? feed(call) ?? unwrap(call) ?? interpret(call)
  if (builtin && SETS_THE_SHELL.has(name) && args[0]?.text !== '--' && args.some(({ text }) => !isKnown(text)))
    report(run, 'unknown', HALF_KNOWN_WORDS, blamed)
  followTasks(call)
  // What another program does in directories of its own leaves this shell where it is.
  if (!builtin && !/^(?:command|builtin)$/.test(name)) state.standing = standIn(before)
  const dangers = judge(call)
  for (const danger of dangers)
    report(run, danger.mild || isHandedOn(danger, call) ? 'unknown' : 'destructive', danger, blamed)
  const printed = inner?.output ?? outputOf(call)
  const shows = dangers.some((danger) => isHandedOn(danger, call))
  const output = shows ? { ...printed, taints: mixTaints(printed.taints, credentialOf(call.name)) } : printed
  applyEffects(call)
  warnOfLeak(output, call)
  if (path !== undefined && isHidingPlace(path)) report(run, 'destructive', RUNS_HIDDEN, blamed)
  if (dangers.length === 0 && !inner?.settled && !(trusted && isReadOnly(call))) {
    report(run, 'unknown', path !== undefined && !trusted ? OPAQUE_SCRIPT : notKnownToBeSafe(name), blamed)
  }
  return output
}

/** With some option or other, they change what later words mean, or run a program at once: `hash -p ./x ls`, `compgen -C ./x`. */
const SETS_THE_SHELL = new Set('hash alias unalias set shopt compgen complete compopt'.split(' '))

/** `gh auth token | docker login`: nobody reads what the next command gets; what that does with it is judged there. */
const isHandedOn = ({ category, reason }: Danger, { wiring }: Call): boolean =>
  category === 'secret-read' && wiring.captured && /^It shows credentials/.test(reason)

/** A credential that reaches the terminal has been read by whoever reads the terminal. */
function warnOfLeak(output: Stream, call: Call): void {
  if (call.wiring.captured) return
  if (output.taints.some((taint) => taint === 'secret' || taint === 'credential'))
    report(call.run, 'destructive', PRINTS_SECRET, call.shown)
}

/**
 * Whether a program that can do harm has this name. Who declares a function or an alias of that name may not have done so in
 * the end (`false && rm() { :; }`, `unset -f rm`, `\\rm`, aliases in a script): what the program would do counts as well.
 */
const isProgram = (name: string): boolean => {
  known ??= new Set(knownPrograms())
  return known.has(name)
}
let known: ReadonlySet<string> | undefined

function programsLike(pattern: string): string[] {
  const last = pattern.split('/').at(-1) ?? pattern
  if (/^[*?]+$/.test(last) && last.includes('*')) return []
  return last.length > LONGEST_PATTERN ? [] : knownPrograms().filter((name) => matchesGlob(last, name))
}

const UNKNOWN_PROGRAM: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'Which program it runs is only known when it runs.',
}
const HALF_KNOWN_WORDS: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'Part of what it is asked to do is only known when it runs.',
}
const OPAQUE_SCRIPT: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It runs a program whose content is not known.',
}
const RUNS_HIDDEN: Danger = {
  category: 'hidden-exec',
  radius: 'medium',
  reason: 'It runs a program from where files are put that nobody is to find.',
}
const PRINTS_SECRET: Danger = {
  category: 'secret-read',
  radius: 'medium',
  reason: 'It shows credentials, which then are in the conversation for good.',
}
const notKnownToBeSafe = (name: string): Danger => ({
  category: 'unresolved',
  radius: 'unknown',
  reason: `${name} with these arguments is not known to be read-only.`,
})
