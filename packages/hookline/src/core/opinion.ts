import { type EffectName, type EffectValue, type Opinion, rulings } from './effects.ts'
import { maxDepth } from './json.ts'
import { didYouMean } from './suggest.ts'

/** An opinion of someone else's making, understood; or what is wrong with it, in words. */
export type ReadOpinion = { ok: true; opinion: Opinion | undefined } | { ok: false; detail: string }

/**
 * Reads a foreign value as an opinion, once and into plain data, so that nothing of it (a getter, a proxy, a shared
 * array) can answer differently later. Never throws. Exact but for three conveniences: `context` and `message` may be
 * one string, the reason of a decision or halt may be missing, and a field that is `undefined` is absent.
 */
export function readOpinion(value: unknown): ReadOpinion {
  if (value === undefined || value === null) return noOpinion
  try {
    return { ok: true, opinion: readFields(value) }
  } catch (error) {
    return { ok: false, detail: error instanceof Misfit ? error.message : 'the opinion cannot be read: it threw' }
  }
}

const noOpinion: ReadOpinion = { ok: true, opinion: undefined }

/** Why a value does not fit; its own class, so that a throwing getter is not mistaken for it. */
class Misfit extends Error {}

function readFields(value: unknown): Opinion | undefined {
  const source = plainObject(value, 'an opinion')
  const opinion: Opinion = {}
  let any = false
  for (const name of Object.keys(source)) {
    if (!isEffect(name)) throw new Misfit(`unknown key \`${name}\` in the opinion.${didYouMean(name, known)}`)
    const field = source[name]
    if (field === undefined) continue
    opinion[name] = readers[name](field) as never
    any = true
  }
  return any ? opinion : undefined
}

/** By hand, not by schema: this runs for every answer of every function hook. The schemas in the effect table agree. */
const readers: { [N in EffectName]: (value: unknown) => EffectValue<N> } = {
  decision(value) {
    const { ruling, reason } = fields(value, 'decision', ['ruling', 'reason'])
    if (!rulings.includes(ruling as never)) throw misfit('decision.ruling', `one of ${rulings.join(', ')}`, ruling)
    return { ruling: ruling as (typeof rulings)[number], reason: text(reason ?? '', 'decision.reason') }
  },
  halt: (value) => ({ reason: text(fields(value, 'halt', ['reason']).reason ?? '', 'halt.reason') }),
  context: (value) => texts(value, 'context'),
  rewrite(value) {
    const { mode, value: next } = fields(value, 'rewrite', ['mode', 'value'])
    if (mode !== 'merge' && mode !== 'replace') throw misfit('rewrite.mode', '`merge` or `replace`', mode)
    return { mode, value: copy(next, 'rewrite.value', 0, { left: mostValues }) }
  },
  message: (value) => texts(value, 'message'),
  metadata(value) {
    const source = plainObject(value, '`metadata`')
    const entries = Object.keys(source).map((key) => [key, text(source[key], `metadata.${key}`)] as const)
    return Object.fromEntries(entries)
  },
}
const known = Object.keys(readers)
const isEffect = (name: string): name is EffectName => Object.hasOwn(readers, name)

function fields(value: unknown, path: string, names: readonly string[]): Record<string, unknown> {
  const source = plainObject(value, `\`${path}\``)
  const read: Record<string, unknown> = {}
  for (const key of Object.keys(source)) {
    if (!names.includes(key))
      throw new Misfit(`unknown key \`${path}.${key}\` in the opinion.${didYouMean(key, names)}`)
    read[key] = source[key]
  }
  return read
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string') throw misfit(path, 'a string', value)
  return value
}

function texts(value: unknown, path: string): string[] {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) throw misfit(path, 'a string or a list of strings', value)
  return Array.from(value, (item, index) => text(item, `${path}[${index}]`))
}

/** More values than any honest rewrite has; an object that contains itself many times over ends here. */
const mostValues = 1_000_000

function copy(value: unknown, path: string, depth: number, budget: { left: number }): unknown {
  if (typeof value !== 'object' || value === null) return scalar(value, path)
  if (depth >= maxDepth) throw new Misfit(`\`${path}\` is nested more than ${maxDepth} levels deep`)
  if (budget.left-- <= 0) throw new Misfit(`\`rewrite.value\` has more than ${mostValues} values`)
  if (Array.isArray(value))
    return Array.from(value, (item, at) => copy(item ?? null, `${path}[${at}]`, depth + 1, budget))
  const source = plainObject(value, `\`${path}\``)
  const copied: Record<string, unknown> = {}
  for (const key of Object.keys(source)) {
    if (key === '__proto__') throw new Misfit(`the key "__proto__" is not allowed in \`${path}\``)
    const item = source[key]
    if (item !== undefined) copied[key] = copy(item, `${path}.${key}`, depth + 1, budget)
  }
  return copied
}

const carried = new Set(['string', 'boolean', 'bigint'])

function scalar(value: unknown, path: string): unknown {
  if (value === null || carried.has(typeof value) || Number.isFinite(value)) return value
  throw misfit(path, 'data that JSON can carry', value)
}

/** An object of no class: its keys are all there is to it. The prototype may come from another realm. */
function plainObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notPlain(value, what)
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw notPlain(value, what)
  return value as Record<string, unknown>
}

const notPlain = (value: unknown, what: string) => new Misfit(`${what} must be a plain object, not ${kindOf(value)}`)
const misfit = (path: string, wanted: string, value: unknown) =>
  new Misfit(`\`${path}\` must be ${wanted}, not ${kindOf(value)}`)

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  if (typeof value === 'object')
    return value.constructor?.name === 'Object' ? 'an object' : `a ${value.constructor?.name ?? 'thing'}`
  return typeof value === 'undefined' ? 'undefined' : `the ${typeof value} ${String(value).slice(0, 40)}`
}
