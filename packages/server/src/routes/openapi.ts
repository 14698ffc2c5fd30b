import { version } from 'hookline/internal'
import * as z from 'zod/mini'
import { type Route, route } from '../http/route.ts'

/** The document that describes all routes, made of the same table that the server answers by. */
export function openApiDocument(routes: () => Readonly<Record<string, Route>>): Route {
  let made: Record<string, unknown> | undefined
  return route({
    method: 'get',
    path: '/api/openapi.json',
    summary: 'This API, as an OpenAPI 3.1 document.',
    needs: 'nobody',
    answer: z.record(z.string(), z.unknown()),
    async handle() {
      made ??= describe(routes())
      return made
    },
  })
}

export function describe(routes: Readonly<Record<string, Route>>): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, each] of Object.entries(routes)) {
    const path = each.path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
    paths[path] = { ...paths[path], [each.method]: operation(name, each) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Hookline', version: version(), license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'hookline' },
      },
      schemas: { Problem: schemaOf(problem, 'output') },
    },
  }
}

const problem = z.object({
  ...{ type: z.string(), title: z.string(), status: z.int(), code: z.string(), remedy: z.string() },
  problems: z.optional(z.array(z.record(z.string(), z.unknown()))),
})

function operation(name: string, { summary, needs, person, params, query, body, answer, status = 200, type }: Route) {
  const needed = needs === 'nobody' ? '' : ` Needs the role ${needs}${person ? ', and proof of a person' : ''}.`
  return {
    operationId: name,
    summary,
    description: `${summary}${needed}`,
    security: needs === 'nobody' ? [] : [{ token: [] }, { session: [] }],
    parameters: [...parameters('path', params), ...parameters('query', query)],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: {
      [status]: {
        description: 'Done.',
        content: { [type ?? 'application/json']: { schema: schemaOf(answer, 'output') } },
      },
      default: {
        description: 'Refused, with what is wrong and what to do.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function parameters(place: 'path' | 'query', shape: z.ZodMiniType | undefined) {
  if (!shape) return []
  const { properties = {}, required = [] } = schemaOf(shape, 'input') as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: place, required: place === 'path' || required.includes(name), schema },
  }))
}

function schemaOf(shape: z.ZodMiniType, io: 'input' | 'output'): object {
  const { $schema: _draft, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Record<
    string,
    unknown
  >
  return schema
}
