import * as z from 'zod/mini'
import { type BuiltinKit, byEvent, defineBuiltin, type Opinion } from '../../core/index.ts'
import { argument, count, deny, texts } from '../parts.ts'
import { beginDeeds, deedsOf, mayInsist, recordDeed, wasDone } from './evidence.ts'
import { sentencesOf } from './prose.ts'

const schedulers = [
  '*schedul*',
  '*remind*',
  '*cron*',
  '*timer*',
  '*alarm*',
  '*calendar*',
  '*monitor*',
  '*watch*',
  '*background*',
  '*automation*',
]

const args = z.strictObject({
  tools: argument(texts, 'Tools by which the agent can act later; `*` stands for anything.', schedulers),
  max_blocks: argument(count, 'How often a session is sent back before the user only sees a message.', 2),
})
type Args = z.infer<typeof args>
type Given = { payload: { response?: string | undefined; tool_names?: readonly string[] | undefined } }

export const verifyCommitments = defineBuiltin({
  name: 'verify_commitments',
  liveOutput: true,
  doc:
    'Catches promises that nothing will keep: “I’ll remind you tomorrow” from an agent that set no reminder. Sends it back to do it or to take it back. ' +
    'Use it on `session_start` and `post_tool_use` too, where it notes what was done.',
  ...byEvent<Args>({
    stop: judge,
    on_completion_claim: judge,
    post_tool_use: async ({ payload }, _args, kit) => void (await recordDeed(payload, kit)) as undefined,
    session_start: async (_event, _args, kit) => void (await beginDeeds(kit)) as undefined,
  }),
  args,
  does: [],
  examples: [
    {
      title: 'a promise without a reminder',
      event: 'stop',
      payload: { response: "All set. I'll remind you tomorrow at 9.", tool_names: [] },
      expect: {
        decision: deny(
          "You promise: “I'll remind you tomorrow at 9.” Nothing you did will make that happen after this turn. Schedule it with a tool, or tell the user plainly that you cannot.",
        ),
      },
    },
    {
      title: 'a promise with a reminder',
      before: [{ event: 'post_tool_use', payload: { tool_name: 'create_reminder', tool_input: {} } }],
      event: 'stop',
      payload: { response: "I'll remind you tomorrow at 9." },
      expect: undefined,
    },
    {
      title: 'someone else will do it',
      event: 'stop',
      payload: { response: 'The app will notify you when the upload is done.', tool_names: [] },
      expect: undefined,
    },
    {
      title: 'an offer',
      event: 'stop',
      payload: { response: 'If you like, I can remind you tomorrow.', tool_names: [] },
      expect: undefined,
    },
  ],
})

const promise =
  /\b(?:I|we)(?:'ll| will| am going to|'m going to)\s+(?:(?:also|then|now|automatically|be sure to|make sure to)\s+)*(?:remind you|notify you|alert you|ping you|let you know|message you|e-?mail you|text you|update you|get back to you|follow up|check (?:back|again|in)|report back|keep (?:an eye|watching|monitoring|checking|you (?:posted|updated|informed))|continue (?:to )?(?:monitor|watch|check)|monitor|watch for|be back)\b/i
const promiseInChinese = /我(?:会|将)(?:持续|继续|定时|稍后|到时候?)?(?:提醒|通知|告诉|监控|盯着|跟进|关注|汇报)/
const later =
  /\b(?:tomorrow|tonight|later|daily|hourly|weekly|every|when(?:ever)?|once|as soon as|after|at \d|in \d+|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|next (?:week|month|time)|continuously|regularly|periodically|soon|back|posted|updated|informed|eye)\b/i
const conditional = /\b(?:if you|would you|want me|let me know|should you|shall I)\b/i

function promiseIn(response: string): string | undefined {
  return sentencesOf(response).find((sentence) => {
    if (/[?？]\s*$/.test(sentence)) return false
    if (promiseInChinese.test(sentence)) return true
    return promise.test(sentence) && later.test(sentence) && !conditional.test(sentence)
  })
}

async function judge(
  { payload }: Given,
  args: Args,
  kit: BuiltinKit,
): Promise<Pick<Opinion, 'decision' | 'message'> | undefined> {
  const sentence = promiseIn(payload.response ?? '')
  const deeds = sentence === undefined ? undefined : await deedsOf(payload, kit)
  if (sentence === undefined || !deeds || wasDone(deeds, { tools: args.tools, commands })) return undefined
  const reason =
    `You promise: “${sentence}” Nothing you did will make that happen after this turn. ` +
    'Schedule it with a tool, or tell the user plainly that you cannot.'
  if (await mayInsist(kit, args.max_blocks)) return { decision: deny(reason) }
  return { message: [`The agent promises “${sentence}”, but nothing was scheduled.`] }
}

const commands = /\b(?:crontab|at\s+(?:now|\d)|systemd-run|launchctl|schtasks|nohup)\b/
