import { configured, projectAt, type RuleDraft } from 'hookline/internal'
import { calledIn } from '../called-in.ts'
import { compareConfigs, withText } from '../replay/index.ts'
import type { World } from '../world.ts'
import type { Planned } from './plan.ts'

const weekMs = 7 * 86_400_000
/** So many of the last calls are tried: enough for a week of most, and an answer within seconds. */
const mostReplayed = 2_000

/** What the config would decide otherwise with the rule than without it. */
export async function compare(world: World, { project, target }: Planned, { after }: RuleDraft) {
  const { files } = await configured(calledIn(project), [], { quiet: true, mayBeNone: true })
  const within = target.layer === 'user' ? {} : { within: projectAt(project) }
  return compareConfigs(world, {
    ...{ project, current: files, limit: mostReplayed },
    candidate: withText(files, target, after),
    filter: { since: new Date(Date.now() - weekMs), event: 'pre_tool_use', ...within },
  })
}
