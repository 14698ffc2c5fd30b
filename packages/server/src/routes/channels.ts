import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { type Channel, channelKindNames, channelKinds, kindOf, take } from '../channels/index.ts'
import { readText } from '../http/body.ts'
import { refuse } from '../http/problem.ts'
import { nothing, route } from '../http/route.ts'
import { withVariables } from '../variables.ts'
import type { World } from '../world.ts'

const name = z.string().check(z.regex(/^[A-Za-z0-9][\w-]{0,99}$/))
const text = z.string().check(z.minLength(1), z.maxLength(2_000))

/** Without what is secret of it. */
const channel = z.object({
  name: z.string(),
  kind: z.enum(channelKindNames),
  chats: z.array(z.string()),
  agent: z.string(),
  person: z.boolean(),
  questions: z.boolean(),
  allow_private_ips: z.boolean(),
  address: z.string(),
})

const shown = ({ settings: _secret, ...rest }: Channel) => ({
  ...rest,
  chats: [...rest.chats],
  address: `/channels/${rest.name}`,
})

export const listChannels = route({
  method: 'get',
  path: '/api/channels',
  summary: 'The channels by which people write to agents and answer them, without their secrets.',
  needs: 'viewer',
  answer: z.object({ channels: z.array(channel) }),
  handle: async ({ world }) => ({ channels: (await world.channels.list()).map(shown) }),
})

export const defineChannel = route({
  method: 'put',
  path: '/api/channels/:name',
  summary:
    'Sets up a channel (telegram, wecom, slack, webhook): which chats count, which agent answers. `$NAME` in `secret`, `token`, `url` and `aes_key` is put in from the environment. A channel that counts as a person (`person`) needs proof of one. Without a `secret`, one is made and shown once.',
  needs: 'admin',
  params: z.object({ name }),
  body: z.strictObject({
    kind: z.enum(channelKindNames),
    chats: z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.minLength(1), z.maxLength(100)),
    agent: z.optional(name),
    person: z.optional(z.boolean()),
    questions: z.optional(z.boolean()),
    allow_private_ips: z.optional(z.boolean()),
    secret: z.optional(z.string().check(z.minLength(16), z.maxLength(500))),
    token: z.optional(text),
    url: z.optional(text),
    aes_key: z.optional(text),
  }),
  answer: z.object({ channel, secret: z.nullable(z.string()) }),
  async handle({ params, body, who, world, recordChange }) {
    const {
      kind,
      chats,
      agent = 'default',
      person = false,
      questions = false,
      allow_private_ips = false,
      ...given
    } = body
    const before = await world.channels.find(params.name)
    if (person || before?.person) world.proofs.need(who)
    for (const each of channelKinds[kind].sends)
      if (given[each] === undefined) throw refuse(422, 'request-invalid', { detail: `\`${each}\` is missing` })
    const made = given.secret === undefined ? randomBytes(24).toString('base64url') : null
    const settings = { ...given, secret: given.secret ?? made ?? '' }
    const defined = { name: params.name, kind, chats, agent, person, questions, allow_private_ips, settings }
    await world.channels.define(defined)
    await recordChange(`set up the channel ${params.name}`, { kind, chats, agent, person, questions })
    return { channel: shown(defined), secret: made }
  },
})

export const removeChannel = route({
  method: 'delete',
  path: '/api/channels/:name',
  summary: 'Takes a channel away.',
  needs: 'admin',
  params: z.object({ name }),
  answer: nothing,
  async handle({ params, world, recordChange }) {
    if (!(await world.channels.remove(params.name)))
      throw refuse(404, 'request-not-found', { what: `channel ${params.name}` })
    await recordChange(`removed the channel ${params.name}`)
    return { ok: true as const }
  },
})

export const receiveMessage = route({
  method: 'post',
  path: '/channels/:name',
  summary:
    'Where a service delivers what people wrote: prompts, answers, `/hooks …`. Its secret or signature is checked, and only chats that count are read.',
  needs: 'nobody',
  params: z.object({ name }),
  answer: z.record(z.string(), z.unknown()),
  unaudited: 'The entry of the prompt itself is in the journal; what a command changes has a line of its own.',
  handle: async ({ params, request, world }) => receive(params.name, request, await readText(request), world),
})

export const confirmChannel = route({
  method: 'get',
  path: '/channels/:name',
  summary: 'Where a service looks whether the address is right (WeCom).',
  needs: 'nobody',
  params: z.object({ name }),
  answer: z.record(z.string(), z.unknown()),
  handle: async ({ params, request, world }) => receive(params.name, request, '', world),
})

async function receive(named: string, request: Request, body: string, world: World) {
  const channel = await world.channels.find(named)
  const arrived = { headers: request.headers, query: new URL(request.url).searchParams, body }
  const settings = channel && withVariables(channel.settings)
  // An address that is not there and a secret that is wrong look the same.
  if (!channel || !settings || !readable(() => kindOf(channel).isGenuine(arrived, settings)))
    throw refuse(401, 'sign-in-needed', {})
  const incoming = readable(() => kindOf(channel).read(arrived, settings))
  if (incoming?.type === 'handshake')
    return typeof incoming.reply === 'string' ? new Response(incoming.reply) : { ...incoming.reply }
  if (!incoming) return {}
  if (!channel.chats.includes(incoming.chat)) {
    world.log(`The chat ${JSON.stringify(incoming.chat)} is not among those of the channel ${channel.name}.`)
    return {}
  }
  // Services wait a few seconds only, and send again what was not taken.
  take(channel, incoming, world).catch((error: unknown) => world.log(String(error)))
  return {}
}

/** What cannot be read is as good as nothing. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
