import * as z from 'zod/mini'
import { expandAll, expandVariables } from '../core/index.ts'
import { defineChannel, post } from './channel.ts'

export const webhook = defineChannel({
  doc: 'POSTs `{"channel", "text"}` as JSON to a URL; Slack, Mattermost and Teams read it as it is.',
  options: z.strictObject({
    url: z.string().check(z.minLength(1), z.describe('Where to; `$NAME` is put in from the environment.')),
    headers: z.optional(z.record(z.string(), z.string())),
    allow_private_ips: z.optional(z.boolean().check(z.describe('It may be on this machine or in a private network.'))),
  }),
  open({ url, headers = {}, allow_private_ips = false }, context) {
    const [target, sent] = [expandVariables(url, context.env), expandAll(headers, context.env)]
    const secrets = [pathOf(target), ...Object.values(sent)]
    const allowLocal = context.allowLocal && allow_private_ips
    return (text, signal) =>
      post({ url: target, headers: sent, body: { channel: context.name, text }, allowLocal, secrets }, context, signal)
  },
})

/** Of a webhook, the path is the password. */
function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname.replace(/^\/$/, '') : ''
}
