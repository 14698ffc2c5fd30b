import type { EventRow, Facet, MatchTest, TextTest } from '../core/index.ts'
import { isRecord, stringifyJson } from '../core/index.ts'
import type { Pattern } from '../core/regex.ts'

/** Turns a pattern of a matcher into something that tests in linear time; throws a HooklineError when it cannot. */
/** The engine only tests. */
export type PatternCompiler = (source: string, whole: boolean) => Pick<Pattern, 'test'>

export type Payload = Readonly<Record<string, unknown>>

export interface CompiledTest {
  facet: Facet
  /** Whether the answer depends on more than the short scalars a plan is cached by. */
  dynamic: boolean
  /** `seen` is the same event in other words: a test passes by any of them, and one that is negated by none. */
  passes(payload: Payload, seen?: Seen): boolean
  /** What the test looked at, for `explain`. */
  saw(payload: Payload, seen?: Seen): string[]
}

/** Other names of the tool, and the payload in other words. */
export interface Seen {
  readonly names: readonly string[]
  readonly payloads: readonly Payload[]
}

export function compileTest(test: MatchTest, row: EventRow, compile: PatternCompiler): CompiledTest {
  const accepts = compileText(test.test, compile)
  const saw = (payload: Payload, seen?: Seen): string[] => values(test, row, payload, seen)
  return {
    facet: test.facet,
    dynamic: test.facet === 'args' || test.facet === 'text',
    saw,
    passes: (payload, seen) => saw(payload, seen).some(accepts) !== (test.negate === true),
  }
}

function compileText(test: TextTest, compile: PatternCompiler): (text: string) => boolean {
  if ('any' in test) return (text) => text !== ''
  if ('regex' in test) {
    const pattern = compile(test.regex, test.whole)
    return (text) => pattern.test(text)
  }
  const names = new Set(test.names)
  const prefixes = test.prefixes ?? []
  return (text) => names.has(text) || prefixes.some((prefix) => text.startsWith(prefix))
}

/** Where each facet is found, given the row's subject. */
const finders: Record<Facet, (test: MatchTest, row: EventRow, payload: Payload, seen: Seen | undefined) => unknown[]> =
  {
    tool: (test, row, payload, seen) => [...scalar(test, row, payload), ...(seen?.names ?? [])],
    agent: scalar,
    source: scalar,
    args({ path = [], keysOnly }, row, payload, seen) {
      const found = [payload, ...(seen?.payloads ?? [])].flatMap((each) => {
        const given = each[row.subject.args ?? '']
        return keysOnly ? [followKeys(given, path)] : follow(given, path)
      })
      // A path that one wording does not have is absent only when none has it.
      if (!keysOnly) return found
      const there = found.filter((value) => value !== undefined)
      return there.length > 0 ? there.map((value) => value ?? '') : ['']
    },
    text: (_test, _row, payload, seen) =>
      [payload, ...(seen?.payloads ?? [])].flatMap((each) => [stringifyJson(each), ...leaves(each)]),
  }

function values(test: MatchTest, row: EventRow, payload: Payload, seen: Seen | undefined): string[] {
  const found = finders[test.facet](test, row, payload, seen)
    .filter((value) => value !== undefined && value !== null)
    .map((value) => (typeof value === 'string' ? value : stringifyJson(value)))
  return seen ? [...new Set(found)] : found
}

function scalar(test: MatchTest, row: EventRow, payload: Payload): unknown[] {
  return [payload[row.subject[test.facet] ?? '']]
}

/** Every string as it is: in JSON text a newline is two other characters, and `^` never stands before a command. */
function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
}

function followKeys(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value
  for (const key of path) found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined
  return found
}

/** Follows a path into the arguments. A name met on an array is looked for in each of its items. */
function follow(value: unknown, path: readonly (string | number)[]): unknown[] {
  const [step, ...rest] = path
  if (step === undefined) return [value]
  if (Array.isArray(value)) {
    if (typeof step === 'number') return follow(value[step], rest)
    return value.flatMap((item) => follow(item, step === '*' ? rest : path))
  }
  if (step === '*' && isRecord(value)) return Object.values(value).flatMap((item) => follow(item, rest))
  return isRecord(value) && Object.hasOwn(value, step) ? follow(value[step], rest) : []
}
