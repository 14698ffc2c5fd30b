/** Shells inside a shell: what they start with, what of them stays, and what several of them print. */
import { spend, spendOnText } from './budget.ts'
import { clip, mixTaints, type Stream, stream, UNTAINTED } from './text.ts'
import type { Run, Shell, State } from './types.ts'

export function fork(state: State, run: Run): State {
  const { variables, functions, aliases, files, links } = state
  spend(run, 2 + ((variables.size + functions.size + aliases.size + files.size + links.size) >> 2))
  return {
    ...state,
    variables: new Map(variables),
    others: new Map(state.others),
    functions: new Map(functions),
    aliases: new Map(aliases),
    files: new Map(files),
    links: new Map(links),
  }
}

/** What an inner shell writes stays. */
export function keepFiles(inner: State, { state, run }: Shell): void {
  spend(run, inner.files.size >> 2)
  for (const [path, content] of inner.files) state.files.set(path, content)
  if (inner.ways.length > 0) state.ways = inner.ways
}

export function joinOutputs(outputs: readonly Stream[], run: Run): Stream {
  const present = outputs.filter((output) => output.text !== '' || output.taints.length > 0)
  if (present.length <= 1) return present[0] ?? { text: '', taints: UNTAINTED }
  spendOnText(
    run,
    present.reduce((sum, { text }) => sum + text.length, 0),
  )
  const text = present.map((output) => output.text).join('')
  return stream(clip(text), mixTaints(...present.map((output) => output.taints)))
}
