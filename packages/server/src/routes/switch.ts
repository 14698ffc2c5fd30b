import { readFileSync } from 'node:fs'
import { configTarget, hooksInText, isRecord, openSwitch, openTrust, parseConfig, writeWhole } from 'hookline/internal'
import { editorFor } from 'hookline/internal/server'
import * as z from 'zod/mini'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { editableIn, projectFrom } from '../projects.ts'

const text = z.string().check(z.minLength(1), z.maxLength(4_096))
const dayMinutes = 24 * 60

export const showSwitch = route({
  method: 'get',
  path: '/api/hooks/switch',
  summary: 'Whether hooks are on; if not, since when and why.',
  needs: 'viewer',
  answer: z.object({ on: z.boolean(), since: z.nullable(z.string()), note: z.nullable(z.string()) }),
  async handle() {
    const master = openSwitch(openTrust().store.directory)
    const since = master.since() ?? null
    return { on: since === null, since, note: master.off()?.message ?? null }
  },
})

export const switchHooks = route({
  method: 'post',
  path: '/api/hooks/switch',
  summary:
    'Switches all hooks on; or off, but for those of the administrator, for so many minutes (a day at most). Off needs proof of a person.',
  needs: 'admin',
  body: z.strictObject({
    on: z.boolean(),
    minutes: z.optional(z.int().check(z.minimum(1), z.maximum(dayMinutes))),
    reason: z.optional(z.string().check(z.maxLength(500))),
  }),
  answer: nothing,
  async handle({ body: { on, minutes = dayMinutes, reason }, who, world, recordChange }) {
    const master = openSwitch(openTrust().store.directory)
    if (on) master.on()
    else {
      world.proofs.need(who)
      master.turnOff({ until: new Date(Date.now() + minutes * 60_000).toISOString(), reason })
    }
    await recordChange(on ? 'switched hooks on' : `switched hooks off for ${minutes} min`, {
      ...(reason && { reason }),
    })
    await world.hub.publish('rules.changed', { switched: on ? 'on' : 'off' })
    return { ok: true as const }
  },
})

const oneHook = z.strictObject({
  project: z.optional(text),
  id: text,
  layer: z.optional(z.enum(['user', 'project', 'local'])),
})

export const muteHook = route({
  method: 'post',
  path: '/api/hooks/mute',
  summary: 'Mutes a hook or rule by id or pattern, in the config of a layer; it mutes its own layer and weaker ones.',
  needs: 'admin',
  person: true,
  body: oneHook,
  answer: nothing,
  async handle({ body: { project: named, id, layer = 'project' }, world, recordChange }) {
    const project = await projectFrom(world, named)
    const target = configTarget({ cwd: project, ...(layer !== 'project' && { [layer]: true }) })
    const before = target.exists ? readFileSync(target.file, 'utf8') : 'version: 1\n'
    const after = editorFor(target.file).append(before, 'disabled', id)
    await hooksInText(target, after)
    await writeWhole(target.file, after)
    await recordChange(`muted ${id}`, { file: target.file })
    await world.hub.publish('rules.changed', { file: target.file })
    return { ok: true as const }
  },
})

export const unmuteHook = route({
  method: 'post',
  path: '/api/hooks/unmute',
  summary: 'Takes a hook, rule or pattern out of what is muted, wherever it stands: it runs again.',
  needs: 'admin',
  body: z.strictObject({ project: z.optional(text), id: text }),
  answer: nothing,
  async handle({ body: { project: named, id }, world, recordChange }) {
    const project = await projectFrom(world, named)
    let found = false
    for (const config of await editableIn(project)) {
      const before = readFileSync(config.file, 'utf8')
      const parsed = await parseConfig(before, config.file)
      const document = parsed.ok && isRecord(parsed.document) ? parsed.document : {}
      const at = Array.isArray(document['disabled']) ? document['disabled'].indexOf(id) : -1
      if (at === -1) continue
      found = true
      const after = editorFor(config.file).remove(before, ['disabled', at])
      await hooksInText(config, after)
      await writeWhole(config.file, after)
      await world.hub.publish('rules.changed', { file: config.file })
    }
    if (!found) throw refuse(404, 'request-not-found', { what: `${id} among what is muted` })
    await recordChange(`unmuted ${id}`)
    return { ok: true as const }
  },
})
