import { resolve } from 'node:path'
import { changeRule, describeRule, draftRule } from 'hookline/internal'
import { ruleLine } from 'hookline/internal/server'
import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { type Call, route } from '../http/route.ts'
import { difference } from '../replay/index.ts'
import { changeShape, compare, loosens, type Planned, plan } from '../rules/index.ts'

const text = z.string().check(z.maxLength(4_096))

export const previewRule = route({
  method: 'post',
  path: '/api/rules/preview',
  summary:
    'What a rule would change, before it is saved: checked, in words, and tried on what happened in the last week.',
  needs: 'viewer',
  unaudited: 'Nothing is changed.',
  body: changeShape,
  answer: z.object({
    sentence: z.nullable(z.string()),
    file: z.string(),
    before: z.string(),
    after: z.string(),
    needs_person: z.boolean(),
    replayed: z.int(),
    counts: z.record(z.string(), z.int()),
    changes: z.array(difference),
  }),
  async handle({ body, world }) {
    const planned = await plan(world, body)
    const draft = await draftRule(planned.target, planned.change)
    const { replayed, counts, changes } = await compare(world, planned, draft)
    return {
      ...{ sentence: draft.rule ? describeRule(draft.rule) : null, file: resolve(planned.target.file) },
      ...{ before: draft.before, after: draft.after, needs_person: loosens(planned.change) },
      ...{ replayed, counts, changes: changes.slice(0, 50) },
    }
  },
})

export const saveRule = route({
  method: 'post',
  path: '/api/rules',
  summary:
    'Adds a rule, or puts it in the place of another (`replaces`); everything else in the file stays, comments included. What may loosen needs proof of a person.',
  needs: 'admin',
  body: changeShape,
  answer: z.object({ id: z.nullable(z.string()), file: z.string() }),
  async handle({ body, who, world, recordChange }) {
    if (body.rule === undefined) throw refuse(400, 'request-invalid', { detail: '`rule` is missing' })
    return save(await plan(world, body), { who, world, recordChange })
  },
})

export const removeRule = route({
  method: 'post',
  path: '/api/rules/remove',
  summary: 'Takes a rule (`replaces`) out of its file; everything else in it stays.',
  needs: 'admin',
  person: true,
  body: z.object({ project: z.optional(text), file: text, replaces: text }),
  answer: z.object({ id: z.nullable(z.string()), file: z.string() }),
  handle: async ({ body, ...by }) => save(await plan(by.world, body), by),
})

type By = Pick<Call<undefined, undefined, undefined>, 'who' | 'world' | 'recordChange'>

async function save({ project, target, change }: Planned, { who, world, recordChange }: By) {
  if (loosens(change)) world.proofs.need(who)
  const { rule } = await changeRule(target, change, project)
  const id = rule?.id ?? ('remove' in change ? change.remove : null)
  const what = 'remove' in change ? 'removed' : 'replace' in change ? 'changed' : 'added'
  const file = resolve(target.file)
  await recordChange(`${what} the rule ${id}`, { file, ...(rule && { rule: ruleLine(rule) }) })
  await world.hub.publish('rules.changed', { file })
  return { id, file }
}
