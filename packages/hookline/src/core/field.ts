import * as z from 'zod/mini'
import type { StandardSchema } from './standard-schema.ts'

/** What kind of value a field holds. */
export type FieldKind = 'string' | 'number' | 'boolean' | 'enum' | 'array' | 'object' | 'record' | 'unknown'

/** One field that a payload may carry. Types, checks, JSON Schema and docs derive from it. */
export interface Field<T = unknown, Optional extends boolean = boolean> {
  readonly kind: FieldKind
  readonly optional: Optional
  /** Every value it can hold, where they are few. */
  readonly values: readonly string[] | undefined
  /** Quick: every event passes here. May refuse what the schema accepts, and never accepts what the schema refuses. */
  fits(value: unknown): boolean
  /** For messages, editors and docs; made on first use, which most processes never do. */
  readonly schema: StandardSchema<T>
}

export type Fields = Readonly<Record<string, Field>>

/** The payload that these fields describe. Hosts may add fields of their own. */
export type PayloadOf<F> = { [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> | undefined
} & { [key: string]: unknown }

type RequiredKeys<F> = { [K in keyof F]: F[K] extends Field<unknown, false> ? K : never }[keyof F]
type ValueOf<X> = X extends Field<infer T> ? T : never

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
const isCount: Check = (value) => typeof value === 'number' && Number.isFinite(value)
/** A record that inherits nothing but what all records do. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

export const text = (doc: string) => required<string>('string', doc, () => z.string(), isText)
export const count = (doc: string) => required<number>('number', doc, () => z.number(), isCount)
export const flag = (doc: string) =>
  required<boolean>(
    'boolean',
    doc,
    () => z.boolean(),
    (value) => typeof value === 'boolean',
  )
export const json = (doc: string) =>
  required<unknown>(
    'unknown',
    doc,
    () => z.unknown(),
    () => true,
  )
export const list = (doc: string) => required<unknown[]>('array', doc, () => z.array(z.unknown()), Array.isArray)
export const texts = (doc: string) =>
  required<string[]>(
    'array',
    doc,
    () => z.array(z.string()),
    (value) => Array.isArray(value) && value.every(isText),
  )
export const record = (doc: string) =>
  required<Record<string, unknown>>('record', doc, () => z.record(z.string(), z.unknown()), isRecord)
export const oneOf = <const V extends readonly string[]>(values: V, doc: string) =>
  required<V[number]>(
    'enum',
    doc,
    () => z.enum(values),
    (value) => values.includes(value as string),
    values,
  )

/** An object of numbers, each of which may be left out. */
export const counts = <const K extends string>(keys: readonly K[], doc: string) =>
  required<{ [key in K]?: number | undefined } & { [key: string]: unknown }>(
    'object',
    doc,
    () => z.looseObject(Object.fromEntries(keys.map((key) => [key, z.optional(z.number())]))) as never,
    (value) => isRecord(value) && keys.every((key) => value[key] === undefined || isCount(value[key])),
  )

function required<T>(
  kind: FieldKind,
  doc: string,
  schema: () => z.ZodMiniType<T>,
  fits: Check,
  values?: readonly string[],
): Field<T, false> {
  return new Lazy<T, false>({ kind, optional: false, values, fits }, () => schema().check(z.describe(doc)))
}

export function optional<T>(given: Field<T, false>): Field<T, true> {
  const { kind, values } = given
  const fits: Check = (value) => value === undefined || given.fits(value)
  const schema = () => z.optional(given.schema as z.ZodMiniType<T>) as unknown as StandardSchema<T>
  return new Lazy<T, true>({ kind, optional: true, values, fits }, schema)
}

class Lazy<T, O extends boolean> implements Field<T, O> {
  readonly kind: FieldKind
  readonly optional: O
  readonly values: readonly string[] | undefined
  readonly fits: Check
  readonly #make: () => StandardSchema<T>
  #schema: StandardSchema<T> | undefined

  constructor({ kind, optional, values, fits }: Omit<Field<T, O>, 'schema'>, make: () => StandardSchema<T>) {
    this.kind = kind
    this.optional = optional
    this.values = values
    this.fits = fits
    this.#make = make
  }

  get schema(): StandardSchema<T> {
    this.#schema ??= this.#make()
    return this.#schema
  }
}

/** The fields together, as the schema of a payload. */
export const payloadSchema = <F extends Fields>(fields: F): StandardSchema<PayloadOf<F>> =>
  z.looseObject(
    Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema as z.ZodMiniType])),
  ) as unknown as StandardSchema<PayloadOf<F>>

/** Whether a payload plainly has these fields. It looks at what is there: most of what a row allows is absent. */
export function payloadCheck(fields: Fields): (payload: unknown) => boolean {
  const known = new Map(Object.entries(fields))
  const needed = Object.keys(fields).filter((name) => !fields[name]!.fits(undefined))
  return (payload) => {
    if (!isRecord(payload)) return false
    for (const name of Object.keys(payload)) if (known.get(name)?.fits(payload[name]) === false) return false
    for (const name of needed) if (payload[name] === undefined) return false
    return true
  }
}
