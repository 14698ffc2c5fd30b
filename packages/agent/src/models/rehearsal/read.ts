import {
  compilePattern,
  didYouMean,
  type Explanation,
  formatPath,
  HooklineError,
  isRecord,
  type Note,
  note,
  type Pattern,
  validate,
  type Where,
} from 'hookline/internal'
import type { RequestView } from './request.ts'
import { type Condition, type Part, type Script, scriptSchema, type Turn } from './script.ts'

/** Where the parts of a document are written. */
export interface Place {
  locate(path: readonly (string | number)[]): Where
}

/** A script that was read and can be played, by as many models as one likes. */
export interface Rehearsal {
  readonly script: Script
  /** The part of this agent. */
  partOf(agent: string): CompiledPart
}

export interface CompiledPart {
  readonly turns: readonly CompiledTurn[]
  readonly default: Part['default']
}

export interface CompiledTurn {
  readonly turn: Turn
  /** How often it can be played in one session. */
  readonly limit: number
  /** The named groups when its conditions hold, else undefined. */
  holds(view: RequestView): Record<string, string> | undefined
}

/** Reads a script: all that is wrong with it, each at its place, or the script ready to be played. */
export function readRehearsal(
  document: unknown,
  place: Place = { locate: (path) => ({ file: formatPath(path) || 'script' }) },
): { rehearsal?: Rehearsal; problems: Note[] } {
  const parsed = validate(scriptSchema, document)
  if (!parsed.ok) return { problems: parsed.problems.map((problem) => shapeProblem(problem, place)) }
  const script = parsed.value
  const problems: Note[] = []
  const main = compilePart(script, [], place, problems)
  const parts = new Map(
    Object.entries(script.agents ?? {}).map(([name, part]) => [
      name,
      compilePart(part, ['agents', name], place, problems),
    ]),
  )
  if (problems.length > 0) return { problems }
  return { rehearsal: { script, partOf: (agent) => parts.get(agent) ?? main }, problems }
}

/** The same for scripts written in code: throws one error that lists every problem. */
export function checkRehearsal(script: Script): Rehearsal {
  const { rehearsal, problems } = readRehearsal(script)
  if (rehearsal) return rehearsal
  throw new HooklineError(problems[0]!, problems)
}

/**
 * A script of ours, which the tests read as strictly as any: it is ready at once, and a pattern is compiled when it is first
 * matched.
 */
export function ownRehearsal(script: Script): Rehearsal {
  const part = { turns: (script.turns ?? []).map((turn) => playable(turn, compileLater)), default: script.default }
  return { script, partOf: () => part }
}

const compileLater: Compile = (source, whole) => {
  let pattern: Pattern | undefined
  return () => {
    if (pattern) return pattern
    const compiled = compilePattern(source, whole)
    if (!compiled.ok) throw new Error(compiled.detail)
    pattern = compiled.pattern
    return pattern
  }
}

type Path = readonly (string | number)[]

function shapeProblem({ path, detail, fix, unknownKey }: Explanation, { locate }: Place): Note {
  const about = { where: locate(path) }
  if (!unknownKey) return note('config-shape', { path: formatPath(path) || 'the script', detail, fix }, about)
  const { key, known } = unknownKey
  return note('config-unknown-key', { key, hint: didYouMean(key, known), known: known.join(', ') }, about)
}

function compilePart(part: Part, at: Path, place: Place, problems: Note[]): CompiledPart {
  const turns = (part.turns ?? []).map((turn, index) => compileTurn(turn, [...at, 'turns', index], place, problems))
  if (part.default) checkPlaceholders(part.default, [], [...at, 'default'], place, problems)
  return { turns, default: part.default }
}

function compileTurn(turn: Turn, at: Path, place: Place, problems: Note[]): CompiledTurn {
  const names: string[] = []
  const compile: Compile = (source, whole, path) => {
    const compiled = compilePattern(source, whole)
    if (!compiled.ok) {
      problems.push(
        note(
          'matcher-regex',
          { what: 'pattern', pattern: source, detail: compiled.detail },
          { where: place.locate([...at, ...path]) },
        ),
      )
      return undefined
    }
    const { pattern } = compiled
    names.push(...pattern.groupNames)
    return () => pattern
  }
  const compiled = playable(turn, compile)
  checkPlaceholders(turn, names, at, place, problems)
  return compiled
}

function playable(turn: Turn, compile: Compile): CompiledTurn {
  const { not, purpose, ...when } = turn.when ?? {}
  const wanted = compileConditions(when, ['when'], compile)
  const unwanted = compileConditions(not ?? {}, ['when', 'not'], compile)
  return {
    turn,
    limit: turn.repeat === true ? Number.POSITIVE_INFINITY : (turn.repeat ?? 1),
    holds(view) {
      if (purpose !== view.purpose) return undefined
      const groups: Record<string, string> = {}
      for (const condition of wanted) {
        const found = condition(view)
        if (!found) return undefined
        Object.assign(groups, found)
      }
      return unwanted.some((condition) => condition(view)) ? undefined : groups
    },
  }
}

type Holds = (view: RequestView) => Record<string, string> | undefined
/** Undefined: it is no pattern, which was noted at its place in the turn. */
type Compile = (source: string, whole: boolean, path: Path) => (() => Pattern) | undefined

/** The texts of a request that each condition matches. */
const looks: Record<string, { whole?: true; texts(view: RequestView): readonly string[] }> = {
  user: { texts: (view) => [view.user] },
  last: { texts: (view) => [view.last] },
  system: { texts: (view) => [view.system] },
  anywhere: { texts: (view) => [view.anywhere] },
  tool: { whole: true, texts: (view) => view.results.map((result) => result.tool_name) },
  result: { texts: (view) => view.results.map((result) => result.content) },
  offered: { whole: true, texts: (view) => view.offered },
}

function compileConditions(when: Omit<Condition, 'not' | 'purpose'>, at: Path, compile: Compile): Holds[] {
  const { failed, ...patterns } = when
  const holds: Holds[] = Object.entries(patterns).flatMap(([name, source]) => {
    const { whole = false, texts } = looks[name]!
    const pattern = source === undefined ? undefined : compile(source, whole, [...at, name])
    return pattern ? [(view: RequestView) => firstMatch(pattern(), texts(view))] : []
  })
  if (failed !== undefined)
    holds.push((view) =>
      view.results.length > 0 && view.results.some(({ error }) => error === true) === failed ? {} : undefined,
    )
  return holds
}

function firstMatch(pattern: Pattern, texts: readonly string[]): Record<string, string> | undefined {
  const text = texts.find((each) => pattern.test(each))
  if (text === undefined) return undefined
  return pattern.groupNames.length > 0 ? pattern.groups(text) : {}
}

const filled = ['user', 'result', 'tool', 'agent']

function checkPlaceholders(
  answer: NonNullable<Part['default']>,
  groups: readonly string[],
  at: Path,
  place: Place,
  problems: Note[],
): void {
  const known = [...filled, ...groups]
  for (const key of ['think', 'say', 'call'] as const)
    for (const name of placeholders(answer[key]))
      if (!known.includes(name)) {
        const detail = `asks for \`{{ ${name} }}\`, which nothing fills.${didYouMean(name, known)}`
        const fix = `Known here: ${known.join(', ')}, and named groups of \`when\`.`
        const path = [...at, key]
        problems.push(
          note(
            'config-shape',
            { path: formatPath(path), detail: detail.replace(/\.$/, ''), fix },
            { where: place.locate(path) },
          ),
        )
      }
}

const hole = /\{\{\s*(\w+)\s*\}\}/g

/** Every `{{ name }}` in the texts of a value. */
export function placeholders(value: unknown): string[] {
  return textsOf(value).flatMap((text) => [...text.matchAll(hole)].map((match) => match[1]!))
}

/** The value with every `{{ name }}` replaced. What is filled in is not looked at again. */
export function fill<T>(value: T, values: Readonly<Record<string, string>>): T {
  if (typeof value === 'string')
    return value.replace(hole, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole)) as T
  if (Array.isArray(value)) return value.map((item) => fill(item, values)) as T
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, values)])) as T
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isRecord(value) ? Object.values(value).flatMap(textsOf) : []
}
