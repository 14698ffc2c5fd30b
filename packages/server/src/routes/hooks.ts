import { resolve } from 'node:path'
import {
  configured,
  describeMatcher,
  describeRule,
  formatWhere,
  type Hook,
  inspectHooks,
  isWaiting,
  openTrust,
  placedRules,
  type RuleEntry,
  rulingOfEntry,
} from 'hookline/internal'
import { ruleLine } from 'hookline/internal/server'
import * as z from 'zod/mini'
import { calledIn } from '../called-in.ts'
import { runsOfHooks } from '../decisions/index.ts'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { editableIn, projectFrom, projectsOf } from '../projects.ts'
import { proofStates } from '../proved/index.ts'

const text = z.string().check(z.maxLength(4_096))
const weekMs = 7 * 86_400_000

export const listProjects = route({
  method: 'get',
  path: '/api/projects',
  summary: 'The projects in which agents have worked, the latest first; where the server was started is one.',
  needs: 'viewer',
  answer: z.object({ projects: z.array(z.string()) }),
  handle: async ({ world }) => ({ projects: await projectsOf(world) }),
})

const counted = {
  runs: z.int(),
  denied: z.int(),
  failures: z.int(),
  failed_open: z.int(),
  last: z.nullable(z.string()),
  /** How long it took, in half of its runs and in all but one of a hundred. */
  duration_ms: z.object({ p50: z.nullable(z.number()), p99: z.nullable(z.number()) }),
}

/** What became of it when it was last tried on its canary; null: not tried, or changed since. */
const proof = z.nullable(z.object({ state: z.enum(proofStates), summary: z.string(), at: z.string() }))

const hookShape = z.object({
  id: z.string(),
  layer: z.string(),
  file: z.nullable(z.string()),
  line: z.nullable(z.int()),
  event: z.string(),
  matcher: z.string(),
  type: z.string(),
  mode: z.string(),
  enabled: z.boolean(),
  trust: z.string(),
  waits: z.boolean(),
  health: z.enum(['ok', 'failing', 'failed-open', 'waiting', 'off', 'quiet']),
  digest: z.string(),
  changes: z.array(z.string()),
  warnings: z.array(z.string()),
  refused: z.array(z.string()),
  approved_at: z.nullable(z.string()),
  proof,
  ...counted,
})

const ruleShape = z.object({
  id: z.string(),
  ruling: z.enum(['allow', 'ask', 'deny']),
  sentence: z.string(),
  text: z.string(),
  because: z.nullable(z.string()),
  layer: z.string(),
  file: z.nullable(z.string()),
  line: z.nullable(z.int()),
  editable: z.boolean(),
  proof,
  matches: z.int(),
  last: z.nullable(z.string()),
})

export const listHooks = route({
  method: 'get',
  path: '/api/hooks',
  summary:
    'Every hook and rule that counts in a project: its layer, whether it is approved, how often it ran, decided and failed in the last week.',
  needs: 'viewer',
  query: z.object({ project: z.optional(text) }),
  answer: z.object({
    project: z.string(),
    hooks: z.array(hookShape),
    rules: z.array(ruleShape),
    notes: z.array(
      z.object({ code: z.string(), message: z.string(), remedy: z.string(), place: z.nullable(z.string()) }),
    ),
  }),
  async handle({ query, world }) {
    const project = await projectFrom(world, query.project)
    const { files } = await configured(calledIn(project), [], { quiet: true, mayBeNone: true })
    if (files.length === 0) return { project, hooks: [], rules: [], notes: [] }
    const { inspections, notes } = await inspectHooks(openTrust(), calledIn(project), { strict: false, cached: true })
    const since = Date.now() - weekMs
    const ofHook = await runsOfHooks(world.sql.aside, since)
    const matches = await world.sql.aside.all<{ rule: string; matches: number; last: number }>(
      'select rule, count(*) as matches, max(time) as last from rule_matches where time >= $1 group by rule',
      [since],
    )
    const ofRule = new Map(matches.map((row) => [row.rule, row]))
    const editable = await editableIn(project)
    const proved = await world.proving.of(project)
    return {
      project,
      hooks: inspections.map((each) => {
        const { hook, state, digest, pinned, changes, approval, earlier } = each
        const { runs = 0, denied = 0, failures = 0, failed_open = 0, last, duration_ms } = ofHook.get(hook.id) ?? {}
        return {
          ...{ id: hook.id, layer: hook.origin.layer, event: hook.event, type: hook.run.type, mode: hook.mode },
          ...placeOf(hook.origin.where, project),
          ...{
            matcher: describeMatcher(hook.matcher),
            enabled: hook.enabled,
            trust: state,
            waits: isWaiting(each),
            health: healthOf(hook.enabled, isWaiting(each), { runs, failures, failed_open }),
            digest,
          },
          ...{
            changes: [...(changes ?? [])].map(String),
            warnings: [...pinned.warnings],
            refused: [...pinned.refused],
          },
          ...{
            approved_at: (approval ?? earlier)?.at ?? null,
            proof: proved.hook(hook.id, hook.event, digest),
            runs,
            denied,
            failures,
            failed_open,
            last: timeOf(last),
            duration_ms: duration_ms ?? { p50: null, p99: null },
          },
        }
      }),
      rules: placedRules(inspections.map(({ hook }) => hook)).map(({ rule, where, key }) => ({
        ...{ id: rule.id, ruling: rulingOfEntry(rule), sentence: describeRule(rule), text: writtenOut(rule) },
        ...{ because: rule.because ?? null, layer: key.split(' ', 1)[0]!, ...placeOf(where, project) },
        editable:
          where !== undefined && editable.some(({ file }) => file === resolve(where.file)) && !rule.id.includes(':'),
        proof: proved.rule(rule, where ? formatWhere(where) : null),
        ...{ matches: ofRule.get(rule.id)?.matches ?? 0, last: timeOf(ofRule.get(rule.id)?.last) },
      })),
      notes: notes.map(({ code, message, remedy, where }) => ({
        ...{
          code,
          message,
          remedy,
          place: where ? `${where.file}${where.line === undefined ? '' : `:${where.line}`}` : null,
        },
      })),
    }
  },
})

/** What to know first. `quiet`: it has not run in the last week. */
function healthOf(enabled: boolean, waits: boolean, counts: { runs: number; failures: number; failed_open: number }) {
  if (!enabled) return 'off' as const
  if (waits) return 'waiting' as const
  if (counts.failed_open > 0) return 'failed-open' as const
  if (counts.failures > 0) return 'failing' as const
  return counts.runs === 0 ? ('quiet' as const) : ('ok' as const)
}

/** As it would stand in a file, a key on each line. */
const writtenOut = (rule: RuleEntry): string =>
  Object.entries(rule)
    .map(([key, value]) => (key === 'id' ? `id: ${JSON.stringify(value)}` : ruleLine({ [key]: value })))
    .join('\n')

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())
const placeOf = (where: Hook['origin']['where'], _project: string) => ({
  file: where ? resolve(where.file) : null,
  line: where?.line ?? null,
})

export const proveHooks = route({
  method: 'post',
  path: '/api/hooks/prove',
  summary:
    'Tries every hook and rule of a project on what it is there for: a guard must block its canary. Hooks that are approved run on made-up events, in a copy of the project.',
  needs: 'admin',
  body: z.strictObject({ project: z.optional(text) }),
  answer: nothing,
  async handle({ body, world, recordChange }) {
    const project = await projectFrom(world, body.project)
    await world.proving.prove(project)
    await recordChange('tried every guard', { project })
    await world.hub.publish('rules.changed', { project })
    return { ok: true as const }
  },
})

const oneHook = z.object({ project: z.optional(text), id: text, digest: text })

export const approveHook = route({
  method: 'post',
  path: '/api/hooks/approve',
  summary:
    'Approves a hook exactly as it was shown (`digest`): after any change it does not run until it is approved again.',
  needs: 'admin',
  person: true,
  body: oneHook,
  answer: nothing,
  async handle({ body, world, recordChange }) {
    const project = await projectFrom(world, body.project)
    const trust = openTrust()
    const { inspections } = await inspectHooks(trust, calledIn(project), { strict: false, cached: false })
    const found = inspections.find(({ hook, digest }) => hook.id === body.id && digest === body.digest)
    if (!found)
      throw refuse(409, 'request-conflict', {
        detail: 'The hook is not as it was shown: it has changed meanwhile, or is gone.',
      })
    await trust.approve([found], inspections)
    await recordChange(`approved the hook ${body.id}`, { digest: body.digest })
    await world.hub.publish('rules.changed', { project })
    return { ok: true as const }
  },
})

export const revokeHook = route({
  method: 'post',
  path: '/api/hooks/revoke',
  summary: 'Takes the approval of a hook back: it no longer runs.',
  needs: 'admin',
  person: true,
  body: z.object({ project: z.optional(text), id: text, file: z.optional(text) }),
  answer: nothing,
  async handle({ body, world, recordChange }) {
    const revoked = await openTrust().revoke({ ids: [body.id], ...(body.file !== undefined && { files: [body.file] }) })
    if (revoked.length === 0) throw refuse(404, 'request-not-found', { what: 'approval of this hook' })
    await recordChange(`revoked the approval of ${body.id}`)
    await world.hub.publish('rules.changed', { project: body.project ?? world.cwd })
    return { ok: true as const }
  },
})
