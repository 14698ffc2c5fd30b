import { addRule, lastingAnswer, type PendingQuestion } from 'hookline/internal'
import { answerWords, harmless, masked, refusalOf, ruleLine } from 'hookline/internal/server'
import * as z from 'zod/mini'
import { timesSeen } from '../decisions/index.ts'
import { refuse } from '../http/problem.ts'
import { route } from '../http/route.ts'
import type { Sql } from '../store/index.ts'
import type { World } from '../world.ts'

const question = z.object({
  id: z.string(),
  asked: z.string(),
  expires: z.string(),
  host: z.string(),
  session: z.nullable(z.string()),
  cwd: z.string(),
  what: z.string(),
  reason: z.string(),
  hooks: z.array(z.string()),
})

const pending = z.object({
  ...question.shape,
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  details: z.record(z.string(), z.string()),
  /** How often the same was decided about before. */
  seen: z.int(),
})

export const listQuestions = route({
  method: 'get',
  path: '/api/questions',
  summary: 'What agents wait for now, with all that helps to answer.',
  needs: 'viewer',
  answer: z.object({ connected: z.boolean(), questions: z.array(pending) }),
  async handle({ world }) {
    const questions = await Promise.all(world.questions.pending.map((each) => shown(each, world.sql)))
    return { connected: world.questions.connected, questions }
  },
})

async function shown(raw: PendingQuestion, sql: Sql) {
  const { id, asked, expires, host, session, cwd, what, reason, hooks, details = {}, call } = masked(raw)
  const seen = await timesSeen(sql, harmless(raw.what))
  return {
    ...{ id, asked, expires, host, session: session ?? null, cwd, what, reason, hooks: [...hooks] },
    ...{ tool: call.tool, input: { ...call.input }, details: { ...details }, seen },
  }
}

export const answeredQuestions = route({
  method: 'get',
  path: '/api/questions/history',
  summary: 'Questions of the past, the newest first, and what became of them.',
  needs: 'viewer',
  query: z.object({
    limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(500))),
    before: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
  }),
  answer: z.object({
    questions: z.array(
      z.object({
        ...question.shape,
        settled: z.string(),
        /** Absent: nobody answered in time, and the call was refused. */
        answer: z.nullable(z.enum(answerWords)),
        because: z.nullable(z.string()),
        by: z.nullable(z.string()),
        rule: z.nullable(z.string()),
      }),
    ),
    next: z.nullable(z.int()),
  }),
  async handle({ query: { limit = 50, before = Number.MAX_SAFE_INTEGER }, world }) {
    const rows = await world.sql.all<HistoryRow>(
      'select * from questions where settled is not null and asked < $1 order by asked desc limit $2',
      [before, limit],
    )
    const questions = rows.map(({ asked, expires, settled, hooks, answered_by: by, ...row }) => ({
      ...row,
      asked: new Date(asked).toISOString(),
      expires: new Date(expires).toISOString(),
      settled: new Date(settled).toISOString(),
      hooks: JSON.parse(hooks) as string[],
      by,
    }))
    return { questions, next: rows.length === limit ? (rows.at(-1)?.asked ?? null) : null }
  },
})

interface HistoryRow {
  id: string
  asked: number
  expires: number
  settled: number
  host: string
  session: string | null
  cwd: string
  what: string
  reason: string
  hooks: string
  answer: (typeof answerWords)[number] | null
  because: string | null
  answered_by: string | null
  rule: string | null
}

const named = z.object({ id: z.string().check(z.maxLength(100)) })

export const lastingRule = route({
  method: 'get',
  path: '/api/questions/:id/always',
  summary: 'The rule that the answer `always` would write, and the file; or why there is none.',
  needs: 'operator',
  params: named,
  answer: z.object({
    rule: z.nullable(z.string()),
    file: z.nullable(z.string()),
    impossible: z.nullable(z.string()),
  }),
  async handle({ params, world }) {
    const lasting = await lastingAnswer(questionOf(params.id, world))
    if ('impossible' in lasting) return { rule: null, file: null, impossible: lasting.impossible }
    return { rule: ruleLine(lasting.rule), file: lasting.target.file, impossible: null }
  },
})

export const answerQuestion = route({
  method: 'post',
  path: '/api/questions/:id/answer',
  summary:
    'Answers: `yes` once, `session` for the same call in the rest of the session, `always` with a rule, `no` with a reason for the agent. All but `no` need proof of a person.',
  needs: 'operator',
  params: named,
  body: z.object({
    answer: z.enum(answerWords),
    because: z.optional(z.string().check(z.maxLength(2_000))),
  }),
  answer: z.object({ ok: z.literal(true), rule: z.nullable(z.string()) }),
  unaudited: 'The entry of the call has who answered; a rule that is added has a line of its own.',
  async handle({ params: { id }, body: { answer, because }, who, world, recordChange }) {
    if (answer !== 'no') world.proofs.need(who)
    const asked = questionOf(id, world)
    const lasting = answer === 'always' ? await ruleFor(asked) : undefined
    const given = {
      answer,
      by: `${who.name} at the console`,
      ...(because !== undefined && because !== '' && { because }),
    }
    const answered = await world.questions.answer(id, given).catch((error: Error) => {
      // It takes answers only from where a person may sit, and says why not.
      throw refuse(409, 'request-conflict', { detail: error.message })
    })
    const refusal = refusalOf(answered, id)
    if (refusal !== undefined) throw refuse(409, 'request-conflict', { detail: refusal })
    if (!lasting) return { ok: true as const, rule: null }
    // Only now: an answer that came too late, or that somebody gave before, must not change a file.
    const { rule, file } = await addRule(lasting.target, lasting.rule, asked.cwd)
    await world.questions.addedRule(id, rule.id ?? '')
    await recordChange(`added the rule ${rule.id}`, { file, question: id })
    await world.hub.publish('rules.changed', { file })
    return { ok: true as const, rule: rule.id ?? null }
  },
})

function questionOf(id: string, world: World): PendingQuestion {
  const found = world.questions.pending.find((each) => each.id === id)
  if (found) return found
  throw refuse(404, 'request-not-found', { what: 'question that waits under this name' })
}

async function ruleFor(asked: PendingQuestion) {
  const lasting = await lastingAnswer(asked)
  if ('impossible' in lasting) throw refuse(422, 'request-conflict', { detail: lasting.impossible })
  return lasting
}

const asked = z.object({
  proven: z.boolean(),
  /** Sent along from now on, as `X-Hookline-Proof`. */
  key: z.optional(z.string()),
  question: z.optional(z.string()),
  secret: z.optional(z.boolean()),
  /** Where to sign in again instead, and thereby show it. */
  sign_in: z.optional(z.string()),
})

export const beginProof = route({
  method: 'post',
  path: '/api/proof',
  summary: 'Begins to prove a person: asks for the passphrase, or for a code that the terminal of the server shows.',
  needs: 'operator',
  answer: asked,
  unaudited: 'Nothing is changed yet.',
  handle: async ({ who, world }) => world.proofs.begin(who),
})

export const giveProof = route({
  method: 'post',
  path: '/api/proof/answer',
  summary:
    'What was typed. `proven`: for a quarter of an hour, whoever sends `key` along (`X-Hookline-Proof`) in this session is a person.',
  needs: 'operator',
  body: z.object({ typed: z.string().check(z.maxLength(500)) }),
  answer: asked,
  async handle({ body, who, world, recordChange }) {
    const result = await world.proofs.give(who, body.typed)
    await recordChange(result.proven ? 'proved to be a person' : 'typed a wrong code or passphrase')
    return result
  },
})
