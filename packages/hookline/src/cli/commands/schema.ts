import { renderSchema } from '../../config/document.ts'
import { didYouMean, eventNames, eventRow, findEvent } from '../../core/index.ts'
import { toJsonSchema } from '../../core/json-schema.ts'
import { createExecutors } from '../../executors/index.ts'
import { loadAgent } from '../agent-package.ts'
import { defineCommand, UsageError } from '../command.ts'
import { verdictSchema } from '../verdict.ts'

/** What has a schema. One line each. */
const schemas: Record<string, (name: string | undefined) => Promise<object> | object> = {
  config: configSchema,
  payload: payloadSchema,
  cases: async () => (await import('../cases/schema.ts')).renderCaseSchema(),
  rehearsal: async () => (await loadAgent()).renderRehearsalSchema(),
  verdict: () => ({ title: 'Hookline verdict', ...toJsonSchema(verdictSchema) }),
}

export const command = defineCommand({
  name: 'schema',
  summary: 'The JSON Schema of the config, of an event’s payload, of cases, of a rehearsal, or of a verdict.',
  usage: 'schema [config | payload <event> | cases | rehearsal | verdict]',
  doc: [
    'config     The config file, for editors; this is what you get when you name nothing.',
    'payload    What a hook on this event reads from standard input. Events are named in any spelling.',
    'cases      The files of cases that `hookline test` plays.',
    'rehearsal  The scripts of the rehearsal model.',
    'verdict    What `hookline dispatch` prints.',
    '',
    'Schemas are JSON Schema draft 7, printed as JSON.',
  ].join('\n'),
  options: {},
  choices: [...Object.keys(schemas), ...eventNames],
  examples: ['hookline schema > hookline.schema.json', 'hookline schema payload pre_tool_use'],
  exits: { 64: 'Wrong usage: there is no such schema or event.' },
  async run({ positionals, output }) {
    const [kind = 'config', name, ...more] = positionals
    const make = Object.hasOwn(schemas, kind) ? schemas[kind] : undefined
    if (!make) throw new UsageError(unknownSchema(kind))
    if (more.length > 0 || (name !== undefined && kind !== 'payload'))
      throw new UsageError(`\`${more[0] ?? name}\` is one word too many. Run \`hookline schema --help\`.`)
    output.write(`${JSON.stringify(await make(name), null, 2)}\n`)
    return 0
  },
})

async function configSchema(): Promise<object> {
  const executors = Object.values(await createExecutors())
  const schema = renderSchema(executors)
  await Promise.all(executors.map((executor) => executor.close?.()))
  return schema
}

function payloadSchema(name: string | undefined): object {
  if (name === undefined) throw new UsageError(`Name an event: ${eventNames.join(', ')}.`)
  const event = findEvent(name)
  if (!event)
    throw new UsageError(
      `There is no event \`${name}\`.${didYouMean(name, eventNames)}\nRun \`hookline docs\` for all.`,
    )
  const row = eventRow(event)
  return { title: `Payload of ${event}`, description: row.doc, ...toJsonSchema(row.payload) }
}

function unknownSchema(kind: string): string {
  if (findEvent(kind)) return `\`${kind}\` is an event: run \`hookline schema payload ${kind}\`.`
  return `There is no schema \`${kind}\`.${didYouMean(kind, Object.keys(schemas))} There are: ${Object.keys(schemas).join(', ')}.`
}
