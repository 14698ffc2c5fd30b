/** What stands in files of this machine and is run: walked as part of the line, in a shell of its own. */
import { MOST_SCRIPT_STEPS, spendWithin } from './budget.ts'
import { standIn } from './directories.ts'
import type { Stream } from './text.ts'
import { doubt, newTrace } from './trace.ts'
import type { Call, Run, State } from './types.ts'

export const DEEPEST_SCRIPT = 4

export function ownShell(state: State, variables: State['variables']): State {
  return { ...state, variables, functions: new Map(), aliases: new Map(), files: new Map(state.files), left: [] }
}

export const depthOf = ({ script }: Run): number => {
  let depth = 0
  for (let at = script; at; at = at.script) depth++
  return depth
}

/** The same, in another directory. */
export function shellIn(directory: string, state: State): State {
  const inner = ownShell(state, new Map())
  return { ...inner, cwd: directory, standing: standIn([directory]), positional: [] }
}

/**
 * What cannot be read in a script on disk is the business of the program that it is, as with every other program: only
 * reaching a limit is a doubt.
 */
export function walkFollowed(script: Stream, state: State, call: Call, label: string): void {
  const { run, seen } = call
  if (!seen) return
  const trace = newTrace()
  const inner: Run = {
    ...{ ...run, trace, script: seen, inside: [...run.inside, label] },
    ...{ findings: [], reading: { commands: [], certain: true, more: false } },
  }
  const read = spendWithin(run, MOST_SCRIPT_STEPS, (budget) =>
    run.walker.script(script, state, { ...inner, budget }, { ...call.wiring, stdin: undefined }),
  )
  if (!read) doubt(run, LONG_SCRIPT)
  for (const each of trace.seen) run.trace.seen.push(each)
  run.trace.guesses.push(...trace.guesses)
  run.findings.push(
    ...inner.findings.filter(({ verdict, category }) => verdict === 'destructive' && category !== 'limit'),
  )
  if (inner.findings.some(({ category }) => category === 'limit')) doubt(run, LONG_SCRIPT)
}

const LONG_SCRIPT = 'It runs a script that is too long to be read.'
