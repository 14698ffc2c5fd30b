import {
  type Canary,
  type Code,
  type EventRow,
  formatPath,
  type Hook,
  isRecord,
  type Note,
  note,
  type Opinion,
  type Report,
  stringifyJson,
  validate,
} from '../../core/index.ts'
import type { ReadyHook } from '../../engine/index.ts'
import { failurePolicy } from '../../engine/index.ts'
import type { Finding } from '../check/findings.ts'
import type { RuleProof } from './rules.ts'
import { type Payload, plainPayload, sampleFor, textField } from './sample.ts'

/** `proven`: it did what it is there for. `answers`: it ran and answered, and there is no more to prove. */
export type Proof = 'proven' | 'answers' | 'unproven' | 'failed' | 'off'

/** One run of the hook. */
export interface ProofRun {
  /** Absent: an ordinary payload that its matcher accepts. */
  canary?: string
  payload: Payload
  report: Report
}

export interface Examination {
  hook: Hook
  proof: Proof
  /** In a few words, what was seen. */
  summary: string
  runs: ProofRun[]
  findings: Finding[]
  /** Of a list of rules: each that blocks or asks. */
  rules?: readonly RuleProof[]
}

/** What all answers of a hook prove. */
export function judge(
  examination: Examination,
  ready: ReadyHook,
  canaries: readonly unknown[] | undefined,
): Examination {
  const { hook, runs, findings } = examination
  const end = (proof: Proof, summary: string) => ({ ...examination, proof, summary })
  const last = runs.at(-1)
  const failure = last?.report.failure
  if (failure) return end('failed', `it failed (${failure.kind})${consequence(ready)}`)
  const wrong = findings.find(({ severity }) => severity === 'error')
  if (wrong) return end('failed', troubles[wrong.code] ?? 'it does not work')
  const shadow = hook.mode === 'shadow' ? ', but in shadow mode it only reports' : ''
  if (last?.canary !== undefined) return end('proven', `${acted(last.report)} its canary${shadow}`)
  if (!last) return end('unproven', 'it did not run')
  if (blocks(last.report.opinion)) return end('proven', `${acted(last.report)} what its matcher lets through${shadow}`)
  const effects = Object.keys(last.report.opinion ?? {})
  if (effects.length > 0) return end('answers', `answered with ${effects.join(', ')}`)
  if (canaries !== undefined || !seemsToGuard(ready)) return end('answers', 'answered: no opinion')
  const example = ready.row.subject.args === undefined ? '<text>' : '{ command: … }'
  findings.push({ ...note('canary-missing', { example }, about(hook)), severity: 'warning' })
  return end('unproven', 'answered, but nothing proves that it blocks')
}

/** On a guarded event, unless the config says `on_failure: warn`. Systems that fail open have guards, too. */
const seemsToGuard = ({ hook, row }: ReadyHook): boolean =>
  row.failure === 'closed' && !hook.background && hook.onFailure !== 'warn'

const troubles: Partial<Record<Code, string>> = {
  'canary-passed': 'it let its canary through',
  'canary-unseen': 'its canary does not reach it',
  'canary-invalid': 'its canary cannot be raised',
}

/** What its failures amount to, where something could have been denied. */
function consequence({ hook, row }: ReadyHook): string {
  if (row.deny === undefined) return ''
  return failurePolicy(hook, row) === 'closed' ? ', which blocks everything' : ', which lets everything through'
}

const words: Readonly<Record<string, string>> = {
  deny: 'blocked',
  halt: 'halted at',
  ask: 'asks about',
}
const acted = ({ outcome, opinion }: Report): string =>
  words[outcome ?? ''] ?? (opinion?.rewrite ? 'rewrote' : 'answered')

/** The strictest that was expected, or stricter; and of everything else expected, something. */
export function holds(expect: Partial<Opinion>, opinion: Opinion): boolean {
  const stopped = blocks(opinion)
  return Object.keys(expect).every((effect) =>
    effect === 'decision' || effect === 'halt' ? stopped : stopped || opinion[effect as keyof Opinion] !== undefined,
  )
}

const blocks = ({ halt, decision }: Opinion = {}): boolean =>
  halt !== undefined || decision?.ruling === 'deny' || decision?.ruling === 'ask'

/** Whoever writes a canary wants it blocked; asking a person is blocking, too. */
const blocked = { decision: { ruling: 'ask', reason: '' } } as const

/**
 * What the hook must block: its own canaries, else those that its executor knows of. Undefined: nobody knows any.
 * Each is made whole, and is a payload that reaches the hook. A canary of its own that does not is replaced by a note that says why.
 */
export function canariesFor(ready: ReadyHook): (Canary | Note)[] | undefined {
  const { hook, row } = ready
  if (hook.canary === undefined) return knownCanaries(ready)
  return [hook.canary].flat().map((written) => {
    const payload = payloadOf(written, row)
    if (payload === undefined) return invalid(hook, `\`${inWords(written)}\` is neither a payload nor a part of one`)
    const canary = { title: inWords(written), payload: { ...plainPayload(row), ...payload }, expect: blocked }
    const named = (row.subject.tool ?? '') in payload ? canary : withTool(ready, canary)
    return problemOf(ready, named) ?? named
  })
}

/** Short forms: the arguments of the tool, its command alone, or the text that the event is about. */
function payloadOf(written: unknown, row: EventRow): Payload | undefined {
  const args = row.subject.args
  if (isRecord(written)) {
    const isPayload = args === undefined || Object.keys(written).some((key) => Object.hasOwn(row.fields, key))
    return isPayload ? written : { [args]: written }
  }
  if (typeof written !== 'string') return undefined
  const field = textField(row)
  if (args !== undefined) return { [args]: { command: written } }
  return field === undefined ? undefined : { [field]: written }
}

/** They name some tool; the one that the matcher wants will do as well. What never reaches the hook proves nothing. */
function knownCanaries(ready: ReadyHook): Canary[] | undefined {
  const { hook, row, executor, spec } = ready
  const known = executor.canaries?.(spec, hook)
  const whole = known?.map((canary) => ({ ...canary, payload: { ...plainPayload(row), ...canary.payload } }))
  const reaching = whole
    ?.map((canary) => (reaches(ready, canary) ? canary : withTool(ready, canary)))
    .filter((canary) => reaches(ready, canary))
  return known?.length !== 0 && reaching?.length === 0 ? undefined : reaching
}

function withTool(ready: ReadyHook, canary: Canary): Canary {
  const names = ready.hook.matcher.filter(({ facet }) => facet !== 'args' && facet !== 'text')
  const sample = sampleFor(ready, canary.payload, names)
  return sample.ok ? { ...canary, payload: sample.payload } : canary
}

const reaches = ({ tests }: ReadyHook, { payload }: Canary): boolean => tests.every((test) => test.passes(payload))

function problemOf({ hook, row, tests }: ReadyHook, { title, payload }: Canary): Note | undefined {
  const checked = validate(row.payload, payload)
  const [issue] = checked.ok ? [] : checked.problems
  if (issue) return invalid(hook, `\`${formatPath(issue.path)}\` ${issue.detail}`)
  const failed = tests.find((test) => !test.passes(payload))
  if (!failed) return undefined
  const saw = failed.saw(payload).map((value) => JSON.stringify(value))
  const detail = `its test of ${failed.facet} saw ${saw.join(', ') || 'nothing'}`
  return note('canary-unseen', { canary: title, detail }, about(hook))
}

function invalid(hook: Hook, detail: string): Note {
  const fix = `Write the fields that docs/events.md lists for ${hook.event}, or only what the guard looks at.`
  return note('canary-invalid', { event: hook.event, detail, fix }, about(hook))
}

export const about = ({ id, origin: { where } }: Hook) => ({ hook: id, ...(where && { where }) })

function inWords(written: unknown): string {
  const text = typeof written === 'string' ? written : stringifyJson(written)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
