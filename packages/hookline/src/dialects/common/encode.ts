import {
  type Decoded,
  type EffectName,
  effectNames,
  effectRow,
  type Hook,
  joinReasons,
  type Note,
  note,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'

/** Notes what a system has no word for, and what to do about it. */
export type Lost = (what: string, fix: string) => void

/** What is lost on the way to that system, of one hook where it is about one. */
export function noteLost(notes: Note[], dialect: string, hook?: string): Lost {
  return (what, fix) => notes.push(note('translation-lost', { what, dialect, fix }, hook === undefined ? {} : { hook }))
}

/** What a hook can be here and cannot be in every system. */
const traits = {
  failsClosed: { what: 'Failing closed', of: (hook: Hook) => hook.onFailure !== 'open' },
  subAgents: { what: 'Running for sub-agents', of: (hook: Hook) => !hook.topLevelOnly },
  shadow: { what: 'Shadow mode', of: (hook: Hook) => hook.mode === 'shadow' },
  background: { what: 'Running in the background', of: (hook: Hook) => hook.background },
  disabled: { what: 'Being disabled', of: (hook: Hook) => !hook.enabled },
  stage: { what: 'Its stage', of: (hook: Hook) => hook.stage !== 0 },
  unlessRuled: { what: 'Running only when no rule has decided', of: (hook: Hook) => hook.unlessRuled === true },
  topLevelOnly: { what: 'Not running for sub-agents', of: (hook: Hook) => hook.topLevelOnly === true },
  workingDir: { what: 'Its working directory', of: (hook: Hook) => hook.workingDir !== undefined },
  env: { what: 'Its environment', of: (hook: Hook) => Object.keys(hook.env).length > 0 },
} as const

/** What to do about a trait that the system does not have; those it has are left out. */
export type Advice = Partial<Record<keyof typeof traits, string>> & { language?: string }

export function noteLostTraits(hook: Hook, dialect: string, lost: Lost, advice: Advice): void {
  if (advice.language !== undefined && hook.dialect !== dialect)
    lost(`The language of ${hook.dialect}`, advice.language)
  for (const [name, { what, of }] of Object.entries(traits)) {
    const fix = advice[name as keyof typeof traits]
    if (fix !== undefined && of(hook)) lost(what, fix)
  }
}

/** For a system whose matchers know the name of the tool, and nothing else. */
export function noteLostTests({ matcher }: Hook, lost: Lost, known: readonly string[] = []): void {
  const tools = matcher.filter((test) => test.facet === 'tool' && !test.negate)
  const others = matcher.filter((test) => !known.includes(test.facet) && !tools.includes(test))
  if (others.length > 0 || tools.length > 1)
    lost('A matcher that looks at more than the name of the tool', 'The hook runs more often there.')
}

/** Shorter advice that fits most systems. */
export const usualAdvice = {
  shadow: 'The hook counts there.',
  background: 'The event waits for the hook there.',
  stage: 'All hooks run together there.',
  unlessRuled: 'The hook always runs there.',
  topLevelOnly: 'The hook runs for all agents there.',
  workingDir: 'Write `cd … &&` in front of the command.',
  env: 'Write the variables in front of the command.',
} as const satisfies Advice

/** Notes the effects of a verdict that the system does not support; `instead` says what to do about each. */
export function noteLostEffects(
  verdict: Verdict,
  lost: Lost,
  supported: readonly EffectName[],
  instead: Partial<Record<EffectName, string>>,
): void {
  for (const name of effectNames.filter((each) => !supported.includes(each) && !isEmpty(verdict[each])))
    lost(effectRow(name).called, instead[name] ?? 'It is left out.')
}

const isEmpty = (value: unknown): boolean => value === undefined || Object.keys(value as object).length === 0

/** In a system that cannot ask the user: why the event is refused, or undefined. `ask` must not count as `allow`. */
export function refusalOf({ decision, halt }: Verdict): { denies: boolean; reason: string } | undefined {
  const denies = decision !== undefined && decision.ruling !== 'allow'
  if (!denies && !halt) return undefined
  return { denies, reason: joinReasons(...new Set([denies ? decision.reason : '', halt?.reason ?? ''])) }
}

/** Exit 0 and one JSON object, or nothing when there is nothing to say. */
export function jsonReply(output: object | undefined, notes: readonly Note[]): Decoded<WireReply> {
  const stdout = output && Object.keys(output).length > 0 ? stringifyJson(output) : ''
  return { value: { kind: 'wire', exit: 0, stdout, stderr: '' }, notes }
}
