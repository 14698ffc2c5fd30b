import { shortened } from '../config/index.ts'
import { type Hook, type Note, note, wholes } from '../core/index.ts'
import { loadDialect } from '../dialects/index.ts'
import { type Hooks, isStandIn } from '../hooks/index.ts'
import { callerDirectory } from '../platform/index.ts'
import { quoteWord } from '../shell/index.ts'
import { type Approver, type Inspection, mayNeedApproval, placeOf } from '../trust/index.ts'
import { imagined } from './inspect-hooks.ts'
import { isWaiting } from './text/inspection.ts'

/** The hooks that a person could approve and that do not count as they are until then. Nothing runs. */
export async function waitingHooks(approver: Approver, hooks: Hooks, cwd: string): Promise<Inspection[]> {
  const candidates = wholes(hooks.hooks).filter((hook) => mayWait(hook, hooks))
  const places = await Promise.all(
    candidates.map(async (hook) => {
      const dialect = await loadDialect(hook.dialect)
      return { hook, place: placeOf(hook, imagined(hook, cwd), dialect, hooks.executorOf(hook)) }
    }),
  )
  return approver.inspectAll(places).filter((each) => isWaiting(each) || each.state === 'refused')
}

const mayWait = (hook: Hook, hooks: Hooks): boolean =>
  hook.enabled && !isStandIn(hook) && mayNeedApproval(hook, hooks.executorOf(hook))

/** One sentence about all of them, with the one command that shows them and asks; it names files that are not found by themselves. */
export function waitingNote(waiting: readonly Inspection[], namesFiles: boolean): Note {
  const ids = waiting.map(({ hook }) => hook.id)
  const shown = ids.length > mostIds ? [...ids.slice(0, mostIds), `and ${ids.length - mostIds} more`] : ids
  const files = new Set(waiting.map(({ hook }) => shortened(hook.origin.where?.file ?? '', callerDirectory())))
  const named = namesFiles ? [...files].map((file) => ` --config ${quoteWord(file)}`) : []
  return note('hooks-wait', { ids: shown.join(', '), command: `hookline approve${named.join('')}` })
}

const mostIds = 5
