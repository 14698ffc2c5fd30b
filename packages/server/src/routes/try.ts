import {
  addCase,
  configured,
  type Expectation,
  eventNames,
  explainEvent,
  formatNote,
  type Given,
  knownTools,
  loadDialect,
  type Note,
  questionOfGiven,
  remarkOnAction,
  trustBy,
  UsageError,
} from 'hookline/internal'
import { caseShapes, explanationAsJson, foldAsJson, foreseenSteps } from 'hookline/internal/server'
import * as z from 'zod/mini'
import { calledIn } from '../called-in.ts'
import { refuse } from '../http/problem.ts'
import { mayDo, route } from '../http/route.ts'
import { projectFrom } from '../projects.ts'

const text = z.string().check(z.maxLength(4_096))
const place = z.nullable(z.object({ file: z.string(), line: z.optional(z.int()), column: z.optional(z.int()) }))
const given = caseShapes.given as z.ZodMiniType<Given>
const opinion = z.record(z.string(), z.unknown())

export const vocabulary = route({
  method: 'get',
  path: '/api/vocabulary',
  summary: 'The names of events and tools, as rules, hooks and test cases use them.',
  needs: 'viewer',
  answer: z.object({ events: z.array(z.string()), tools: z.array(z.string()) }),
  handle: async () => ({ events: [...eventNames], tools: Object.keys(knownTools) }),
})

export const explain = route({
  method: 'post',
  path: '/api/explain',
  summary:
    'What a command or any other event would do, which rules and hooks decide about it, and why. Rules and our own guards decide; no other hook runs, unless an administrator who has shown to be a person wants it (`run`).',
  // It looks at the world as an agent would: who may see that may also answer.
  needs: 'operator',
  unaudited: 'Nothing is changed.',
  body: z.object({ project: z.optional(text), given, run: z.optional(z.boolean()) }),
  answer: z.object({
    project: z.string(),
    event: z.string(),
    payload: z.record(z.string(), z.unknown()),
    /** What it would do; `complete`: nothing beside it is possible. */
    actions: z.array(z.object({ kind: z.string(), shown: z.string(), remark: z.string() })),
    complete: z.boolean(),
    doubt: z.nullable(z.string()),
    at_stake: z.array(z.object({ row: z.string(), means: z.string(), reason: z.string(), radius: z.string() })),
    rules: z.array(
      z.object({
        id: z.string(),
        ruling: z.enum(['allow', 'ask', 'deny']),
        layer: z.string(),
        where: place,
        match: z.enum(['decides', 'overruled', 'waits', 'none']),
      }),
    ),
    hooks: z.array(
      z.object({
        id: z.string(),
        event: z.string(),
        type: z.string(),
        layer: z.string(),
        where: place,
        stage: z.int(),
        mode: z.string(),
        runs: z.boolean(),
        why: z.nullable(z.string()),
        untrusted: z.nullable(z.string()),
        matcher: z.array(
          z.object({ looks_at: z.string(), for: z.string(), saw: z.array(z.string()), passes: z.boolean() }),
        ),
      }),
    ),
    /** What each hook answered, and the verdict so far. */
    fold: z.array(
      z.object({
        hook: z.string(),
        outcome: z.nullable(z.string()),
        said: z.nullable(opinion),
        rules: z.array(z.string()),
        failure: z.nullable(z.string()),
        counts: z.boolean(),
        so_far: opinion,
      }),
    ),
    /** Hooks that would run, and did not run here: what they answer is not known. */
    unknown: z.array(z.string()),
    decision: z.nullable(z.object({ ruling: z.string(), reason: z.optional(z.string()) })),
    by: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  async handle({ body, who, world }) {
    if (body.run) {
      if (!mayDo(who.role, 'admin')) throw refuse(403, 'role-too-weak', { needed: 'admin', role: who.role })
      world.proofs.need(who)
    }
    const project = await projectFrom(world, body.project)
    const question = await questionOfGiven(body.given, { cwd: project, project_dir: project, session_id: 'try' })
    const { files, cwd, off } = await configured(calledIn(project), [], { quiet: true, mayBeNone: true })
    const { trust, approver } = await trustBy([])
    const notes: Note[] = []
    const explained = await explainEvent(question, {
      ...{ files, cwd, off, dialect: await loadDialect(body.given.dialect ?? 'native'), approver },
      ...(trust && { trust }),
      ...{ run: body.run === true, onNote: (note: Note) => void notes.push(note) },
    }).catch((error: unknown) => {
      if (error instanceof UsageError) throw refuse(409, 'request-conflict', { detail: error.message })
      throw error
    })
    const { event, payload, at_stake: stakes, rules = [], hooks, foreseen, ...rest } = explanationAsJson(explained)
    const fold = foldAsJson(foreseenSteps(explained))
    const answered = new Set(fold.map(({ hook }) => hook))
    const { actions } = explained.judged
    const verdict = explained.ran?.verdict.decision ?? foreseen?.decision ?? null
    // A person reads the words of a project also before anybody has approved them; agents do not.
    const reason = explained.judged.foreseen?.approvedReason ?? verdict?.reason
    return {
      ...{ project, event, payload },
      actions: (actions?.actions ?? [])
        .filter((action) => action.kind !== 'run' || !action.wraps)
        .map((action) => ({ kind: action.kind, shown: action.shown, remark: remarkOnAction(action) })),
      ...{ complete: rest.complete ?? true, doubt: actions?.doubt ?? null },
      at_stake: stakes.map(({ row, means, reason, radius }) => ({ row, means, reason, radius })),
      rules,
      hooks: hooks.map(({ asked, why, detail, untrusted, matcher, dialect: _dialect, ...hook }) => ({
        ...{ ...hook, runs: asked, why: detail ?? why, untrusted: untrusted?.detail ?? null },
        matcher: matcher.map(({ saw, ...test }) => ({ ...test, saw: [...saw] })),
      })),
      fold: fold.map(({ said, rules: matched, failure, so_far, actions: _actions, ...step }) => ({
        ...{ ...step, said: said as Record<string, unknown> | null, rules: [...(matched ?? [])] },
        ...{ failure: failure ? `${failure.kind}: ${failure.detail}` : null, so_far: { ...so_far } },
      })),
      unknown: hooks.filter(({ id, asked }) => asked && !answered.has(id)).map(({ id }) => id),
      decision: verdict && { ruling: verdict.ruling, ...(reason !== undefined && { reason }) },
      by: [...(foreseen?.by ?? [])],
      notes: notes.map((note) => formatNote(note)),
    }
  },
})

export const saveCase = route({
  method: 'post',
  path: '/api/cases',
  summary: 'Writes down what was tried as a test case of the project, for `hookline test`; comments in the file stay.',
  needs: 'admin',
  body: z.object({
    project: z.optional(text),
    name: z.string().check(z.minLength(1), z.maxLength(200)),
    given,
    expect: caseShapes.expectation as z.ZodMiniType<Expectation>,
  }),
  answer: z.object({ file: z.string(), name: z.string() }),
  status: 201,
  async handle({ body: { project: named, ...added }, world, recordChange }) {
    const project = await projectFrom(world, named)
    const saved = await addCase(project, added)
    await recordChange(`added the test case “${saved.name}”`, { file: saved.file })
    return saved
  },
})
