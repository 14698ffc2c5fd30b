import * as z from 'zod/mini'
import { type Code, effects, eventNames, failureKinds, problems, type SkipReason, skipReasons } from '../core/index.ts'

const described = <S extends z.ZodMiniType>(schema: S, doc: string): S => schema.check(z.describe(doc)) as S

const report = z.strictObject({
  hook: described(z.string(), 'The id of the hook.'),
  asked: z.boolean(),
  why: z.optional(described(z.enum(Object.keys(skipReasons) as SkipReason[]), 'Why it was not asked.')),
  detail: z.optional(described(z.string(), 'The reason it was skipped or failed, in words.')),
  outcome: z.optional(z.enum(['no-opinion', 'allow', 'ask', 'deny', 'halt', 'failure'])),
  failure: z.optional(described(z.enum(failureKinds), 'How it failed.')),
  shadow: z.optional(described(z.literal(true), 'It ran in shadow mode: what it said did not count.')),
  background: z.optional(described(z.literal(true), 'Nobody waited for it.')),
  duration_ms: z.optional(z.number()),
})

/** The stable shape in which a verdict is printed for scripts: every key is there, always. */
export const verdictSchema = z.strictObject({
  event: z.enum(eventNames),
  decision: described(z.nullable(effects.decision.schema), effects.decision.doc),
  halt: described(z.nullable(effects.halt.schema), effects.halt.doc),
  context: described(effects.context.schema, effects.context.doc),
  rewrite: described(
    z.nullable(z.strictObject({ field: z.string(), value: z.unknown() })),
    'The field of the payload that changed, and its whole final value.',
  ),
  messages: described(effects.message.schema, effects.message.doc),
  metadata: described(effects.metadata.schema, effects.metadata.doc),
  reports: described(z.array(report), 'What became of each hook of the event, in config order.'),
  notes: z.array(z.strictObject({ code: z.enum(Object.keys(problems) as Code[]), message: z.string() })),
})
