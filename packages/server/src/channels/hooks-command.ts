import {
  describeMatcher,
  didYouMean,
  inspectHooks,
  isCalled,
  isWaiting,
  openSwitch,
  openTrust,
} from 'hookline/internal'
import { calledIn } from '../called-in.ts'
import { runDoctor } from '../doctor.ts'

interface Verb {
  usage: string
  doc: string
  /** It loosens something: only for a person. */
  person?: true
  run(words: string, project: string): Promise<string>
}

/** `/hooks` in a chat: Starchild's commands, in plain text. */
const verbs: Readonly<Record<string, Verb>> = {
  list: {
    usage: '/hooks list',
    doc: 'every hook: its event, and whether it may run',
    run: (_, project) => list(project),
  },
  on: {
    usage: '/hooks on',
    doc: 'switch hooks on',
    async run() {
      openSwitch(openTrust().store.directory).on()
      return 'Hooks are on.'
    },
  },
  off: {
    usage: '/hooks off',
    doc: 'switch hooks off, for an hour; those of the administrator stay on',
    person: true,
    async run() {
      const until = new Date(Date.now() + 3_600_000).toISOString()
      openSwitch(openTrust().store.directory).turnOff({ until, reason: 'from a chat' })
      return `Hooks are off until ${until}.`
    },
  },
  doctor: { usage: '/hooks doctor', doc: 'try every hook and every guard', run: (_, project) => runDoctor(project) },
  approve: {
    usage: '/hooks approve <id or command>',
    doc: 'approve a hook exactly as it is now',
    person: true,
    run: approve,
  },
  revoke: {
    usage: '/hooks revoke <id>',
    doc: 'take an approval back',
    person: true,
    async run(words) {
      const revoked = await openTrust().revoke({ ids: [words] })
      return revoked.length === 0 ? `Nothing called ${words} is approved.` : `${words} is no longer approved.`
    },
  },
  help: {
    usage: '/hooks help',
    doc: 'this list',
    run: async () =>
      Object.values(verbs)
        .map(({ usage, doc }) => `${usage}: ${doc}`)
        .join('\n'),
  },
}

/** What to write back. `changed`: what was done, for the journal. */
export async function runHooksCommand(
  text: string,
  project: string,
  isPerson: boolean,
): Promise<{ reply: string; changed?: string }> {
  const [, name = 'list', words = ''] = /^\/hooks(?:\s+(\S+))?\s*(.*)$/s.exec(text.trim()) ?? []
  const verb = Object.hasOwn(verbs, name) ? verbs[name]! : undefined
  if (!verb) return { reply: `There is no /hooks ${name}.${didYouMean(name, Object.keys(verbs))} Try /hooks help.` }
  if (verb.person && !isPerson)
    return { reply: `/hooks ${name} loosens something, and this channel does not count as a person. Use the console.` }
  const reply = await verb.run(words.trim(), project)
  return verb.person || name === 'on' ? { reply, changed: `wrote /hooks ${name} ${words}`.trim() } : { reply }
}

const inspected = (project: string) => inspectHooks(openTrust(), calledIn(project), { strict: false, cached: false })

async function list(project: string): Promise<string> {
  const off = openSwitch(openTrust().store.directory).off()
  const { inspections, notes } = await inspected(project)
  const lines = inspections.map((each) => {
    const { hook, state } = each
    const mark = !hook.enabled ? '·' : isWaiting(each) ? '!' : '✓'
    return `${mark} ${hook.id}  ${hook.event}  ${describeMatcher(hook.matcher)}  ${state}`
  })
  return [
    off?.message ?? 'Hooks are on.',
    ...(lines.length === 0 ? ['There are none here.'] : lines),
    ...notes.map(({ message }) => `! ${message}`),
  ].join('\n')
}

async function approve(words: string, project: string): Promise<string> {
  const { inspections } = await inspected(project)
  // Starchild writes the event first.
  const named = words.replace(/^\w+\s+(?=\S)/, (event) =>
    inspections.some(({ hook }) => hook.event === event.trim()) ? '' : event,
  )
  const found = inspections.filter(({ hook }) => hook.id === named || isCalled(named, hook.id, hook.run))
  if (found.length === 0) return `There is no hook ${named} here.`
  await openTrust().approve(found, inspections)
  return `Approved: ${found.map(({ hook, digest }) => `${hook.id} (${digest.slice(0, 19)}…)`).join(', ')}.`
}
