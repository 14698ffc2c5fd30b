import {
  type Canary,
  type Event,
  eventRow,
  type Hook,
  HookFailure,
  type Note,
  note,
  type Opinion,
  outcomeOf,
  type Report,
  stringifyJson,
} from '../../core/index.ts'
import type { ReadyHook } from '../../engine/index.ts'
import { type RunServices, run } from '../../engine/index.ts'
import { quoteWord } from '../../shell/index.ts'
import type { TrustState } from '../../trust/index.ts'
import { isOfRules } from '../cases/rules.ts'
import type { Finding } from '../check/findings.ts'
import { describeMatcher } from '../text/inspection.ts'
import { count } from '../text/layout.ts'
import type { Ground } from './ground.ts'
import { about, canariesFor, type Examination, holds, judge, type Proof } from './proof.ts'
import { proveRules } from './rules.ts'
import { type Payload, plainPayload, sampleFor } from './sample.ts'

export interface Examiner {
  services: RunServices
  ground: Ground
  cwd: string
  /** Whether hooks that cost money run too. */
  spends: boolean
  trust(hook: Hook): TrustState
  /** What is wrong with the hook, as far as can be found without running it. */
  look(hook: Hook): Finding[]
  signal: AbortSignal
}

/** A hook that takes more of its time-out than this will run into it on a bad day. */
const slowShare = 0.5

/** Proves one hook as far as possible: inspects it, runs it on something ordinary, then on its canaries. */
export async function examine(ready: ReadyHook, examiner: Examiner): Promise<Examination> {
  const { hook, row, executor } = ready
  const examination: Examination = { hook, proof: 'off', summary: 'it is disabled', runs: [], findings: [] }
  if (!hook.enabled) return examination
  const { findings, runs } = examination
  const warn = (found: Note) => findings.push({ ...found, severity: 'warning' })
  const fail = (found: Note) => findings.push({ ...found, severity: 'error' })
  const end = (proof: Proof, summary: string) => ({ ...examination, proof, summary })

  findings.push(...examiner.look(hook))
  if (hasErrors(examination)) return end('failed', 'it cannot run')
  const session = sessionOf(hook, examiner.cwd)
  const { ground } = examiner
  const there = ground.hookThere(ready)
  const trust = ground.trust(
    there.hook,
    eventOf(hook, ground.there({ ...plainPayload(row), ...session })),
    ready.dialect,
    executor,
  )
  if (!trust.trusted) {
    const changed = examiner.trust(hook) === 'changed'
    fail({
      code: changed ? 'hook-changed' : 'hook-not-approved',
      message: trust.detail,
      remedy: trust.remedy,
      ...about(hook),
    })
    return end('failed', changed ? 'not run: it changed since it was approved' : 'not run: it is not approved')
  }
  if (executor.costs !== undefined && !examiner.spends) {
    const missing = missingFor(ready)
    if (missing)
      fail(note('hook-failed', { kind: missing.kind, detail: missing.message, fix: missing.remedy ?? '' }, about(hook)))
    else
      return end('unproven', `everything it needs is there; not run, because that costs ${executor.costs} (--models)`)
    return end('failed', 'it cannot run')
  }

  if (!ground.admits(ready)) return end('unproven', 'only checked, not run: there is no copy of the project (--live)')

  if (isOfRules(hook)) return examineRules(trust.restricted === true)

  const sample = sampleFor(ready, { ...plainPayload(row), ...session })
  const canaries = canariesFor(ready)
  if (sample.ok) await ask({ payload: sample.payload })
  else if (!canaries?.length) warn(note('sample-missing', { detail: describeMatcher([sample.test]) }, about(hook)))
  for (const canary of canaries ?? []) {
    if (hasErrors(examination)) break
    if ('code' in canary) fail(canary)
    else await askCanary(canary)
  }
  const judged = judge(examination, ready, canaries)
  return trust.restricted ? { ...judged, summary: `${judged.summary} (holds without approval)` } : judged

  /** Rules run in this process, and each is tried by itself first: what does not match it proves nothing. */
  async function examineRules(restricted: boolean): Promise<Examination> {
    const { proofs, problems } = await proveRules(hook, async (payload, only) => {
      const alone = only && { type: hook.run.type, rules: [only] }
      const one = only ? { ...there, hook: { ...there.hook, run: alone }, spec: { rules: [only] } } : there
      const asked = { ...plainPayload(row), ...session, ...payload }
      const services = only ? { ...examiner.services, trust: () => ({ trusted: true as const }) } : examiner.services
      const ran = await run(one as ReadyHook, eventOf(hook, ground.there(asked)), services, examiner.signal)
      const { report } = ground.here({ report: ran.report })
      if (!only) runs.push({ canary: stringifyJson(payload), payload: asked, report })
      return report
    })
    problems.forEach(fail)
    const number = (proof: Proof) => proofs.filter((each) => each.proof === proof).length
    const held = restricted ? ' (holds without approval)' : ''
    const whole = { ...examination, rules: proofs }
    if (proofs.length === 0) return { ...whole, proof: 'answers', summary: 'nothing here blocks or asks' }
    const summary = `${number('proven')} of ${count(proofs.length, 'rule')} proven${held}`
    const proof = number('failed') > 0 ? 'failed' : number('proven') > 0 ? 'proven' : 'unproven'
    return { ...whole, proof, summary }
  }

  async function ask(question: { canary?: string; payload: Payload }): Promise<Opinion> {
    const payload = { ...session, ...question.payload }
    const ran = await run(there, eventOf(hook, ground.there(payload)), examiner.services, examiner.signal)
    const { report, notes } = ground.here({ report: ran.report, notes: ran.notes })
    runs.push({ ...question, payload, report })
    for (const remark of remarks(ready, report, notes)) ('failure' in report ? fail : warn)(remark)
    return report.failure ? {} : (report.opinion ?? {})
  }

  async function askCanary({ title, before = [], payload, expect }: Canary): Promise<void> {
    for (const { event, payload } of before) {
      const earlier = { ...there, row: eventRow(event), hook: { ...there.hook, event } }
      const first = eventOf(earlier.hook, ground.there({ ...payload, ...session }))
      await run(earlier, first, examiner.services, examiner.signal)
    }
    const opinion = await ask({ canary: title, payload })
    if (hasErrors(examination) || holds(expect, opinion)) return
    const fix = `Nothing is guarded as it is. To see what it makes of it: \`${explaining(hook, payload)}\`.`
    fail(note('canary-passed', { canary: title, answer: outcomeOf(opinion), fix }, about(hook)))
  }
}

/** The command that shows how a hook came to its answer. */
function explaining({ event }: Hook, payload: Payload): string {
  const { tool_name: tool, tool_input: input } = payload
  const run = '--run --trust all'
  if (typeof tool === 'string')
    return `hookline explain --event ${event} --tool ${quoteWord(tool)} --input ${quoteWord(stringifyJson(input))} ${run}`
  return `echo ${quoteWord(stringifyJson(payload))} | hookline explain --event ${event} ${run}`
}

/** What an answer shows beside what it says: how it failed, how long it took, what was lost of it. */
function remarks({ hook }: ReadyHook, report: Report, notes: readonly Note[]): Note[] {
  const { failure, durationMs = 0 } = report
  const lost = notes.filter(({ code }) => !inReport.has(code)).map((each) => ({ ...each, ...about(hook) }))
  if (failure) {
    const fix = failure.remedy ?? 'Run it by hand with the same payload: `hookline doctor --json` shows it.'
    return [note('hook-failed', { kind: failure.kind, detail: failure.detail, fix }, about(hook)), ...lost]
  }
  const share = durationMs / hook.timeoutMs
  return [
    ...(share >= slowShare
      ? [
          note(
            'hook-slow',
            { took: milliseconds(durationMs), share: percent(share), limit: milliseconds(hook.timeoutMs) },
            about(hook),
          ),
        ]
      : []),
    ...lost,
  ]
}

/** Notes that say what the report says. */
const inReport: ReadonlySet<string> = new Set(['hook-failed', 'hook-warned', 'shadow-would'])

export const percent = (share: number): string => `${share < 0.01 ? '<1' : Math.round(share * 100)} %`
export const milliseconds = (time: number): string =>
  time < 1000 ? `${time.toFixed(time < 10 ? 1 : 0)} ms` : `${Number((time / 1000).toFixed(1))} s`

const hasErrors = ({ findings }: Examination): boolean => findings.some(({ severity }) => severity === 'error')

function missingFor({ executor, spec, hook }: ReadyHook): HookFailure | undefined {
  try {
    executor.ready?.(spec, hook)
    return undefined
  } catch (error) {
    if (error instanceof HookFailure) return error
    throw error
  }
}

/** Each hook in a session of its own: what one remembers is no business of another. */
function sessionOf({ id }: Hook, cwd: string): Payload {
  return { session_id: `doctor-${id}`, cwd, project_dir: cwd, ts: new Date().toISOString() }
}

const eventOf = ({ event: name }: Hook, payload: Payload): Event =>
  ({ name, payload: Object.freeze(payload), depth: 0, synthetic: true }) as unknown as Event
