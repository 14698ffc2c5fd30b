/** What runs only if something went as it wants: lists with `&&` and `||`, `if`, `case`. */
import type { AndOr, CompoundCommand, CompoundList } from '../../shell/syntax/index.ts'
import { goOn, perhaps, standIn, unite } from './directories.ts'
import { joinOutputs } from './forked.ts'
import type { Directories } from './seen.ts'
import type { Stream } from './text.ts'
import type { Shell, Wiring } from './types.ts'

/** Each runs only if those before it went as it wants. */
export function walkAndOr(node: AndOr, shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outputs: Stream[] = []
  for (const [index, each] of node.commands.entries()) {
    const operator = index === 0 ? undefined : node.operators[index - 1]
    if (operator === undefined) {
      outputs.push(shell.run.walker.node(each, shell, wiring))
      continue
    }
    const { ifDone, ifFailed } = state.standing
    const certain = operator === '&&' ? ifFailed.length === 0 : ifDone.length === 0
    if (certain) {
      goOn(state)
      outputs.push(shell.run.walker.node(each, shell, wiring))
      continue
    }
    const after = perhaps(
      state,
      operator === '&&' ? ifDone : ifFailed,
      () => outputs.push(shell.run.walker.node(each, shell, wiring)),
      shell.run,
    )
    const done = operator === '&&' ? after.ifDone : unite(ifDone, after.ifDone)
    const failed = operator === '&&' ? unite(ifFailed, after.ifFailed) : after.ifFailed
    state.standing = { now: state.standing.now, ifDone: done, ifFailed: failed }
  }
  return joinOutputs(outputs, shell.run)
}

export function walkIf(node: CompoundCommand & { type: 'If' }, shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outputs: Stream[] = []
  const ends: Directories[] = []
  const arms = [node, ...node.elif]
  for (const [index, { clause, then }] of arms.entries()) {
    // The first clause always runs, the others only where those before them failed.
    if (index === 0) outputs.push(shell.run.walker.node(clause, shell, wiring))
    else
      state.standing = perhaps(
        state,
        state.standing.ifFailed,
        () => outputs.push(shell.run.walker.node(clause, shell, wiring)),
        shell.run,
      )
    const { ifDone, ifFailed, now } = state.standing
    const after = perhaps(state, ifDone, () => outputs.push(shell.run.walker.node(then, shell, wiring)), shell.run)
    ends.push(after.ifDone, after.ifFailed)
    state.standing = { now, ifDone: [], ifFailed }
  }
  const { now, ifFailed } = state.standing
  if (node.else) {
    const body = node.else
    const after = perhaps(state, ifFailed, () => outputs.push(shell.run.walker.node(body, shell, wiring)), shell.run)
    ends.push(after.ifDone, after.ifFailed)
  } else ends.push(ifFailed)
  const all = unite(...ends)
  state.standing = all.length > 0 ? standIn(all) : { now, ifDone: [], ifFailed: [] }
  return joinOutputs(outputs, shell.run)
}

/** One of them runs, or none. */
export function walkChoices(bodies: readonly CompoundList[], shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outputs: Stream[] = []
  goOn(state)
  const ends: Directories[] = [state.standing.now]
  for (const body of bodies) {
    const after = perhaps(
      state,
      state.standing.now,
      () => outputs.push(shell.run.walker.node(body, shell, wiring)),
      shell.run,
    )
    ends.push(after.ifDone, after.ifFailed)
  }
  state.standing = standIn(unite(...ends))
  return joinOutputs(outputs, shell.run)
}
