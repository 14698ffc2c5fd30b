import {
  type Dialect,
  didYouMean,
  type EventName,
  eventNamed,
  HooklineError,
  isRecord,
  note,
  type Report,
  sameJson,
  stringifyJson,
  type Verdict,
} from '../../core/index.ts'
import { compilePattern } from '../../core/regex.ts'
import type { Hooks } from '../../hooks/index.ts'
import { callOf, dialectFor } from '../hosts/as-host.ts'
import type { Expectation, Given } from './schema.ts'

/** An event as a case gives it, understood. */
export interface Question {
  event: EventName
  payload: Record<string, unknown>
  dialect: Dialect
}

/** Which event a short form stands for. */
const usual = { tool: 'pre_tool_use', prompt: 'user_prompt_submit' } as const

/** Throws when the payload is none of this event's. `session` fills in what it leaves out. */
export async function questionOf(given: Given, session: Record<string, unknown>): Promise<Question> {
  const { tool, command, input, prompt, payload = {}, dialect: name, host } = given
  const dialect = await dialectFor(host, name)
  const own = payload['tool_input']
  const args = { ...(isRecord(own) ? own : {}), ...input, ...(command !== undefined && { command }) }
  const written = {
    ...session,
    ...payload,
    ...(prompt !== undefined && { prompt }),
    ...(tool !== undefined && { tool_name: tool }),
    ...((tool ?? command ?? input) !== undefined && { tool_input: args }),
  }
  const short = tool !== undefined ? usual.tool : prompt !== undefined ? usual.prompt : undefined
  const event = given.event === undefined ? short : knownEvent(given.event, dialect)
  if (host !== undefined && short !== undefined) {
    const meant = event ?? short
    return { event: meant, payload: callOf(dialect, meant, written), dialect }
  }
  const decoded = dialect.event.decode(written, event)
  if (!decoded.ok) throw new HooklineError(decoded.problem)
  return { event: decoded.event, payload: { ...session, ...decoded.payload }, dialect }
}

function knownEvent(event: string, dialect: Dialect): EventName {
  const found = eventNamed(dialect, event)
  if (found) return found
  const known = Object.values(dialect.events)
  throw new HooklineError(note('unknown-event', { event, hint: didYouMean(event, known), known: known.join(', ') }))
}

/** Systems that run two lanes with one payload run both here too. */
export function raise(hooks: Hooks, { event, payload, dialect }: Question, signal: AbortSignal): Promise<Verdict> {
  return hooks.raise(event, payload as never, { synthetic: true, signal, dialect })
}

/** One thing that differs from what was expected, both in words. */
export interface Mismatch {
  key: string
  expected: string
  got: string
}

/** How each expectation is judged: undefined when it holds, else what came instead. */
type Judge<K extends keyof Expectation> = (
  expected: NonNullable<Expectation[K]>,
  verdict: Verdict,
  /** The rules that decided. */
  rules: readonly string[],
) => string | undefined

const judges: { [K in keyof Expectation]-?: Judge<K> } = {
  decision: (expected, { decision }) => unless(expected === (decision?.ruling ?? 'none'), decision?.ruling),
  rule: (expected, _verdict, rules) => {
    const wanted = [expected].flat()
    const held = wanted.every((id) => rules.includes(id)) || (rules.length === 0 && wanted.join() === 'none')
    return unless(held, rules.join(', '))
  },
  // Of rules that nobody has approved, the model reads no words; whoever tests them wrote them, and means those.
  reason: (expected, { decision, halt, message = [] }) => {
    const reason = decision?.reason ?? halt?.reason
    const held = reason !== undefined && [reason, ...message].some((text) => holds(expected, text))
    return unless(held, reason)
  },
  halt: (expected, { halt }) => {
    const held =
      typeof expected === 'boolean'
        ? expected === (halt !== undefined)
        : halt !== undefined && holds(expected, halt.reason)
    return unless(held, halt?.reason)
  },
  rewrite: (expected, { rewrite }) => {
    const value = rewrite?.value
    return unless(expected === 'none' ? value === undefined : value !== undefined && resembles(expected, value), value)
  },
  context: (expected, { context }) => amongTexts(expected, context),
  message: (expected, { message }) => amongTexts(expected, message),
  metadata: (expected, { metadata = {} }) => unless(resembles(expected, metadata), metadata),
  asked: (expected, { reports }) => {
    const asked = reports.filter((report) => report.asked).map(({ hook }) => hook)
    return unless(
      [expected].flat().every((id) => asked.includes(id)),
      asked.join(', '),
    )
  },
  not_asked: (expected, { reports }) => {
    const asked = reports.filter((report) => report.asked && [expected].flat().includes(report.hook))
    return unless(asked.length === 0, `asked: ${asked.map(({ hook }) => hook).join(', ')}`)
  },
  failed: (expected, { reports }) => {
    const failed = reports.filter(({ failure }) => failure)
    const same =
      failed.length === [expected].flat().length && failed.every(({ hook }) => [expected].flat().includes(hook))
    return unless(same, failed.map(inWords).join('\n'))
  },
}

/** Whether it came as expected. A hook that fails although nobody expects it never does. */
export function judge(expect: Expectation, verdict: Verdict, rules: readonly string[] = []): Mismatch[] {
  return Object.entries({ failed: [], ...expect }).flatMap(([key, expected]) => {
    const got = (judges[key as keyof Expectation] as Judge<keyof Expectation>)(expected as never, verdict, rules)
    return got === undefined ? [] : [{ key, expected: shown(expected), got }]
  })
}

const unless = (held: boolean, got: unknown): string | undefined => (held ? undefined : shown(got))

function shown(value: unknown): string {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return 'none'
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('\n')
  return typeof value === 'string' ? value : stringifyJson(value)
}

const inWords = ({ hook, failure }: Report) => `${hook} (${failure?.kind}): ${failure?.detail}`

function amongTexts(expected: string | readonly string[], texts: readonly string[] = []): string | undefined {
  if (expected === 'none') return unless(texts.length === 0, texts)
  return unless(
    [expected].flat().every((each) => texts.some((text) => holds(each, text))),
    texts,
  )
}

/** `/…/` is a regex; everything else is found as it stands. */
export function patternIn(text: string): string | undefined {
  return /^\/(.+)\/$/s.exec(text)?.[1]
}

function holds(expected: string, text: string): boolean {
  const pattern = patternIn(expected)
  if (pattern === undefined) return text.includes(expected)
  const compiled = compilePattern(pattern, false)
  return compiled.ok && compiled.pattern.test(text)
}

/** Of objects, the keys that are named; of lists, every item; a text alone is found, one within must be the same. */
function resembles(expected: unknown, got: unknown): boolean {
  return typeof expected === 'string' && typeof got === 'string' ? holds(expected, got) : contains(expected, got)
}

function contains(expected: unknown, got: unknown): boolean {
  if (typeof expected === 'string' && typeof got === 'string')
    return expected === got || (patternIn(expected) !== undefined && holds(expected, got))
  if (Array.isArray(expected))
    return Array.isArray(got) && expected.length === got.length && expected.every((item, at) => contains(item, got[at]))
  if (!isRecord(expected)) return sameJson(expected, got)
  return (
    isRecord(got) &&
    Object.entries(expected).every(([key, value]) => Object.hasOwn(got, key) && contains(value, got[key]))
  )
}
