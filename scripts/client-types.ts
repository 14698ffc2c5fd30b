import { routes } from '../packages/server/src/routes/index.ts'
import { describe } from '../packages/server/src/routes/openapi.ts'

/** The part of JSON Schema that our shapes become. */
interface Schema {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  items?: Schema
  prefixItems?: readonly Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
}

interface Operation {
  operationId: string
  summary: string
  parameters: readonly { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { content: Record<string, { schema: Schema }> }>
}

/** The types of the client, made of the OpenAPI document: what each route takes and gives. */
export function renderClientApi(): string {
  const { paths } = describe(routes) as { paths: Record<string, Record<string, Operation>> }
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation, kind: kindOf(operation) })),
  )
  return [
    '// Made by `npm run generate` from the routes of the server.',
    "import type { StreamMessage } from './follow.ts'",
    '',
    '/** Every route: what it takes, and what it answers with. */',
    'export interface Api {',
    ...all.flatMap(({ operation }) => [
      `  /** ${operation.summary} */`,
      `  ${operation.operationId}: ${takesAndGives(operation)}`,
    ]),
    '}',
    '',
    '/** How each is called. */',
    'export const operations = {',
    ...all.map(
      ({ path, method, operation, kind }) =>
        `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}', type: '${kind}' },`,
    ),
    '} as const satisfies Record<keyof Api, { method: string; path: string; type: string }>',
    '',
  ].join('\n')
}

const answerOf = ({ responses }: Operation): [string, Schema] => {
  const [, { content }] = Object.entries(responses).find(([status]) => status !== 'default')!
  const [[type, { schema }]] = Object.entries(content) as [[string, { schema: Schema }]]
  return [type, schema]
}

function kindOf(operation: Operation): 'json' | 'stream' | 'text' {
  const [type] = answerOf(operation)
  if (type === 'text/event-stream') return 'stream'
  return type === 'application/json' ? 'json' : 'text'
}

function takesAndGives(operation: Operation): string {
  const { parameters, requestBody } = operation
  const part = (place: 'path' | 'query', key: string): string[] => {
    const own = parameters.filter((each) => each.in === place)
    if (own.length === 0) return []
    const optional = own.every(({ required }) => !required)
    const fields = own.map(({ name, required, schema }) => field(name, required, typeOf(schema)))
    return [`${key}${optional ? '?' : ''}: { ${fields.join('; ')} }`]
  }
  const kind = kindOf(operation)
  const answer =
    kind === 'stream' ? 'AsyncGenerator<StreamMessage>' : kind === 'text' ? 'string' : typeOf(answerOf(operation)[1])
  const body = requestBody ? [`body: ${typeOf(requestBody.content['application/json'].schema)}`] : []
  return `{ ${[...part('path', 'params'), ...part('query', 'query'), ...body, `answer: ${answer}`].join('; ')} }`
}

/** Undefined may be written out, so that what may be missing can be passed on. */
const field = (name: string, required: boolean, type: string): string =>
  `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${required ? `: ${type}` : `?: ${type} | undefined`}`

function typeOf(schema: Schema): string {
  if ('$ref' in schema) throw new Error('A route has a shape that refers to itself; say here how it is written.')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(typeOf))].join(' | ')
  if (schema.allOf) return schema.allOf.map((each) => `(${typeOf(each)})`).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
      return `(${typeOf(schema.items ?? {})})[]`
    case 'object':
      return objectOf(schema)
    default:
      return 'unknown'
  }
}

function objectOf({ properties = {}, required = [], additionalProperties: rest }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) =>
    field(name, required.includes(name), typeOf(schema)),
  )
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  return rest === false
    ? 'Record<string, never>'
    : `Record<string, ${typeof rest === 'object' ? typeOf(rest) : 'unknown'}>`
}
