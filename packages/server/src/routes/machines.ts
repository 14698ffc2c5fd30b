import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { policyStates } from '../machines/index.ts'

const group = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'is lower-case letters, digits and dashes'))
const word = z.string().check(z.minLength(1), z.maxLength(100))

const enrolment = z.object({
  ...{ id: z.string(), group: z.string(), left: z.number(), created: z.string(), expires: z.string() },
})
const machine = z.object({
  ...{ id: z.string(), name: z.string(), group: z.string(), version: z.string(), enrolled: z.string() },
  ...{ seen: z.nullable(z.string()), revoked: z.nullable(z.string()) },
  policy: z.nullable(z.object({ version: z.int(), state: z.enum(policyStates) })),
})

export const listEnrolments = route({
  method: 'get',
  path: '/api/enrolments',
  summary: 'The tokens by which machines may join, and how often each still works; their secrets are not kept.',
  needs: 'admin',
  answer: z.object({ enrolments: z.array(enrolment) }),
  handle: async ({ world }) => ({ enrolments: await world.machines.offers() }),
})

export const makeEnrolment = route({
  method: 'post',
  path: '/api/enrolments',
  summary:
    'Makes a token for `hookline enroll`: for one machine and a day, unless you say otherwise. It is shown once. `root` is the digest of the policy’s root that is published here, for `--root`.',
  needs: 'admin',
  body: z.strictObject({
    group: z._default(group, 'default'),
    uses: z._default(z.int().check(z.minimum(1), z.maximum(100_000)), 1),
    hours: z._default(z.number().check(z.positive(), z.maximum(24 * 366)), 24),
  }),
  answer: z.object({ enrolment, secret: z.string(), root: z.nullable(z.string()) }),
  status: 201,
  async handle({ body, world, recordChange }) {
    const made = await world.machines.offer(body)
    await recordChange(`made the enrolment token ${made.enrolment.id} (${body.uses} × into ${body.group})`)
    const root = world.policies.read('root.json')
    return { ...made, root: root ? createHash('sha256').update(root.bytes).digest('hex') : null }
  },
})

export const withdrawEnrolment = route({
  method: 'delete',
  path: '/api/enrolments/:id',
  summary: 'Takes an enrolment token back; machines that joined by it stay.',
  needs: 'admin',
  params: z.object({ id: z.string() }),
  answer: nothing,
  async handle({ params, world, recordChange }) {
    if (!(await world.machines.withdraw(params.id)))
      throw refuse(404, 'request-not-found', { what: `enrolment token ${params.id}` })
    await recordChange(`withdrew the enrolment token ${params.id}`)
    return { ok: true as const }
  },
})

export const enrolMachine = route({
  method: 'post',
  path: '/api/machines',
  summary:
    'A machine joins: with an enrolment token, and a JWT that its new key has signed and that carries its public half.',
  needs: 'nobody',
  often: true,
  body: z.object({ token: z.string().check(z.maxLength(200)), proof: jwt(), name: word, version: word }),
  answer: machine,
  status: 201,
  async handle({ body: { token, ...given }, world, recordChange }) {
    const joined = await world.machines.enrol({ secret: token, ...given }, world.surface.origins)
    await recordChange(`let the machine ${joined.name} in (${joined.id}, ${joined.group})`)
    return joined
  },
})

export const machinePass = route({
  method: 'post',
  path: '/api/machines/pass',
  summary: 'A pass of some minutes for a machine that proves to have its key: by a JWT of its own, which works once.',
  needs: 'nobody',
  often: true,
  unaudited: 'A machine shows who it is, and nothing changes.',
  body: z.object({ proof: jwt() }),
  answer: z.object({ token: z.string(), expires_in: z.number() }),
  handle: ({ body, world }) => world.machines.passFor(body.proof, world.surface.origins),
})

export const showOwnMachine = route({
  method: 'get',
  path: '/api/machines/me',
  summary: 'What the server knows of the machine that asks.',
  needs: 'machine',
  answer: machine,
  handle: async ({ who, world }) => (await world.machines.find(who.id))!,
})

export const leaveFleet = route({
  method: 'delete',
  path: '/api/machines/me',
  summary: 'The machine that asks leaves: its key counts no longer.',
  needs: 'machine',
  answer: nothing,
  async handle({ who, world, recordChange }) {
    await world.machines.revoke(who.id)
    await recordChange(`left (${who.id})`)
    return { ok: true as const }
  },
})

export const listMachines = route({
  method: 'get',
  path: '/api/machines',
  summary:
    'The machines of the fleet: group, version, policy in force, when each was last seen, and whether it was revoked.',
  needs: 'viewer',
  answer: z.object({ machines: z.array(machine) }),
  handle: async ({ world }) => ({ machines: await world.machines.all() }),
})

export const moveMachine = route({
  method: 'put',
  path: '/api/machines/:id',
  summary: 'Moves a machine into another group.',
  needs: 'admin',
  params: z.object({ id: z.string() }),
  body: z.object({ group }),
  answer: machine,
  async handle({ params: { id }, body, world, recordChange }) {
    if (!(await world.machines.move(id, body.group))) throw unknown(id)
    await recordChange(`moved the machine ${id} into ${body.group}`)
    return (await world.machines.find(id))!
  },
})

export const revokeMachine = route({
  method: 'delete',
  path: '/api/machines/:id',
  summary: 'Revokes a machine: it is refused from now on, and joins again only with a new token.',
  needs: 'admin',
  params: z.object({ id: z.string() }),
  answer: nothing,
  async handle({ params: { id }, world, recordChange }) {
    if (!(await world.machines.revoke(id))) throw unknown(id)
    await recordChange(`revoked the machine ${id}`)
    return { ok: true as const }
  },
})

const unknown = (id: string) => refuse(404, 'request-not-found', { what: `machine ${id}` })

function jwt() {
  return z.string().check(z.maxLength(4_000))
}
