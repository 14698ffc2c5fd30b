import { isRecord, type Report, sameJson, stringifyJson, type Verdict } from '../../core/index.ts'
import { compilePattern } from '../../core/regex.ts'
import type { Expectation } from './schema.ts'

/** One thing that came otherwise than expected, both in words. */
export interface Mismatch {
  key: string
  expected: string
  got: string
}

/** How each expectation is judged: undefined when it holds, else what came instead. */
type Judge<K extends keyof Expectation> = (
  expected: NonNullable<Expectation[K]>,
  verdict: Verdict,
) => string | undefined

const judges: { [K in keyof Expectation]-?: Judge<K> } = {
  decision: (expected, { decision }) => unless(expected === (decision?.ruling ?? 'none'), decision?.ruling),
  reason: (expected, { decision, halt }) => {
    const reason = decision?.reason ?? halt?.reason
    return unless(reason !== undefined && holds(expected, reason), reason)
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
export function judge(expect: Expectation, verdict: Verdict): Mismatch[] {
  return Object.entries({ failed: [], ...expect }).flatMap(([key, expected]) => {
    const got = (judges[key as keyof Expectation] as Judge<keyof Expectation>)(expected as never, verdict)
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
