import type { PendingQuestion } from 'hookline/internal'
import { harmless, masked, refusalOf } from 'hookline/internal/server'
import { recordChange } from '../record-change.ts'
import type { World } from '../world.ts'
import type { Channel } from './channels.ts'
import { runHooksCommand } from './hooks-command.ts'
import type { Button, Incoming } from './kind.ts'

type Written = Exclude<Incoming, { type: 'handshake' }>

/** What somebody wrote in a chat that counts: a command, an answer, or a prompt. */
export async function take(channel: Channel, written: Written, world: World): Promise<void> {
  const { chat, user } = written
  const say = (text: string) =>
    world.channels.send(channel, { chat, text }).catch((error: Error) => world.log(error.message))
  if (written.type === 'answer') return say(await answer(channel, user, written.question, written.answer, '', world))
  const text = written.text.trim()
  const [, question, given, because = ''] = /^\/answer\s+(\S+)\s+(\S+)\s*(.*)$/s.exec(text) ?? []
  if (question !== undefined && given !== undefined)
    return say(await answer(channel, user, question, given, because, world))
  const agent = await world.agents.find(channel.agent)
  if (!agent) return say(`There is no agent ${channel.agent}.`)
  if (/^\/hooks\b/.test(text)) {
    const { reply, changed } = await runHooksCommand(text, agent.project, channel.person)
    if (changed !== undefined) await recordChange(world, whoIn(channel, user), changed)
    return say(reply)
  }
  if (text === '/new') {
    await world.channels.bind(channel.name, chat, '')
    return say('The next message begins a new session.')
  }
  if (text !== '') await prompt(channel, chat, text, world).catch((error: Error) => say(error.message))
}

const whoIn = (channel: Channel, user: string) =>
  ({ kind: 'token', id: `channel:${channel.name}`, name: `${user} in ${channel.name}`, role: 'agent' }) as const

/** A prompt for the session of the chat: it begins a turn, waits behind the one that runs, or answers what the agent wants to know. */
async function prompt(channel: Channel, chat: string, text: string, world: World): Promise<void> {
  const { channels, sessions, agents } = world
  const known = await channels.sessionOf(channel.name, chat)
  const row = known === undefined || known === '' ? undefined : await sessions.find(known)
  if (row) {
    const [ask] = (await sessions.view(row)).asks
    if (ask) await sessions.answer(row, ask.id, text)
    else await sessions.followUp(row, text)
    return
  }
  const agent = (await agents.find(channel.agent))!
  const { name, kind } = channel
  const outbound = { name, kind, send: (message: string) => channels.send(channel, { chat, text: message }) }
  const made = await sessions.create(agent, `channel:${name}`, '', outbound)
  await channels.bind(channel.name, chat, made.id)
  await sessions.prompt(made, text)
}

async function answer(
  channel: Channel,
  user: string,
  id: string,
  given: string,
  because: string,
  { questions }: World,
): Promise<string> {
  if (given !== 'yes' && given !== 'no' && given !== 'session') return 'An answer is yes, session or no.'
  if (given !== 'no' && !channel.person) return 'This channel does not count as a person: answer in the console.'
  const by = `${user} in ${channel.name}`
  const result = await questions
    .answer(id, { answer: given, by, ...(because !== '' && { because }) })
    .catch((error: Error) => error.message)
  return typeof result === 'string' ? result : (refusalOf(result, id) ?? `Answered: ${given}.`)
}

/** Tells chats what becomes of what they have asked for, and what waits for them. Messages of a session leave after its hooks have seen them. */
export function followForChats(world: World): void {
  const { hub, channels, sessions, questions, log } = world
  hub.onEvent((type, data, session) => {
    const text = session === undefined ? undefined : texts[type]?.(data as Record<string, string & string[]>)
    const work = type === 'question.asked' ? ask((data as { id: string }).id) : text && reply(session!, text)
    if (work) work.catch((error: unknown) => log(String(error)))
  })

  async function reply(session: string, text: string): Promise<void> {
    const place = await channels.chatOf(session)
    const row = place && (await sessions.find(session))
    if (place && row) await sessions.notify(row, place.channel, text)
  }

  async function ask(id: string): Promise<void> {
    const question = questions.pending.find((each) => each.id === id)
    if (!question) return
    const place = question.session === undefined ? undefined : await channels.chatOf(question.session)
    for (const channel of await channels.list()) {
      const chat = place?.channel === channel.name ? place.chat : channel.questions ? channel.chats[0] : undefined
      if (chat === undefined) continue
      await channels.send(channel, { chat, text: describe(question), buttons: buttonsFor(id, channel.person) })
    }
  }
}

const texts: Readonly<Record<string, (data: Record<string, string & string[]>) => string | undefined>> = {
  'turn.completed': ({ response }) => response,
  'turn.failed': ({ user_message: message, code }) => `✗ ${message ?? code}`,
  'turn.canceled': () => 'Stopped.',
  'agent.asks': ({ question, options }) => [question, ...(options ?? []).map((each: string) => `· ${each}`)].join('\n'),
}

function describe(question: PendingQuestion): string {
  const { host, cwd, what, reason } = masked(question)
  return `? ${host} · ${cwd.replace(/^.*\//, '')}\n${harmless(what)}\n${reason}`
}

const buttonsFor = (question: string, isPerson: boolean): Button[] => [
  ...(isPerson
    ? [
        { label: 'Once', question, answer: 'yes' },
        { label: 'This session', question, answer: 'session' },
      ]
    : []),
  { label: 'No', question, answer: 'no' },
]
