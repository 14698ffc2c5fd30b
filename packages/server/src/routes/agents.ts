import { statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { type AgentSettings, permissionModes } from '../sessions/index.ts'

const text = z.string().check(z.minLength(1), z.maxLength(4_096))
const name = z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,99}$/))

const settings = z.object({
  file: z.optional(text),
  model: z.optional(text),
  rehearse: z.optional(text),
  permission_mode: z.optional(z.enum(permissionModes)),
})

const agent = z.object({ name: z.string(), project: z.string(), settings, by: z.string(), created: z.string() })

export const listAgents = route({
  method: 'get',
  path: '/api/agents',
  summary: 'The agents that sessions can be opened of. `default` is the usual one, where the server was started.',
  needs: 'anybody',
  answer: z.object({ agents: z.array(agent) }),
  handle: async ({ world }) => ({ agents: await world.agents.list() }),
})

export const showAgent = route({
  method: 'get',
  path: '/api/agents/:name',
  summary: 'One agent: where it works, its agent file, model and permission mode.',
  needs: 'anybody',
  params: z.object({ name }),
  answer: agent,
  async handle({ params, world }) {
    const found = await world.agents.find(params.name)
    if (found) return found
    throw refuse(404, 'request-not-found', { what: `agent ${params.name}` })
  },
})

export const defineAgent = route({
  method: 'put',
  path: '/api/agents/:name',
  summary:
    'Defines an agent: a project, and of it an agent file, a model or a script to rehearse. A permission mode with fewer questions needs proof of a person.',
  needs: 'admin',
  params: z.object({ name }),
  body: z.strictObject({ project: text, ...settings.shape }),
  answer: agent,
  async handle({ params, body: { project, ...given }, who, world, recordChange }) {
    if (!isAbsolute(project) || !statSync(project, { throwIfNoEntry: false })?.isDirectory())
      throw refuse(422, 'request-invalid', { detail: '`project` must be the full path of a directory' })
    for (const each of [given.file, given.rehearse])
      if (each !== undefined && relative(project, resolve(project, each)).startsWith('..'))
        throw refuse(422, 'request-invalid', { detail: 'files of an agent must lie in its project' })
    if (loosening.has(given.permission_mode ?? '')) world.proofs.need(who)
    await world.agents.define({ name: params.name, project, settings: given as AgentSettings, by: who.id })
    await recordChange(`defined the agent ${params.name}`, { project, ...given })
    return (await world.agents.find(params.name))!
  },
})

const loosening: ReadonlySet<string> = new Set(['accept-edits', 'yolo'])

export const removeAgent = route({
  method: 'delete',
  path: '/api/agents/:name',
  summary: 'Takes an agent away; its sessions stay.',
  needs: 'admin',
  params: z.object({ name }),
  answer: nothing,
  async handle({ params, world, recordChange }) {
    if (!(await world.agents.remove(params.name)))
      throw refuse(404, 'request-not-found', { what: `agent ${params.name}` })
    await recordChange(`removed the agent ${params.name}`)
    return { ok: true as const }
  },
})
