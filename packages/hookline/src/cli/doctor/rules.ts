import {
  eventRow,
  type Hook,
  type NamedRule,
  type Note,
  note,
  outcomeOf,
  type Report,
  rulingOf,
  type Where,
} from '../../core/index.ts'
import { rulesIn } from '../cases/rules.ts'
import { type RuleSample, samplesFor, untriable } from './rule-samples.ts'
import type { Payload } from './sample.ts'

/** What was seen of one rule that blocks or asks. */
export interface RuleProof {
  rule: NamedRule
  where?: Where
  proof: 'proven' | 'unproven' | 'failed'
  /** What it was tried on, or why it was not. */
  summary: string
}

/** Runs a list of rules on a payload; with `only`, that rule alone. No process runs for that. */
export type TryRules = (payload: Payload, only?: NamedRule) => Promise<Report>

/** Proves each rule that blocks or asks on something made of what it says. */
export async function proveRules(hook: Hook, tryRules: TryRules): Promise<{ proofs: RuleProof[]; problems: Note[] }> {
  const problems: Note[] = []
  const proofs: RuleProof[] = []
  for (const rule of rulesIn(hook)) {
    const { ruling, target } = rulingOf(rule)
    if (ruling === 'allow' || !judgesOn(hook, target) || (ruling === 'ask' && !eventRow(hook.event).asks)) continue
    const place = hook.origin.places?.[rule.id] ?? hook.origin.where
    const end = (proof: RuleProof['proof'], summary: string) =>
      proofs.push({ rule, proof, summary, ...(place && { where: place }) })
    const why = untriable(rule)
    const sample = why === undefined ? await findSample(rule, hook, tryRules) : undefined
    if (!sample) {
      end('unproven', why ?? 'nothing could be made up that it matches')
      continue
    }
    const { opinion = {}, failure, rules = [] } = await tryRules(sample.payload)
    const stops = ['deny', 'ask'].includes(opinion.decision?.ruling ?? '')
    if (!failure && stops && rules.includes(rule.id)) {
      end('proven', `${opinion.decision?.ruling === 'deny' ? 'blocks' : 'asks about'} ${sample.shown}`)
      continue
    }
    const answer = failure ? `it failed (${failure.kind})` : outcomeOf(opinion)
    end('failed', `does not stop ${sample.shown}`)
    const details = { id: rule.id, sample: sample.shown, answer }
    problems.push(note('rule-not-enforced', details, { hook: hook.id, ...(place && { where: place }) }))
  }
  return { proofs, problems }
}

async function findSample(rule: NamedRule, hook: Hook, tryRules: TryRules): Promise<RuleSample | undefined> {
  for (const sample of samplesFor(rule, hook).slice(0, 64)) {
    if (sample.before) await tryRules(sample.before, rule)
    const { opinion } = await tryRules(sample.payload, rule)
    if (opinion?.decision?.ruling === rulingOf(rule).ruling) return sample
  }
  return undefined
}

/** A rule about prompts has nothing to say of calls, and the other way round. */
function judgesOn({ event }: Hook, { prompt, send, ...others }: NonNullable<NamedRule['deny']>): boolean {
  const { subject } = eventRow(event)
  if (subject.tool !== undefined)
    return eventRow(event).asks === true && (send !== undefined || Object.keys(others).length > 0)
  return event === 'on_outbound_message' ? send !== undefined : prompt !== undefined
}
