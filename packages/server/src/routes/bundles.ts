import type { Inspection } from 'hookline/internal'
import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'

const name = z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,99}$/))
const bundle = z.object({
  ...{ name: z.string(), doc: z.string(), hooks: z.array(z.string()) },
  parameters: z.record(z.string(), z.unknown()),
})

export const listBundles = route({
  method: 'get',
  path: '/api/bundles',
  summary: 'The bundles that were registered here, with their parameters and the ids of what is in them.',
  needs: 'viewer',
  answer: z.object({ bundles: z.array(bundle) }),
  async handle({ world }) {
    const bundles = await world.bundles.list()
    return { bundles: bundles.map((each) => ({ ...each, hooks: [...each.hooks], parameters: { ...each.parameters } })) }
  },
})

export const registerBundle = route({
  method: 'post',
  path: '/api/bundles',
  summary:
    'Registers a bundle (`name`, perhaps `doc` and `parameters`, `rules`, `hooks`), as YAML or JSON, or puts it in the place of the one of that name. It is checked first. By itself it changes nothing: agents use it once it is assigned.',
  needs: 'admin',
  body: z.strictObject({ text: z.string().check(z.minLength(1), z.maxLength(200_000)) }),
  answer: bundle,
  status: 201,
  async handle({ body, who, world, recordChange }) {
    // In the place of another it may be looser.
    const made = await world.bundles.register(body.text, () => world.proofs.need(who))
    await recordChange(`registered the bundle ${made.name}`, { hooks: made.hooks })
    return { ...made, hooks: [...made.hooks], parameters: { ...made.parameters } }
  },
})

export const removeBundle = route({
  method: 'delete',
  path: '/api/bundles/:name',
  summary: 'Takes a bundle away that no agent uses.',
  needs: 'admin',
  person: true,
  params: z.object({ name }),
  answer: nothing,
  async handle({ params, world, recordChange }) {
    for (const agent of await world.agents.list()) {
      const { use } = await world.bundles.assignedTo(agent.name)
      if (use.some((each) => each.bundle === params.name))
        throw refuse(409, 'request-conflict', { detail: `The agent ${agent.name} uses it.` })
    }
    if (!world.bundles.remove(params.name)) throw refuse(404, 'request-not-found', { what: `bundle ${params.name}` })
    await recordChange(`removed the bundle ${params.name}`)
    return { ok: true as const }
  },
})

const assigned = {
  use: z.array(z.strictObject({ bundle: name, with: z.optional(z.record(z.string(), z.unknown())) })),
  disabled: z.array(z.string().check(z.minLength(1), z.maxLength(200))),
}
const waits = z.array(z.object({ id: z.string(), digest: z.string() }))

export const showAssigned = route({
  method: 'get',
  path: '/api/agents/:name/bundles',
  summary: 'Which bundles an agent uses, with which parameters, and what of them is muted.',
  needs: 'viewer',
  params: z.object({ name }),
  answer: z.object(assigned),
  async handle({ params, world }) {
    const { use, disabled } = await world.bundles.assignedTo(params.name)
    return { use: use.map((each) => ({ ...each, with: { ...each.with } })), disabled: [...disabled] }
  },
})

export const assignBundles = route({
  method: 'put',
  path: '/api/agents/:name/bundles',
  summary:
    'Assigns bundles to an agent, for the sessions that are opened from now on, and mutes hooks and rules by id or pattern. What takes away or mutes needs proof of a person. What runs or loosens holds once it is approved: a person who assigns it approves it, else `waits` lists it.',
  needs: 'admin',
  params: z.object({ name }),
  body: z.strictObject({ use: assigned.use, disabled: z.optional(assigned.disabled) }),
  answer: z.object({ waits }),
  async handle({ params, body: { use, disabled = [] }, who, world, recordChange }) {
    const agent = await world.agents.find(params.name)
    if (!agent) throw refuse(404, 'request-not-found', { what: `agent ${params.name}` })
    const before = await world.bundles.assignedTo(agent.name)
    const isKept = before.use.every((each) => use.some((other) => JSON.stringify(other) === JSON.stringify(each)))
    if (!isKept || disabled.some((each) => !before.disabled.includes(each))) world.proofs.need(who)
    const waiting = await world.bundles.assign(agent.name, { use, disabled }, agent.project)
    const isPerson = world.proofs.isProven(who)
    if (isPerson) await world.bundles.approve(agent.name, agent.project)
    const left = isPerson ? [] : waiting.map(named)
    await recordChange(`assigned bundles to the agent ${agent.name}`, {
      use,
      disabled,
      approved: isPerson ? waiting.map(named) : [],
    })
    await world.hub.publish('rules.changed', { agent: agent.name })
    return { waits: left }
  },
})

const named = ({ hook, digest }: Inspection) => ({ id: hook.id, digest })
