import { resolve } from 'node:path'
import {
  configTarget,
  isRecord,
  parseConfig,
  type RuleChange,
  type RuleEntry,
  ruleIdOf,
  rulingOfEntry,
  type Target,
} from 'hookline/internal'
import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { editableIn, projectFrom } from '../projects.ts'
import type { World } from '../world.ts'

const text = z.string().check(z.maxLength(4_096))
const layers = ['user', 'project', 'local'] as const

/** What is to be changed, in which file. `rule` is one entry of `rules:`, as YAML or JSON. */
export const changeShape = z.object({
  project: z.optional(text),
  /** Where a new rule goes. */
  layer: z.optional(z.enum(layers)),
  /** The file of the rule that is replaced or removed, as the list has it. */
  file: z.optional(text),
  rule: z.optional(z.string().check(z.maxLength(20_000))),
  replaces: z.optional(text),
})
type Wanted = z.infer<typeof changeShape>

export interface Planned {
  project: string
  target: Target
  change: RuleChange
}

export async function plan(
  world: World,
  { project: named, layer = 'project', file, rule: written, replaces }: Wanted,
): Promise<Planned> {
  const project = await projectFrom(world, named)
  if (file !== undefined && !(await editableIn(project)).some((each) => each.file === resolve(file)))
    throw refuse(404, 'request-not-found', { what: 'such config file' })
  const place = file === undefined ? (layer === 'project' ? {} : { [layer]: true }) : { config: file }
  const target = configTarget({ cwd: project, ...place })
  if (written === undefined) {
    if (replaces === undefined) throw refuse(400, 'request-invalid', { detail: '`rule` is missing' })
    return { project, target, change: { remove: replaces } }
  }
  const rule = await readRule(written)
  return { project, target, change: replaces === undefined ? { add: withName(rule) } : { replace: replaces, by: rule } }
}

/** A rule without a name gets one that says what it is about. */
const withName = (rule: RuleEntry): RuleEntry => {
  const ruling = rulingOfEntry(rule)
  return rule.id === undefined ? { id: ruleIdOf(ruling, rule[ruling] ?? {}), ...rule } : rule
}

/** One entry, with or without the dash of a list. */
async function readRule(written: string): Promise<RuleEntry> {
  const parsed = await parseConfig(written, 'the rule.yaml')
  if (!parsed.ok) throw refuse(422, 'request-invalid', { detail: parsed.problem.message })
  const entry = Array.isArray(parsed.document) && parsed.document.length === 1 ? parsed.document[0] : parsed.document
  if (!isRecord(entry))
    throw refuse(422, 'request-invalid', { detail: 'a rule is one object, such as `deny: { run: git push --force }`' })
  return entry as RuleEntry
}

/** Adding what denies or asks only tightens. Anything else may loosen, and needs a person. */
export const loosens = (change: RuleChange): boolean =>
  !('add' in change) || change.add.allow !== undefined || change.add.except !== undefined
