import { type Code, type Hook, note, type Opinion, type Report } from '../../core/index.ts'
import type { ReadyHook } from '../../engine/index.ts'
import { failurePolicy } from '../../engine/index.ts'
import type { Finding } from '../check/findings.ts'
import { about } from './canary.ts'
import type { Payload } from './sample.ts'

/** `proven`: it did what it is there for. `answers`: it ran and answered, and there is no more to prove. */
export type Proof = 'proven' | 'answers' | 'unproven' | 'failed' | 'off'

/** One time that the hook was asked. */
export interface Hearing {
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
  hearings: Hearing[]
  findings: Finding[]
}

/** What all that was heard of a hook amounts to. */
export function judge(
  examination: Examination,
  ready: ReadyHook,
  canaries: readonly unknown[] | undefined,
): Examination {
  const { hook, hearings, findings } = examination
  const end = (proof: Proof, summary: string) => ({ ...examination, proof, summary })
  const last = hearings.at(-1)
  const failure = last?.report.failure
  if (failure) return end('failed', `it failed (${failure.kind})${consequence(ready)}`)
  const wrong = findings.find(({ severity }) => severity === 'error')
  if (wrong) return end('failed', troubles[wrong.code] ?? 'it does not work')
  const shadow = hook.mode === 'shadow' ? ', but in shadow mode it only reports' : ''
  if (last?.canary !== undefined) return end('proven', `${acted(last.report)} its canary${shadow}`)
  if (!last) return end('unproven', 'it was not asked')
  if (blocks(last.report.opinion)) return end('proven', `${acted(last.report)} what its matcher lets through${shadow}`)
  const said = Object.keys(last.report.opinion ?? {})
  if (said.length > 0) return end('answers', `answered with ${said.join(', ')}`)
  if (canaries !== undefined || !seemsToGuard(ready)) return end('answers', 'answered: no opinion')
  const example = ready.row.subject.args === undefined ? '<text>' : '{ command: … }'
  findings.push({ ...note('canary-missing', { example }, about(hook)), severity: 'warning' })
  return end('unproven', 'answered, but nothing proves that it blocks')
}

/** On a guarded event, unless somebody said that its failures are only worth a warning. Systems that fail open have guards, too. */
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
  words[outcome ?? ''] ?? (opinion?.rewrite ? 'rewrote' : 'spoke up about')

/** The strictest that was expected, or stricter; and of everything else expected, something. */
export function holds(expect: Partial<Opinion>, opinion: Opinion): boolean {
  const stopped = blocks(opinion)
  return Object.keys(expect).every((effect) =>
    effect === 'decision' || effect === 'halt' ? stopped : stopped || opinion[effect as keyof Opinion] !== undefined,
  )
}

const blocks = ({ halt, decision }: Opinion = {}): boolean =>
  halt !== undefined || decision?.ruling === 'deny' || decision?.ruling === 'ask'
