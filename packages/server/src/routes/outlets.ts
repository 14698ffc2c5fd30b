import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { outletKindNames, outletKinds } from '../outlets/index.ts'

const text = z.string().check(z.maxLength(500))
const name = z.object({
  name: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'is lower-case letters, digits and dashes')),
})
const shown = {
  kind: z.enum(outletKindNames),
  alerts: z.boolean(),
  decisions: z.enum(['none', 'notable', 'all']),
  allow_private_ips: z.boolean(),
}

export const listOutlets = route({
  method: 'get',
  path: '/api/outlets',
  summary:
    'Where alerts and decisions go, how far each is behind, and why the last attempt failed. Addresses may hold secrets, and are not shown.',
  needs: 'admin',
  answer: z.object({
    outlets: z.array(z.object({ name: z.string(), ...shown, behind: z.int(), error: z.nullable(z.string()) })),
  }),
  handle: async ({ world }) => ({
    outlets: (await world.outlets.list()).map(({ settings: _, ...outlet }) => outlet),
  }),
})

export const defineOutlet = route({
  method: 'put',
  path: '/api/outlets/:name',
  summary:
    'Sets an outlet up: a webhook (JSON, or OCSF in JSON lines), Slack, mail, or a SIEM (CEF over syslog). `$NAME` stands for a variable of the environment of the server.',
  needs: 'admin',
  params: name,
  body: z.object({
    ...{ kind: shown.kind, alerts: z._default(z.boolean(), true), decisions: z._default(shown.decisions, 'none') },
    allow_private_ips: z._default(z.boolean(), false),
    settings: z.object({
      ...{ url: text, secret: z.optional(text), from: z.optional(text), to: z.optional(text) },
      format: z.optional(z.enum(['json', 'ocsf'])),
    }),
  }),
  answer: nothing,
  async handle({ params, body, world, recordChange }) {
    const { needs, takesDecisions } = outletKinds[body.kind]
    const missing = needs.find((each) => !body.settings[each])
    if (missing) throw refuse(400, 'request-invalid', { detail: `${body.kind} needs settings.${missing}` })
    if (body.decisions !== 'none' && !takesDecisions)
      throw refuse(400, 'request-invalid', { detail: `${body.kind} takes alerts alone` })
    await world.outlets.define({ name: params.name, ...body })
    await recordChange(`set up the outlet ${params.name} (${body.kind})`)
    return { ok: true as const }
  },
})

export const removeOutlet = route({
  method: 'delete',
  path: '/api/outlets/:name',
  summary: 'Nothing goes there any more.',
  needs: 'admin',
  params: name,
  answer: nothing,
  async handle({ params, world, recordChange }) {
    if (!(await world.outlets.remove(params.name))) throw unknown(params.name)
    await recordChange(`removed the outlet ${params.name}`)
    return { ok: true as const }
  },
})

export const tryOutlet = route({
  method: 'post',
  path: '/api/outlets/:name/try',
  summary: 'Sends an alert there that says that it is a trial.',
  needs: 'admin',
  params: name,
  answer: nothing,
  async handle({ params, world, recordChange }) {
    const sent = await world.outlets.try(params.name).catch((error: unknown) => {
      throw refuse(409, 'request-conflict', {
        detail: `Nothing arrived: ${error instanceof Error ? error.message : error}`,
      })
    })
    if (sent === undefined) throw unknown(params.name)
    await recordChange(`tried the outlet ${params.name}`)
    return { ok: true as const }
  },
})

const unknown = (name: string) => refuse(404, 'request-not-found', { what: `outlet ${name}` })
