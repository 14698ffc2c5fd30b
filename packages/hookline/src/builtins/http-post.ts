import * as z from 'zod/mini'
import {
  defineBuiltin,
  HookFailure,
  parseTemplate,
  renderTemplate,
  stringifyJson,
  templateText,
} from '../core/index.ts'
import { checkUrl } from '../guards/network/index.ts'
import { anyEvent, argument, flag, optional, required, text } from './parts.ts'

export const httpPost = defineBuiltin({
  name: 'http_post',
  once: true,
  doc: 'Posts JSON to a URL: the payload, or a body of your own. Private addresses are refused unless the user’s own config allows them.',
  events: anyEvent('post_tool_use'),
  args: z.strictObject({
    url: required(text, 'Where to.'),
    body: optional(
      templateText,
      'The body; `{{ field }}` inserts a field of the payload. Absent: the event and its payload.',
    ),
    headers: optional(z.record(z.string(), z.string()), 'Further headers.'),
    allow_local: argument(
      flag,
      'Also loopback and private addresses. Only from a user or managed config, or code.',
      false,
    ),
  }),
  fromList: ([url, body]) => ({ url, ...(body === undefined ? {} : { body }) }),
  async answer(event, args, kit) {
    if (args.allow_local && !kit.ownLayer)
      throw new HookFailure(
        'ssrf',
        '`allow_local` is not allowed in a project’s config.',
        'Move the hook to your user config.',
      )
    const allowLocal = args.allow_local
    const verdict = checkUrl(args.url, undefined, { allowLocal })
    if (verdict.verdict === 'refused') throw new HookFailure('ssrf', verdict.why)
    if (event.synthetic) return undefined
    const body =
      args.body === undefined ? stringifyJson({ event: event.name, ...event.payload }) : rendered(args.body, event)
    const { status } = await kit.request({
      url: args.url,
      body,
      allowLocal,
      ...(args.headers ? { headers: args.headers } : {}),
    })
    if (status >= 400) throw new HookFailure('http', `${new URL(args.url).origin} answered ${status}.`)
    return undefined
  },
  does: ['sends'],
  examples: [
    {
      title: 'an address that hands out credentials is refused',
      event: 'post_tool_use',
      payload: { tool_name: 'shell', tool_input: {} },
      args: ['http://169.254.169.254/latest/meta-data'],
      expect: undefined,
      fails: 'ssrf',
    },
  ],
})

function rendered(body: string, event: Parameters<typeof httpPost.answer>[0]): string {
  const parsed = parseTemplate(body)
  const filled = parsed.ok ? renderTemplate(parsed.template, event.name, event.payload) : parsed
  if (!filled.ok) throw new HookFailure('spawn', filled.detail)
  return filled.text
}
