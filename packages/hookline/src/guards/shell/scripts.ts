/** Scripts and commands that a command runs in its turn. */
import { RUNS_DOWNLOAD } from './dangers.ts'
import { report } from './findings.ts'
import { type Field, isKnown, mixTaints, quote, SOME, type Stream, stream, type Taint } from './text.ts'
import { doubt, within } from './trace.ts'
import type { Call, Danger, Run } from './types.ts'

/** Judges text that is run as shell; what it would print. */
export function runScript(script: Stream, call: Call, positional?: readonly Field[]): Stream {
  const { run, state } = call
  if (script.taints.includes('remote')) report(run, 'destructive', RUNS_DOWNLOAD, call.shown)
  if (isKnown(script.text) || script.text.trimEnd().length > 1) {
    const inner = positional ? { ...state, positional } : state
    // What a script is read from is used up; else what it runs reads the same input.
    const stdin = script === call.wiring.stdin ? undefined : call.wiring.stdin
    return run.walker.script(script, inner, insideOf(call), { ...call.wiring, stdin })
  }
  // A file on disk is a program like any other; what is made on the way there is not.
  if (script.taints.some((taint) => MADE.has(taint))) doubt(run, RUNS_UNKNOWN.reason)
  const hidden = script.taints.includes('decoded') || script.taints.includes('listed')
  report(run, hidden ? 'destructive' : 'unknown', hidden ? RUNS_DECODED : RUNS_UNKNOWN, call.shown)
  return stream(SOME)
}

/** The same for text that is no file: unknown, it may hold any command. */
export function runText(script: Stream, call: Call, positional?: readonly Field[]): Stream {
  if (!isKnown(script.text)) {
    call.run.reading.certain = false
    doubt(call.run, RUNS_UNKNOWN.reason)
  }
  return runScript(script, call, positional)
}

/** The same for words that are a command of their own. */
export function runWords(words: readonly Field[], call: Call, wiring = call.wiring): Stream {
  return call.run.walker.words(words, call.state, insideOf(call), wiring, LOOKS_UP_ANY.has(call.name))
}

/** Words of the shell itself. What any other command runs is a program, whatever functions and aliases have its name. */
const LOOKS_UP_ANY = new Set(['time', 'noglob', 'nocorrect'])

function insideOf(call: Call): Run {
  if (call.seen) call.seen.wraps = true
  return within(call.run, call.label ?? call.name)
}

/** What a command runs on another machine or among other files. */
export const elsewhere = (call: Call): Call => ({ ...call, run: { ...call.run, elsewhere: true } })

/** Words as the source of a command line that means them literally. */
export function asSource(words: readonly Field[]): Stream {
  return stream(words.map((word) => quote(word.text)).join(' '), mixTaints(...words.map((word) => word.taints)))
}

const MADE: ReadonlySet<Taint> = new Set<Taint>(['remote', 'decoded', 'listed', 'fed'])
const RUNS_DECODED: Danger = {
  category: 'hidden-exec',
  radius: 'high',
  reason: 'It runs code that nobody can read before it runs.',
}
const RUNS_UNKNOWN: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It runs a script whose content is not known.',
}
