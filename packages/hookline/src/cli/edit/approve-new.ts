import type { ConfigFile } from '../../config/index.ts'
import type { Hook } from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { loadHooks } from '../../hooks/index.ts'
import { type Inspection, openTrust, placeOf } from '../../trust/index.ts'
import { imagined } from '../inspect-hooks.ts'

/** Hooks of this file that nobody has approved yet, as they are now. */
export async function unapproved(
  target: ConfigFile,
  cwd: string,
  isMeant: (hook: Hook) => boolean,
): Promise<Inspection[]> {
  const trust = openTrust()
  const { hooks, executors } = await loadHooks({ files: [target], strict: false })
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  const inspections: Inspection[] = []
  for (const hook of hooks.filter(isMeant))
    inspections.push(
      trust.inspect(
        hook,
        placeOf(hook, imagined(hook, cwd), await loadDialect(hook.dialect), executors[hook.run.type]),
      ),
    )
  return inspections.filter(({ state }) => state === 'not-approved' || state === 'changed')
}

export const approveNow = (inspections: readonly Inspection[]): Promise<void> => openTrust().approve(inspections)
