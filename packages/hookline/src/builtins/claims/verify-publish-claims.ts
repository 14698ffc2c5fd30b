import * as z from 'zod/mini'
import { type BuiltinKit, byEvent, defineBuiltin, type Opinion } from '../../core/index.ts'
import { argument, count, deny, replaceBy } from '../parts.ts'
import {
  beginDeeds,
  type Deeds,
  deedsOf,
  deedsOfRegistry,
  isKnown,
  mayInsist,
  type Proof,
  readRegistries,
  recordDeed,
  registry,
  wasDone,
} from './evidence.ts'
import { claims, sentencesOf, urlsOf } from './prose.ts'

interface Kind extends Proof {
  /** As in “nothing was …”. */
  done: string
  patterns: readonly RegExp[]
}

const opener = '^(?:[^\\w\\s]+\\s*)?(?:(?:done|success|great news|all set|ok(?:ay)?)[:,!.]*\\s*)?'
const adverbs = '(?:(?:just|now|already|also|successfully)\\s+)*'
const firstPerson = (verbs: string): RegExp[] => [
  new RegExp(`\\b(?:I|we)(?:'ve| have)?\\s+${adverbs}(?:${verbs})\\b`, 'i'),
  new RegExp(
    `${opener}(?:successfully\\s+)?(?:${verbs})\\s*(?:[!.:]|to\\b|at\\b|on\\s+(?!\\w+day\\b)|it\\b|the\\b|your\\b|https?:)`,
    'i',
  ),
  new RegExp(`\\b(?:is|are|was|were|has been|have been)\\s+(?:now|just|successfully)\\s+(?:${verbs})\\b`, 'i'),
]

/** One releases locks and launches processes, too. */
const products = '(?:app|package|site|website|page|product|version|release|update|library)'

/** What can be claimed, how that sounds, and what having done it looks like. One row per kind. */
const kinds: Record<string, Kind> = {
  publish: {
    done: 'published',
    patterns: [
      ...firstPerson(
        `published|deployed|(?:released|launched) (?:it|version|v?\\d\\S*|(?:the|your|a) (?:new )?${products})`,
      ),
      /\bis\s+(?:now\s+)?live\s+(?:at|on|here)\b/i,
      /\bis now live\b/i,
      /已(?:经)?(?:成功)?(?:发布|部署|上线)/,
    ],
    tools: ['*publish*', '*deploy*', '*release*', '*preview*', '*upload*'],
    commands:
      /\b(?:publish|deploy|release|vercel|netlify|wrangler|surge|gh-pages|rsync|scp|git\s+push|docker\s+push|kubectl\s+apply|terraform\s+apply|fly\s+launch)\b/,
  },
  post: {
    done: 'posted',
    patterns: [
      ...firstPerson(
        'posted|tweeted|emailed|messaged|sent (?:the|your|an?|this|that) (?:message|e-?mail|post|tweet|reply|notification)',
      ),
      /已(?:经)?(?:成功)?(?:发帖|发送|发推)/,
    ],
    tools: ['*post*', '*tweet*', '*send*', '*message*', '*mail*', '*notify*', '*reply*'],
    commands: /\b(?:curl|wget|http|sendmail|mail|mutt|gh\s+(?:issue|pr)\s+(?:create|comment)|slack)\b/,
  },
  schedule: {
    done: 'scheduled',
    patterns: [
      ...firstPerson(
        'scheduled|set(?: up)? (?:a|the|your|an) (?:\\w+ )?(?:reminder|cron(?: job)?|alarm|timer|scheduled task|schedule)',
      ),
      /^reminder (?:is |has been )?(?:set|scheduled)\b/i,
      /已(?:经)?(?:成功)?(?:安排|设置)(?:了)?(?:提醒|定时)/,
    ],
    tools: ['*schedul*', '*remind*', '*cron*', '*timer*', '*alarm*', '*calendar*', '*automation*'],
    commands: /\b(?:crontab|systemd-run|launchctl|schtasks|at\s+(?:now|\d))/,
  },
}
const kindNames = Object.keys(kinds)

const args = z.strictObject({
  kinds: argument(z.array(z.enum(kindNames)), 'Which claims to check.', kindNames),
  registries: argument(
    z.array(registry),
    'Where the truth is kept: `{json: file}`, `{http: url}` or `{command: [program, …]}`. A claimed URL must be known there.',
    [],
  ),
  max_blocks: argument(count, 'How often a session is sent back before the user only sees a message.', 2),
})
type Args = z.infer<typeof args>
type Given = { payload: { response?: string | undefined; tool_names?: readonly string[] | undefined } }

export const verifyPublishClaims = defineBuiltin({
  name: 'verify_publish_claims',
  liveOutput: true,
  doc:
    'Catches success that did not happen: “Published!”, “Posted to …”, “Reminder scheduled” from an agent that did none of it. Checks the tools that ran and the ' +
    'registries you name; sends the agent back to do it for real. Use it on `session_start` and `post_tool_use` too, where it notes what was done.',
  ...byEvent<Args>({
    stop: judge,
    on_completion_claim: judge,
    async on_response_end({ payload }, args, kit) {
      const finding = await findFalse(payload, args, kit)
      return (
        finding && {
          rewrite: replaceBy(
            `${payload.response}\n\n⚠️ Not verified: no tool call of this session shows that anything was ${finding.kind.done}.`,
          ),
        }
      )
    },
    post_tool_use: async ({ payload }, _args, kit) => void (await recordDeed(payload, kit)) as undefined,
    session_start: async (_event, _args, kit) => void (await beginDeeds(kit)) as undefined,
  }),
  args,
  does: ({ registries }, event) => [
    ...registries.flatMap(deedsOfRegistry),
    ...(event === 'on_response_end' ? (['loosens'] as const) : []),
  ],
  examples: [
    {
      title: 'a made-up success',
      event: 'stop',
      payload: { response: 'Published! See https://pages.example.com/my-site', tool_names: [] },
      expect: {
        decision: deny(
          'You say: “Published!” But nothing was published in this session: no tool that does it has run. Do it for real and check that it worked, or say plainly that it is not done.',
        ),
      },
    },
    {
      title: 'a URL that the registry does not know',
      given: { files: { 'previews.json': '[{"url":"https://pages.example.com/other"}]' } },
      event: 'stop',
      payload: { response: "I've published it at https://pages.example.com/my-site.", tool_names: ['publish_site'] },
      args: { registries: [{ json: 'previews.json' }] },
      expect: { decision: { ruling: 'deny' } as never },
    },
    {
      title: 'a URL that it knows',
      given: { files: { 'previews.json': '[{"url":"https://pages.example.com/my-site"}]' } },
      event: 'stop',
      payload: { response: "I've published it at https://pages.example.com/my-site.", tool_names: [] },
      args: { registries: [{ json: 'previews.json' }] },
      expect: undefined,
    },
    {
      title: 'it was done earlier in the session',
      before: [{ event: 'post_tool_use', payload: { tool_name: 'shell', tool_input: { command: 'npm publish' } } }],
      event: 'stop',
      payload: { response: 'I published version 1.2.' },
      expect: undefined,
    },
    {
      title: 'an offer',
      event: 'stop',
      payload: { response: 'I can publish it once you are ready.', tool_names: [] },
      expect: undefined,
    },
    {
      title: 'a fact about the world',
      event: 'stop',
      payload: { response: 'The meeting is scheduled for Monday.', tool_names: [] },
      expect: undefined,
    },
    {
      title: 'another sense of the word',
      event: 'stop',
      payload: { response: "I've set the variable to 3.", tool_names: [] },
      expect: undefined,
    },
  ],
})

interface Finding {
  kind: Kind
  sentence: string
  why: string
}

async function findFalse(
  { response = '', tool_names }: Given['payload'],
  args: Args,
  kit: BuiltinKit,
): Promise<Finding | undefined> {
  const sentences = sentencesOf(response)
  const claimed = args.kinds.flatMap((name) => {
    const kind = kinds[name] as Kind
    return sentences.filter((sentence) => claims(sentence, kind.patterns)).map((sentence) => ({ kind, sentence }))
  })
  if (claimed.length === 0) return undefined
  const deeds = await deedsOf({ tool_names }, kit)
  const truth = args.registries.length > 0 ? await readRegistries(args.registries, kit) : undefined
  for (const { kind, sentence } of claimed) {
    const why = disproof(kind, urlsOf(sentence).length > 0 ? urlsOf(sentence) : urlsOf(response), deeds, truth)
    if (why !== undefined) return { kind, sentence, why }
  }
  return undefined
}

/** A registry is the truth about URLs; without one, or without a URL, having used the tool is proof enough. */
function disproof(
  kind: Kind,
  urls: readonly string[],
  deeds: Deeds | undefined,
  truth: string | undefined,
): string | undefined {
  if (truth !== undefined && urls.length > 0)
    return urls.some((url) => isKnown(url, truth)) ? undefined : `${urls[0]} is not in the registry`
  if (!deeds || wasDone(deeds, kind)) return undefined
  return 'no tool that does it has run'
}

async function judge(
  { payload }: Given,
  args: Args,
  kit: BuiltinKit,
): Promise<Pick<Opinion, 'decision' | 'message'> | undefined> {
  const finding = await findFalse(payload, args, kit)
  if (!finding) return undefined
  const { kind, sentence, why } = finding
  if (!(await mayInsist(kit, args.max_blocks)))
    return { message: [`The agent says “${sentence}”, which could not be verified: ${why}.`] }
  return {
    decision: deny(
      `You say: “${sentence}” But nothing was ${kind.done} in this session: ${why}. ` +
        'Do it for real and check that it worked, or say plainly that it is not done.',
    ),
  }
}
