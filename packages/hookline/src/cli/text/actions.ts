import type { Action, Actions } from '../../rules/index.ts'
import { printable } from './inspection.ts'
import { columns } from './layout.ts'
import type { Paint } from './paint.ts'

/** What a call would do, one line each. A command that only runs others is shown by what it runs. */
export function actionLines({ actions, complete, doubt }: Actions, paint: Paint, width: number): string[] {
  const shown = actions.filter((action) => action.kind !== 'run' || !action.wraps)
  const rows = shown.map((action) => [action.kind, printable(action.shown), paint.dim(printable(remarkOn(action)))])
  const nothing = rows.length === 0 && complete ? ['nothing that is known'] : []
  const more = complete ? [] : [paint.yellow(printable(`! There may be more: ${doubt}`))]
  return [...nothing, ...columns(rows, width), ...more]
}

export function remarkOn(action: Action): string {
  const remarks = [...action.inside].reverse().map((each) => `inside ${each}`)
  if (action.kind === 'run' && action.branches)
    remarks.unshift(action.branches.length === 0 ? 'no branch' : `branch ${action.branches.map(showBranch).join(', ')}`)
  if (action.kind === 'fetch' && action.sends) remarks.unshift('sends data')
  if ('recursive' in action && action.recursive) remarks.unshift('and all below')
  return remarks.length === 0 ? '' : `(${remarks.join(', ')})`
}

const showBranch = ({ parts }: { parts: readonly string[] }): string => parts.join('…')
