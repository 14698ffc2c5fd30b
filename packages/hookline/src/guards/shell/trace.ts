/** Writes down what the walk meets; see seen.ts. */
import type { Guess, Seen, SeenCommand, SeenFile, Trace } from './seen.ts'
import type { Field } from './text.ts'
import type { Call, Run, State } from './types.ts'

type Where = Pick<Seen, 'cwd' | 'also' | 'mounts' | 'ways' | 'script' | 'inside' | 'elsewhere'>

export const newTrace = (): Trace => ({ seen: [], doubts: [], set: [], guesses: [] })

export function seeCommand(
  words: readonly Field[],
  run: Run,
  state: State,
  how: { assigned?: readonly string[]; redirected?: boolean; background: boolean },
): SeenCommand {
  const { assigned = [], redirected = false, background } = how
  const seen: SeenCommand = {
    kind: 'command',
    words,
    ...where(run, state),
    ...{ assigned, redirected, background },
    wraps: false,
  }
  run.trace.seen.push(seen)
  return seen
}

type Doer = Pick<Call, 'run' | 'state' | 'seen'>

export function seeFile(
  word: Field,
  access: SeenFile['access'],
  { run, state, seen }: Doer,
  { recursive = false, loses }: { recursive?: boolean; loses?: SeenFile['loses'] } = {},
): void {
  run.trace.seen.push({ kind: 'file', word, access, recursive, loses, ...where(run, state), by: seen })
}

export function seeHost(url: Field, sends: boolean, { run, state, seen }: Doer): void {
  run.trace.seen.push({ kind: 'host', url, sends, ...where(run, state), by: seen })
}

export function doubt(run: Run, why: string): void {
  if (!run.trace.doubts.includes(why)) run.trace.doubts.push(why)
}

/** The run of what stands inside another command. */
export function within(run: Run, label: string, elsewhere = false): Run {
  return { ...run, inside: [...run.inside, label], elsewhere: run.elsewhere || elsewhere }
}

/** Walks what is only declared: it counts unless it is called, with arguments that are known then. */
export function guessing(run: Run, walk: (run: Run) => void): Guess {
  const guess: Guess = { trace: newTrace(), called: false }
  run.trace.guesses.push(guess)
  walk({ ...run, trace: guess.trace, guessing: true })
  return guess
}

/** The whole of a trace, once the walk is over. */
export function settleTrace(trace: Trace): Trace {
  const open = trace.guesses.filter(({ called }) => !called).map((guess) => settleTrace(guess.trace))
  return {
    seen: [...trace.seen, ...open.flatMap(({ seen }) => seen)],
    doubts: [...new Set([...trace.doubts, ...open.flatMap(({ doubts }) => doubts)])],
    set: [...trace.set, ...open.flatMap(({ set }) => set)],
    guesses: [],
  }
}

function where({ inside, elsewhere, mounts, script }: Run, { standing, ways }: State): Where {
  const [cwd, ...also] = standing.now
  return {
    ...{ cwd, inside, elsewhere },
    ...(also.length > 0 ? { also } : {}),
    ...(mounts ? { mounts } : {}),
    ...(ways.length > 0 ? { ways } : {}),
    ...(script ? { script } : {}),
  }
}
