import { lookup, matchesGlob, programName } from '../../shell/index.ts'
import { BUILTINS, type Builtin } from './builtins.ts'
import { limitReached, report } from './findings.ts'
import { interpret } from './interpreters.ts'
import { outputOf } from './outputs.ts'
import { resolvePath } from './places.ts'
import { judge, knownPrograms } from './programs/index.ts'
import { asksForHelp, isReadOnly } from './readonly/index.ts'
import { runScript } from './scripts.ts'
import { emptiest, type Field, field, isKnown, quote, render, SOME, type Stream, stream } from './text.ts'
import type { Call, Danger, Shell, Wiring } from './types.ts'
import { feed, unwrap } from './wrappers.ts'
import { applyEffects } from './written.ts'

const TRUSTED = /^(?:\/usr(?:\/local)?|\/opt\/homebrew|\/run\/current-system\/sw)?\/s?bin\/[^/]+$/

/** Judges one command of resolved words; gives back what it would print. `shown` is its source, when it has one. */
export function runCommand(words: readonly Field[], shell: Shell, wiring: Wiring, shown: string | undefined): Stream {
  const [first, ...args] = words
  const { run, state } = shell
  if (!first) return stream('')
  const text = render(words)
  const blamed = shown ?? text
  run.reading.commands.push({ text, shown: blamed, program: programName(first.text) })
  if (run.meter.left-- <= 0) {
    if (run.meter.left === -1) run.findings.push(limitReached('made of too many commands', blamed))
    return stream(SOME)
  }
  if (!isKnown(first.text)) return runHalfKnown(first, args, shell, wiring, blamed)
  if (/^[^/]*=/.test(first.text)) runCommand(args, shell, wiring, undefined)
  const alias = state.aliases.get(first.text)
  if (alias !== undefined) {
    const rest = args.map((word) => quote(word.text)).join(' ')
    const inner = { ...state, aliases: new Map([...state.aliases].filter(([name]) => name !== first.text)) }
    return run.walker.script(stream(`${alias} ${rest}`, first.taints), inner, run, wiring)
  }
  if (state.functions.has(first.text)) return run.walker.function(first.text, args, state, run, wiring)
  if (first.glob) for (const name of programsLike(first.text)) runCommand([field(name), ...args], shell, wiring, blamed)
  return runProgram(first, args, shell, wiring, blamed)
}

/** `$SUDO rm -rf /`, `${x:-rm} -rf /`: what runs if every unset variable is unset? */
function runHalfKnown(first: Field, args: readonly Field[], shell: Shell, wiring: Wiring, blamed: string): Stream {
  const name = emptiest(first.text)
  shell.run.reading.certain = false
  report(shell.run, first.taints.includes('remote') ? 'destructive' : 'unknown', UNKNOWN_PROGRAM, blamed)
  if (name === undefined) return stream(SOME, first.taints)
  return runCommand(name === '' ? args : [field(name), ...args], shell, wiring, blamed)
}

function runProgram(first: Field, args: readonly Field[], shell: Shell, wiring: Wiring, blamed: string): Stream {
  const { run, state } = shell
  const path = first.text.includes('/') ? resolvePath(first.text, state) : undefined
  const written = path === undefined ? undefined : state.files.get(path)
  const linked = state.links.get(path ?? first.text)
  if (written && !linked) return runScript(written, { name: first.text, args, wiring, state, run, shown: blamed }, args)
  const name = programName(linked ?? first.text)
  const call: Call = { name, args, wiring, state, run, shown: blamed }
  const trusted =
    linked === undefined && (path === undefined || TRUSTED.test(path)) && first.text === first.text.toLowerCase()

  if (trusted && asksForHelp(call)) return stream('')
  const builtin: Builtin | undefined = path === undefined ? lookup(BUILTINS, name) : undefined
  const inner = builtin?.(call, shell) ?? feed(call) ?? unwrap(call) ?? interpret(call)
  const dangers = judge(call)
  for (const danger of dangers) report(run, 'destructive', danger, blamed)
  const output = inner?.output ?? outputOf(call)
  applyEffects(call)
  warnOfLeak(output, call)
  if (dangers.length === 0 && !inner?.settled && !(trusted && isReadOnly(call))) {
    report(run, 'unknown', path !== undefined && !trusted ? OPAQUE_SCRIPT : notKnownToBeSafe(name), blamed)
  }
  return output
}

/** A credential that reaches the terminal has been read by whoever reads the terminal. */
function warnOfLeak(output: Stream, call: Call): void {
  if (call.wiring.captured) return
  if (output.taints.some((taint) => taint === 'secret' || taint === 'credential'))
    report(call.run, 'destructive', PRINTS_SECRET, call.shown)
}

function programsLike(pattern: string): string[] {
  const last = pattern.split('/').at(-1) ?? pattern
  if (/^[*?]+$/.test(last) && last.includes('*')) return []
  return knownPrograms()
    .filter((name) => matchesGlob(last, name))
    .slice(0, 12)
}

const UNKNOWN_PROGRAM: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'Which program it runs is only known when it runs.',
}
const OPAQUE_SCRIPT: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It runs a program whose content is not known.',
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
