import * as z from 'zod/mini'
import { isRecord } from './effects.ts'
import type { SchemaIssue, StandardSchema } from './standard-schema.ts'

type Path = readonly (string | number)[]
type Schema = z.core.$ZodType
type Issue = z.core.$ZodIssue

/** What a schema finds wrong with a value, in words: `{path} {detail}.`, and what to do. */
export interface Explanation {
  path: Path
  detail: string
  fix: string
  /** Set when the key itself is what is wrong; `path` then ends with it. */
  unknownKey?: { key: string; known: readonly string[] }
}

export type Validated<T> = { ok: true; value: T } | { ok: false; problems: Explanation[] }

/** Validates with a schema of any library. Issues of zod are explained in our words, those of others in their own. */
export function validate<T>(schema: StandardSchema<T>, value: unknown): Validated<T> {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) {
    result.catch(() => {})
    return { ok: false, problems: [asynchronous] }
  }
  if (!result.issues) return { ok: true, value: result.value }
  const problems = isZod(schema)
    ? explainIssues(result.issues as readonly Issue[], schema, value)
    : result.issues.map(explainForeign)
  return { ok: false, problems }
}

const asynchronous: Explanation = {
  path: [],
  detail: 'has a schema that threw, or that validates asynchronously',
  fix: 'Give it a schema that validates synchronously.',
}

/** Whether the schema shows its parts the way zod 4 does. */
export const isZod = (schema: object): schema is Schema => '_zod' in schema

function explainForeign({ message, path = [] }: SchemaIssue): Explanation {
  const steps = path.map((step) => stepOf(typeof step === 'object' ? step.key : step))
  return { path: steps, detail: `is not valid: ${message.replace(/\.$/, '')}`, fix: 'Correct it, or leave it out.' }
}

const stepOf = (step: PropertyKey): string | number => (typeof step === 'symbol' ? String(step) : step)

/** `input` is the value that was refused: the library leaves it out of its issues. */
function explainIssues(issues: readonly Issue[], schema: Schema, input: unknown): Explanation[] {
  return issues.flatMap((issue) => explainIssue(issue, schema, input))
}

/** `edits[0].path`, as people write it. */
export function formatPath(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : plainKey.test(step) ? `.${step}` : `["${step}"]`))
    .join('')
    .replace(/^\./, '')
}
const plainKey = /^[\w$-]+$/

function explainIssue(issue: Issue, schema: Schema, input: unknown): Explanation[] {
  const path = issue.path.map(stepOf)
  const there = schemaAt(schema, path)
  const value = valueAt(input, path)
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, there))
  if (issue.code === 'invalid_union' && issue.errors.length > 0 && !hasOwnWords(issue)) {
    const branch = nearest(issue.errors)
    if (branch) return explainNested(branch, path, schema, input)
  }
  if (issue.code === 'invalid_key') return explainKey(issue, path)
  const expected = expectation(issue)
  const detail = hasOwnWords(issue)
    ? issue.message
    : value === undefined
      ? 'is missing'
      : `must be ${expected}, not ${kindOf(value)}`
  const doc = there && descriptionOf(there)
  if (value === undefined && issue.code === 'invalid_value' && issue.values.length === 1)
    return [{ path, detail, fix: `Write \`${String(path.at(-1))}: ${String(issue.values[0])}\`.` }]
  return [{ path, detail, fix: doc ? `What it is: ${doc}` : `Write ${expected}.` }]
}

function explainNested(issues: readonly Issue[], path: Path, schema: Schema, input: unknown): Explanation[] {
  return explainIssues(
    issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
    schema,
    input,
  )
}

/** The name of a key is wrong, whatever its value is. */
function explainKey({ issues }: z.core.$ZodIssueInvalidKey, path: Path): Explanation[] {
  const [issue] = issues as readonly Issue[]
  const detail = issue && hasOwnWords(issue) ? issue.message : 'is not a name that can stand here'
  return [{ path, detail, fix: 'Rename it.' }]
}

function unknownKey(path: Path, key: string, there: Schema | undefined): Explanation {
  const known = there ? keysOf(there) : []
  const fix = known.length > 0 ? `Known keys here: ${known.join(', ')}.` : 'Remove it: no key can stand here.'
  return { path: [...path, key], detail: 'is not known here', fix, unknownKey: { key, known } }
}

/** Of a union, the branch that was meant: the one that fits as far as the outermost value goes. */
function nearest(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const fitting = branches.filter((issues) => !issues.some((issue) => isWrongKind(issue)))
  return fitting.toSorted((one, other) => misses(one) - misses(other))[0]
}
const isWrongKind = (issue: Issue) =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
const misses = (issues: readonly Issue[]) =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length + 1 : 1), 0)

/** Whether the message was written in the schema. All others are the library's, which says the same in fewer words. */
const hasOwnWords = ({ code, message }: Issue) =>
  message !== '' && (code === 'custom' ? message !== 'Invalid input' : !/^(?:Invalid|Too|Unrecognized) /.test(message))

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? `a ${issue.expected}`
    case 'invalid_value':
      return oneOf(issue.values.map((value) => `\`${String(value)}\``))
    case 'too_small':
      return sized(issue.origin, `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`, issue.minimum)
    case 'too_big':
      return sized(issue.origin, `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`, issue.maximum)
    case 'invalid_format':
      return issue.pattern ? `text of the form ${issue.pattern}` : `a valid ${issue.format}`
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_union':
      return unionExpectation(issue)
    default:
      return 'something else'
  }
}

function unionExpectation(issue: z.core.$ZodIssueInvalidUnion): string {
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : undefined
  if (options) return oneOf(options.map((option) => `\`${String(option)}\``))
  const wanted = issue.errors.flatMap((branch) => branch.filter(isWrongKind).map(expectation))
  return wanted.length > 0 ? oneOf([...new Set(wanted)]) : 'one of the known forms'
}

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  function: 'a function',
}

function sized(origin: string, bound: string, count: number | bigint): string {
  const plural = Number(count) === 1 ? '' : 's'
  if (origin === 'string') return Number(count) === 1 ? 'text that is not empty' : `text of ${bound} character${plural}`
  if (origin === 'array' || origin === 'set')
    return Number(count) === 1 ? 'a list that is not empty' : `a list of ${bound} item${plural}`
  return bound
}

function oneOf(options: readonly string[]): string {
  return options.length < 2 ? options.join('') : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`
}

/** What a value is, in words: `a list`, `the number 5`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return value === '' ? 'an empty string' : `\`${clip(value)}\``
  return `the ${typeof value} ${clip(String(value))}`
}
const clip = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text)

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      (isRecord(inner) || Array.isArray(inner)) && Object.hasOwn(inner, step)
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  )
}

function schemaAt(schema: Schema, path: Path): Schema | undefined {
  return path.reduce<Schema | undefined>((outer, step) => (outer ? childOf(outer, step) : undefined), schema)
}

/** The parts of a schema that an issue's path can lead through. */
interface Definition {
  innerType?: Schema
  options?: readonly Schema[]
  shape?: Record<string, Schema>
  element?: Schema
  valueType?: Schema
}
const definition = (schema: Schema) => schema._zod.def as Definition

function childOf(schema: Schema, step: string | number): Schema | undefined {
  const { innerType, options, shape, element, valueType } = definition(schema)
  if (innerType) return childOf(innerType, step)
  if (options) return options.map((option) => childOf(option, step)).find((child) => child !== undefined)
  if (shape) return Object.hasOwn(shape, step) ? shape[step] : undefined
  return element ?? valueType
}

function descriptionOf(schema: Schema): string | undefined {
  const { innerType } = definition(schema)
  return z.globalRegistry.get(schema)?.description ?? (innerType && descriptionOf(innerType))
}

function keysOf(schema: Schema): string[] {
  const { innerType, options, shape } = definition(schema)
  if (innerType) return keysOf(innerType)
  if (options) return [...new Set(options.flatMap(keysOf))]
  return Object.keys(shape ?? {})
}

/** A schema that says what it is for: in errors, in the JSON Schema that editors read, in the tables of the docs. */
export const described = <S extends StandardSchema>(schema: S, description: string): S =>
  (schema as unknown as z.ZodMiniType).check(z.describe(description)) as unknown as S
