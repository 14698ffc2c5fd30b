import { decodeBase64 } from '../checks/encodings.ts'
import type { Rule } from '../rule.ts'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const hasDigit = (secret: string): boolean => /[0-9]/.test(secret)

export const chat: readonly Rule[] = [
  {
    type: 'slack-token',
    keywords: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.'],
    pattern: /xox[abcdeoprs](?:\.xox[bp])?-[\w%+/-]{16,400}={0,2}/,
    glued: true,
  },
  { type: 'slack-app-token', keywords: ['xapp-', 'xwfp-'], pattern: /(?:xapp|xwfp)-[\w-]{16,200}/, glued: true },
  {
    type: 'slack-webhook',
    keywords: ['hooks.slack.com/', 'hooks.slack-gov.com/'],
    pattern: /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9+/]{24,120})/,
  },
  {
    type: 'discord-webhook',
    keywords: ['/api/webhooks/'],
    pattern: /\/api\/webhooks\/(?<secret>\d{17,20}\/[\w-]{60,80})/,
    glued: true,
  },
  {
    type: 'telegram-bot-token',
    keywords: [':AA'],
    lead: { of: /[0-9]/, most: 11 },
    pattern: /[0-9]{6,11}:AA[\w-]{32,34}/,
    glued: true,
  },
  {
    type: 'teams-webhook',
    keywords: ['webhook.office.com/'],
    pattern: new RegExp(
      `webhook\\.office\\.com/webhookb2/(?<secret>${UUID}@${UUID}/IncomingWebhook/[a-z0-9]{20,40}/${UUID}(?:/[\\w-]{20,80})?)`,
    ),
    glued: true,
  },
  {
    type: 'power-automate-webhook',
    keywords: ['/triggers/manual/paths/invoke'],
    pattern: /\/triggers\/manual\/paths\/invoke[^\s"'<>\\]{0,200}[?&]sig=(?<secret>[\w-]{30,80})/,
    glued: true,
  },
  {
    type: 'google-chat-webhook',
    keywords: ['chat.googleapis.com/'],
    pattern:
      /chat\.googleapis\.com\/v1\/spaces\/[\w-]{4,40}\/messages\?(?<secret>key=[\w-]{20,60}&token=[\w%-]{20,120})/,
  },
  {
    type: 'lark-webhook',
    keywords: ['/open-apis/bot/v2/hook/'],
    pattern: new RegExp(`/open-apis/bot/v2/hook/(?<secret>${UUID})`),
    glued: true,
  },
  {
    type: 'dingtalk-webhook',
    keywords: ['oapi.dingtalk.com/robot/send?access_token='],
    pattern: /oapi\.dingtalk\.com\/robot\/send\?access_token=(?<secret>[a-f0-9]{64})/,
  },
  {
    type: 'wecom-webhook',
    keywords: ['qyapi.weixin.qq.com/cgi-bin/webhook/send?key='],
    pattern: new RegExp(`qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=(?<secret>${UUID})`),
  },
  {
    type: 'zapier-webhook',
    keywords: ['hooks.zapier.com/hooks/'],
    pattern: /hooks\.zapier\.com\/hooks\/(?:catch|standard)\/(?<secret>\d{4,12}\/[A-Za-z0-9]{5,40})/,
    entropy: 2,
  },
  { type: 'make-webhook', keywords: ['hook.'], pattern: /hook\.(?:eu|us)\d\.make\.com\/(?<secret>[a-z0-9]{28,40})/ },
  {
    type: 'ifttt-webhook',
    keywords: ['maker.ifttt.com/trigger/'],
    pattern: /maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/(?<secret>[\w-]{20,64})/,
  },
  {
    type: 'matrix-access-token',
    keywords: ['syt_', 'mct_'],
    pattern: /(?:syt_[A-Za-z0-9+/=]{2,80}_[A-Za-z]{20}_[A-Za-z0-9]{6}|mct_[A-Za-z0-9]{20,48}_[A-Za-z0-9]{6})/,
  },
  { type: 'twilio-api-key', keywords: ['SK'], pattern: /SK[0-9a-f]{32}/ },
  {
    type: 'twilio-auth-token',
    keywords: ['twilio'],
    pattern: /twilio[\w .-]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[0-9a-f]{32})/i,
  },
  { type: 'sendgrid-api-key', keywords: ['SG.'], pattern: /SG\.[\w=-]{16,32}\.[\w=-]{32,64}/ },
  { type: 'mailgun-api-key', keywords: ['key-'], pattern: /key-[0-9a-f]{32}/ },
  {
    type: 'mailgun-api-key',
    keywords: ['mailgun'],
    pattern: /mailgun[\w .-]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})/i,
  },
  {
    type: 'mailchimp-api-key',
    keywords: ['-us'],
    lead: { of: /[0-9a-f]/, most: 32 },
    pattern: /[0-9a-f]{32}-us\d{1,2}/,
  },
  {
    type: 'brevo-api-key',
    keywords: ['xkeysib-', 'xsmtpsib-'],
    pattern: /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}/,
  },
  { type: 'resend-api-key', keywords: ['re_'], pattern: /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,28}/ },
  {
    type: 'postmark-token',
    keywords: ['postmark'],
    pattern: new RegExp(`postmark[\\w .-]{0,24}["']?[ \\t]{0,4}[=:][ \\t]{0,4}["']?(?<secret>${UUID})`, 'i'),
  },
  { type: 'mailersend-token', keywords: ['mlsn.'], pattern: /mlsn\.[a-f0-9]{64}/ },
  {
    type: 'mandrill-api-key',
    keywords: ['md-'],
    pattern: /md-[\w-]{22}/,
    entropy: 3.8,
    accept: (secret) => /\d/.test(secret) && /[A-Z]/.test(secret),
  },
  { type: 'courier-api-key', keywords: ['pk_prod_', 'dk_prod_'], pattern: /[pd]k_prod_[A-Z0-9]{28}/ },
  { type: 'onesignal-api-key', keywords: ['os_v2_'], pattern: /os_v2_(?:app|org)_[a-z0-9]{60,120}/ },
  { type: 'facebook-access-token', keywords: ['EAA'], pattern: /EAA[A-Za-z0-9]{80,400}/ },
  { type: 'instagram-access-token', keywords: ['IGQV', 'IGAA'], pattern: /IG(?:QV|AA)[\w-]{80,300}/ },
  {
    type: 'linkedin-client-secret',
    keywords: ['WPL_AP'],
    pattern: /WPL_AP[01]\.[A-Za-z0-9]{14,20}\.[A-Za-z0-9=]{6,12}/,
  },
  { type: 'twitch-token', keywords: ['oauth:'], pattern: /oauth:[a-z0-9]{30}/ },
  {
    type: 'pagerduty-key',
    keywords: ['u+', 'y_NbAkK'],
    pattern: /(?:u\+[\w+-]{18}|y_NbAkK[\w-]{13,20})/,
    entropy: 3.5,
    accept: hasDigit,
  },
  {
    type: 'intercom-token',
    keywords: ['dG9rO'],
    pattern: /dG9rO[A-Za-z0-9+/]{50,80}={0,2}/,
    accept: (secret) => decodeBase64(secret)?.startsWith('tok:') ?? false,
  },
  {
    type: 'knock-secret-key',
    keywords: ['sk_'],
    pattern: /sk_(?:live|test)?_?[\w-]{43}/,
    entropy: 4,
    accept: hasDigit,
  },
  {
    type: 'pusher-beams-key',
    keywords: ['pusher'],
    pattern: /pusher[\w .-]{0,24}secret[\w]{0,8}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[a-f0-9]{20,64})/i,
  },
  {
    type: 'bluesky-app-password',
    keywords: ['bsky', 'bluesky'],
    pattern:
      /(?:bsky|bluesky)[\w .-]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[a-z0-9]{4}(?:-[a-z0-9]{4}){3})/i,
  },
]
