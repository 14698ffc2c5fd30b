import { type Executor, eventNames, eventRow } from '../core/index.ts'
import { type JsonSchema, toJsonSchema } from '../core/json-schema.ts'
import { configSchema } from '../dialects/native/schema.ts'

/** The JSON Schema of the config file, for editors: the shape that loading checks, the events, and each executor's options. */
export function renderSchema(executors: readonly Executor[]): JsonSchema {
  const schema = toJsonSchema(configSchema)
  const hook = dig(schema, 'properties', 'hooks', 'items', 'properties')
  hook['event'] = { ...(hook['event'] as JsonSchema), oneOf: eventNames.map(eventChoice) }
  const run = hook['run'] as { anyOf: JsonSchema[] } & JsonSchema
  const [shellCommand] = run.anyOf
  hook['run'] = { ...run, anyOf: [shellCommand, ...executors.map(runChoice)] }
  return { ...schema, title: 'Hookline config', description: 'Hooks for AI agents, one file of them.' }
}

function eventChoice(name: (typeof eventNames)[number]): JsonSchema {
  return { const: name, description: eventRow(name).doc }
}

function runChoice(executor: Executor): JsonSchema {
  const { $schema: _, ...options } = toJsonSchema(executor.spec)
  return { title: executor.type, description: executor.doc, ...withType(options, executor.type) }
}

/** The executor's options with `type` among them, however many forms they have. */
function withType(schema: JsonSchema, type: string): JsonSchema {
  const forms = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(forms)) {
    const { anyOf: _, oneOf: __, ...rest } = schema
    return { ...rest, anyOf: forms.map((form: JsonSchema) => withType(form, type)) }
  }
  const { properties = {}, required = [] } = schema as { properties?: JsonSchema; required?: string[] }
  return { ...schema, properties: { type: { const: type }, ...properties }, required: ['type', ...required] }
}

function dig(schema: JsonSchema, ...keys: string[]): JsonSchema {
  return keys.reduce((inner, key) => inner[key] as JsonSchema, schema)
}
