import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'
import { parseConfig } from '../../config/index.ts'
import { formatPath, HooklineError } from '../../core/index.ts'
import { type FleetSettings, partsOf, wrong } from '../../fleet/publish/index.ts'

const modes = z.enum(['enforce', 'shadow'])
const stale = z.enum(['keep', 'block'])
const days = z.number().check(z.positive(), z.maximum(3_660))

const shape = z.strictObject({
  version: z.literal(1),
  mode: z._default(modes, 'enforce'),
  on_stale: z._default(stale, 'keep'),
  expires: z._default(
    z.strictObject({ root: z._default(days, 365), policy: z._default(days, 365), freshness: z._default(days, 7) }),
    { root: 365, policy: 365, freshness: 7 },
  ),
  groups: z._default(
    z.record(z.string(), z.strictObject({ mode: z.optional(modes), on_stale: z.optional(stale) })),
    {},
  ),
})

/** What fleet.yaml says. */
export async function readFleetSettings(directory: string): Promise<FleetSettings> {
  const { settings: file } = partsOf(directory)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw wrong(`There is no policy in ${directory}.`, 'Make one: `hookline policy init --dir <directory>`.')
  }
  const parsed = await parseConfig(text, file, 'native')
  if (!parsed.ok) throw new HooklineError(parsed.problem)
  const read = shape.safeParse(parsed.document)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = formatPath((issue?.path ?? []) as (string | number)[])
  throw wrong(
    `${file}: \`${path || 'it'}\` is wrong: ${issue?.message ?? ''}.`,
    'It takes `version: 1`, `mode` (enforce, shadow), `on_stale` (keep, block), `expires` (root, policy, freshness; in days) and `groups`.',
  )
}

export const firstSettings = `# Signed with the policy: what holds for the whole fleet.
version: 1
# enforce, or shadow: nothing is blocked, and reports show what would have been. The switch for the whole fleet.
mode: shadow
# What machines do with a policy that was not renewed in time: keep it, or block everything.
on_stale: keep
# In days: how long each signature is good. Freshness is renewed by the online key.
expires: { root: 365, policy: 365, freshness: 7 }
# A group with a directory of its own has that policy; all others have the one in default/.
groups: {}
`

export const firstPolicy = `# The policy of every machine whose group has none of its own. Scripts lie beside it: "$HOOKLINE_POLICY/scripts/check.sh".
version: 1
use: [security]

rules:
  - id: no-force
    deny: { run: git push --force }
    because: Force pushes are off limits here.
    instead: Use git push --force-with-lease.
`
