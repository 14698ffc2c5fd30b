import * as z from 'zod/mini'
import { fieldTable } from '../../config/document.ts'
import { eventNames } from '../../core/index.ts'
import { toJsonSchema } from '../../core/json-schema.ts'
import { dialectNames } from '../../dialects/index.ts'
import { installable } from '../../hosts/index.ts'

/** The shape of a file of cases. Reading, the JSON Schema for editors and docs/testing.md come from here. */
const described = <S extends z.ZodMiniType>(schema: S, description: string): S =>
  schema.check(z.describe(description)) as S
const text = (description: string) => described(z.string().check(z.minLength(1)), description)
const some = <S extends z.ZodMiniType>(one: S, description: string) =>
  described(z.union([one, z.array(one)]), description)

const found = z.string().check(z.minLength(1))
const ids = (description: string) => some(z.string().check(z.minLength(1)), description)

/** Written out, like the next: see `caseShapes`. */
export interface Given {
  event?: string | undefined
  tool?: string | undefined
  command?: string | undefined
  input?: Record<string, unknown> | undefined
  prompt?: string | undefined
  payload?: Record<string, unknown> | undefined
  dialect?: (typeof dialectNames)[number] | undefined
  host?: (typeof installable)[number] | undefined
}

export interface Expectation {
  decision?: 'allow' | 'ask' | 'deny' | 'none' | undefined
  rule?: string | string[] | undefined
  reason?: string | undefined
  halt?: boolean | string | undefined
  rewrite?: unknown
  context?: string | string[] | undefined
  message?: string | string[] | undefined
  metadata?: Record<string, string> | undefined
  asked?: string | string[] | undefined
  not_asked?: string | string[] | undefined
  failed?: string | string[] | undefined
}

export const given = described(
  z.strictObject({
    event: z.optional(
      text('The event, in any spelling. Left out: `pre_tool_use` for a `tool`, `user_prompt_submit` for a `prompt`.'),
    ),
    tool: z.optional(text('A call of this tool.')),
    command: z.optional(described(z.string(), 'Its argument `command`.')),
    input: z.optional(described(z.record(z.string(), z.unknown()), 'Its arguments.')),
    prompt: z.optional(described(z.string(), 'What the user wrote.')),
    payload: z.optional(
      described(
        z.record(z.string(), z.unknown()),
        'Further fields of the payload, or all of them; docs/events.md lists them.',
      ),
    ),
    dialect: z.optional(described(z.enum(dialectNames), 'Whose `payload` it is, in the shape that this system sends.')),
    host: z.optional(
      described(
        z.enum(installable),
        'The agent that does it: a short form becomes a call of its own tool, a `payload` is as it sends it.',
      ),
    ),
  }),
  'What happens: a short form, or an event and its payload.',
) satisfies z.ZodMiniType<Given>

export const expectation = described(
  z.strictObject({
    decision: z.optional(
      described(z.enum(['allow', 'ask', 'deny', 'none']), 'The decision; `none` when no hook decided.'),
    ),
    rule: z.optional(ids('Rules that decided; `none` when no rule did.')),
    reason: z.optional(
      described(
        found,
        'Found in the reason of the decision, or of the halt, or in what the person reads of it; or a regex, as `/…/`.',
      ),
    ),
    halt: z.optional(
      described(
        z.union([z.boolean(), found]),
        'Whether the run ends; or a text found in the reason, or a regex as `/…/`.',
      ),
    ),
    rewrite: z.optional(
      described(
        z.unknown(),
        'The rewritten value: of an object the keys that count, of a text what is found in it, or a regex as `/…/`; `none` when nothing was rewritten.',
      ),
    ),
    context: z.optional(
      some(found, 'Texts found in what the model reads, or regexes as `/…/`; `none` when nothing is.'),
    ),
    message: z.optional(
      some(found, 'Texts found in what the user reads, or regexes as `/…/`; `none` when nothing is.'),
    ),
    metadata: z.optional(described(z.record(z.string(), z.string()), 'Annotations that are there.')),
    asked: z.optional(ids('Hooks that ran.')),
    not_asked: z.optional(ids('Hooks that did not run.')),
    failed: z.optional(ids('Hooks that failed. Any other hook that fails makes the case fail.')),
  }),
  'What comes of it. What is left out may be anything, but no hook may fail.',
) satisfies z.ZodMiniType<Expectation>

/** For the server, which knows its own zod: declarations of ours carry none of zod's. */
export const caseShapes: { given: unknown; expectation: unknown } = { given, expectation }

const times = described(
  z.int().check(z.positive()),
  'How often it happens in a row; what is expected is expected of the last time.',
)

const step = z.strictObject({ given, times: z.optional(times), expect: z.optional(expectation) })

const oneCase = described(
  z.strictObject({
    name: text('What must hold, in a few words.'),
    given: z.optional(given),
    times: z.optional(times),
    expect: z.optional(expectation),
    steps: z.optional(
      described(
        z.array(step).check(z.minLength(1)),
        'Several events one after the other, in one session, instead of `given` and `expect`.',
      ),
    ),
  }),
  'One case: `given` and `expect`, or several `steps` of these.',
)

export const caseFileSchema = z.strictObject({
  $schema: z.optional(described(z.string(), 'The schema of this file, for editors.')),
  version: described(z.literal(1), 'The version of the format.'),
  config: z.optional(
    some(text('A config file, from here.'), 'The config files to test. Left out: those of the project.'),
  ),
  cases: described(z.array(oneCase), 'The cases. Each is a session of its own.'),
})

/** The generated sections of docs/testing.md, by name. */
export const caseSections = (): Record<string, string> => ({
  given: fieldTable(given._zod.def.shape),
  expect: fieldTable(expectation._zod.def.shape),
})

/** For editors: with the names of the events, which reading takes in any spelling. */
export function renderCaseSchema(): Record<string, unknown> {
  const schema = toJsonSchema(caseFileSchema) as { properties: { cases: { items: { properties: Properties } } } }
  const { properties } = schema.properties.cases.items
  const givens = [properties['given']!, properties['steps']!.items!.properties!['given']!]
  for (const { properties: fields = {} } of givens) fields['event'] = { ...fields['event'], examples: [...eventNames] }
  return { ...schema, title: 'Hookline cases', description: 'What the hooks of a config must do, case by case.' }
}

interface Property {
  properties?: Properties
  items?: Property
  examples?: string[]
}
type Properties = Record<string, Property>
