import * as z from 'zod/mini'
import {
  type BuiltinKit,
  defineBuiltin,
  type Event,
  HookFailure,
  parseTemplate,
  renderTemplate,
  stringifyJson,
  templateText,
} from '../core/index.ts'
import { desktopNotice } from './desktop.ts'
import { anyEvent, argument, flag, optional, text } from './parts.ts'

export const notify = defineBuiltin({
  name: 'notify',
  once: true,
  doc: 'Tells you on the desktop, or through a webhook (Slack’s `{"text": …}`), that something happened: the agent waits, stopped, or failed.',
  events: anyEvent('on_user_input'),
  args: z.strictObject({
    title: argument(text, 'The headline.', 'Hookline'),
    message: optional(
      templateText,
      'What to say; `{{ field }}` inserts a field of the payload. Absent: what the event is about.',
    ),
    webhook: optional(text, 'A URL to post to, instead of the desktop.'),
    allow_local: argument(
      flag,
      'Whether the webhook may be on this machine or network. Only from your own config.',
      false,
    ),
  }),
  fromList: ([message]) => ({ message }),
  async answer(event, { title, message, webhook, allow_local }, kit) {
    const text = message === undefined ? about(event) : fill(message, event)
    if (webhook !== undefined) await post(webhook, `${title}: ${text}`, allow_local && kit.ownLayer, event, kit)
    else if (!event.synthetic) await onDesktop(title, text, kit)
    return undefined
  },
  does: ({ webhook }) => (webhook === undefined ? ['runs'] : ['sends']),
  examples: [
    {
      title: 'an address that hands out credentials is refused',
      event: 'stop',
      payload: { response: 'Done.' },
      args: { webhook: 'http://169.254.169.254/' },
      expect: undefined,
      fails: 'ssrf',
    },
  ],
})

function about({ name, payload }: Event): string {
  const text = payload['notification_message'] ?? payload['response'] ?? payload['error'] ?? sentences[name] ?? name
  return String(text).slice(0, 200)
}
const sentences: Partial<Record<string, string>> = {
  on_user_input: 'The agent waits for you.',
  permission_request: 'The agent asks for permission.',
  session_end: 'The session ended.',
}

function fill(message: string, event: Event): string {
  const parsed = parseTemplate(message)
  const rendered = parsed.ok ? renderTemplate(parsed.template, event.name, event.payload) : parsed
  if (!rendered.ok) throw new HookFailure('spawn', rendered.detail)
  return rendered.text
}

async function post(url: string, text: string, allowLocal: boolean, event: Event, kit: BuiltinKit): Promise<void> {
  if (event.synthetic) return
  const { status } = await kit.request({ url, body: stringifyJson({ text }), allowLocal })
  if (status >= 400) throw new HookFailure('http', `The webhook answered ${status}.`)
}

async function onDesktop(title: string, text: string, kit: BuiltinKit): Promise<void> {
  const notice = desktopNotice(kit.machine.platform, title, text)
  if (!notice)
    throw new HookFailure('spawn', `Nothing is known of notifications on ${kit.machine.platform}.`, 'Use a webhook.')
  const [program, args] = notice
  const done = await kit.exec(program, args)
  if (!done) throw new HookFailure('spawn', `${program} is not installed.`, 'Install it, or use a webhook.')
  if (done.exit !== 0) throw new HookFailure('exit', `${program} failed: ${done.stderr.trim()}`)
}
