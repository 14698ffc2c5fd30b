import { type ArgumentTest, isRecord, sameJson } from '../core/index.ts'
import { both, either, type Match, maybe, no, yes } from './glob.ts'

/** Tests of arguments, ready to run. Text of the arguments is known; that a number stands where one is compared is not. */
export type ArgumentsTest = (input: Readonly<Record<string, unknown>>) => Match

/** Compiles a regex (RE2); throws when it cannot. */
export type CompileRegex = (source: string, flags?: string) => { test(text: string): boolean }

export function compileWhere(where: Readonly<Record<string, ArgumentTest>>, regex: CompileRegex): ArgumentsTest {
  const tests = Object.entries(where).map(([path, test]) => ({
    path: path.split('.'),
    holds: compileTest(test, regex),
  }))
  return (input) => {
    let found: Match = yes
    for (const { path, holds } of tests) found = both(found, holds(valuesAt(input, path)))
    return found
  }
}

type ValuesTest = (values: readonly unknown[]) => Match

/** Of several values, as in a list, one that passes is enough. What is not there passes no test but those that want that. */
function compileTest(test: ArgumentTest, regex: CompileRegex): ValuesTest {
  const tests = typeof test === 'object' ? test : { equals: test }
  const made: ValuesTest[] = []
  for (const [name, wanted] of Object.entries(tests))
    if (wanted !== undefined) made.push((makers[name as keyof typeof makers] as Maker)(wanted as never, regex))
  return (values) => made.reduce<Match>((found, holds) => both(found, holds(values)), yes)
}

type Maker = (wanted: never, regex: CompileRegex) => ValuesTest

const some =
  (passes: (value: unknown) => Match): ValuesTest =>
  (values) =>
    values.reduce<Match>((found, value) => either(found, passes(value)), no)

const surely = (holds: boolean): Match => (holds ? yes : no)

const compared = (holds: (value: number, limit: number) => boolean) => (limit: number) =>
  some((value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number === 'bigint') return surely(holds(Number(number), limit))
    if (typeof number !== 'number' || Number.isNaN(number)) return maybe
    return surely(holds(number, limit))
  })

const makers = {
  equals: (wanted: unknown) => some((value) => surely(isSame(value, wanted))),
  not: (wanted: unknown) => (values: readonly unknown[]) => surely(!values.some((value) => isSame(value, wanted))),
  in: (wanted: readonly unknown[]) => some((value) => surely(wanted.some((each) => isSame(value, each)))),
  matches(source: string, regex: CompileRegex) {
    const pattern = regex(source)
    return some((value) => surely(pattern.test(textOf(value))))
  },
  gt: compared((value, limit) => value > limit),
  gte: compared((value, limit) => value >= limit),
  lt: compared((value, limit) => value < limit),
  lte: compared((value, limit) => value <= limit),
  contains: (wanted: string) => some((value) => surely(textOf(value).includes(wanted))),
  exists: (wanted: boolean) => (values: readonly unknown[]) => surely(values.length > 0 === wanted),
}

/** `"100"` is 100, and `"true"` is true: tools are called with either. */
const isSame = (value: unknown, wanted: unknown): boolean =>
  sameJson(value, wanted) || (!isObject(value) && !isObject(wanted) && String(value) === String(wanted))

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Names lead into objects, and on a list into each of its items; a list at the end is its items as well. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (step === undefined) return Array.isArray(value) ? [value, ...value] : [value]
  if (Array.isArray(value))
    return /^\d+$/.test(step)
      ? valuesAt(value[Number(step)], rest)
      : value.flatMap((item) => valuesAt(item, [step, ...rest]))
  return isRecord(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : []
}
