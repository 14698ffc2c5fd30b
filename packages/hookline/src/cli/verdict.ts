import * as z from 'zod/mini'
import {
  type Code,
  described,
  effectNames,
  effectRow,
  eventNames,
  failureKinds,
  problems,
  type SkipReason,
  skipReasons,
} from '../core/index.ts'

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
  ...effectOutputs(),
  reports: described(z.array(report), 'What became of each hook of the event, in config order.'),
  notes: z.array(z.strictObject({ code: z.enum(Object.keys(problems) as Code[]), message: z.string() })),
})

function effectOutputs(): Record<string, z.ZodMiniType> {
  const outputs = effectNames.map((name) => {
    const { doc, output } = effectRow(name)
    const schema = output.schema as z.ZodMiniType
    return [output.key, z.globalRegistry.get(schema) ? schema : described(schema, doc)] as const
  })
  return Object.fromEntries(outputs)
}
