import { type EffectName, effectNames, effectRow, effects, isRecord, isSilent, type Opinion } from './effects.ts'
import { maxDepth } from './json.ts'
import { didYouMean } from './text.ts'
import { type Explanation, formatPath, kindOf, validate } from './validate.ts'

/** An opinion of someone else's making, understood; or what is wrong with it, in words. */
export type ReadOpinion = { ok: true; opinion: Opinion | undefined } | { ok: false; detail: string }

/**
 * Reads a foreign value as an opinion. It is copied first, into plain data, so that nothing of it (a getter, a proxy, a
 * shared array) can answer differently later; then the schemas of the effect table read it. Never throws.
 */
export function readOpinion(value: unknown): ReadOpinion {
  if (value === undefined || value === null) return noOpinion
  let copied: unknown
  try {
    copied = new PlainCopy().of(value)
  } catch (error) {
    return { ok: false, detail: error instanceof NotPlain ? error.message : 'the opinion cannot be read: it threw' }
  }
  if (!isRecord(copied)) return { ok: false, detail: `an opinion must be an object, not ${kindOf(copied)}` }
  return readEffects(copied)
}

const noOpinion: ReadOpinion = { ok: true, opinion: undefined }

/** By the keys that are there: most effects are absent, and looking for all would cost more than the hook. */
function readEffects(given: Record<string, unknown>): ReadOpinion {
  const opinion: Record<string, unknown> = {}
  for (const name of Object.keys(given)) {
    if (!isEffect(name))
      return { ok: false, detail: `unknown key \`${name}\` in the opinion.${didYouMean(name, effectNames)}` }
    const read = validate(effectRow(name).schema, given[name])
    if (!read.ok) return { ok: false, detail: inWords(name, read.problems[0]!) }
    opinion[name] = read.value
  }
  return isSilent(opinion) ? noOpinion : { ok: true, opinion }
}

const isEffect = (name: string): name is EffectName => Object.hasOwn(effects, name)

function inWords(effect: string, { path, detail, unknownKey }: Explanation): string {
  const at = formatPath([effect, ...path])
  if (unknownKey) return `unknown key \`${at}\` in the opinion.${didYouMean(unknownKey.key, unknownKey.known)}`
  return `\`${at}\` ${detail}`
}

/** Why a value is no plain data; its own class, so that a throwing getter is not mistaken for it. */
class NotPlain extends Error {}

/** More values than any honest rewrite has; an object that contains itself many times over ends here. */
const mostValues = 1_000_000

/** Copies plain data, and only that. `path` leads to the value at hand, and is shared by the whole walk. */
class PlainCopy {
  readonly #path: (string | number)[] = []
  #left = mostValues

  of(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return this.#scalar(value)
    // What a rewrite holds may be as deep as any JSON; it lies two levels down.
    if (this.#path.length >= maxDepth + 2) throw this.#refusal(`is nested more than ${maxDepth} levels deep`)
    if (this.#left-- <= 0) throw new NotPlain(`the opinion has more than ${mostValues} values`)
    if (Array.isArray(value)) return Array.from(value, (item, at) => this.#at(at, item ?? null))
    this.#refuseClasses(value)
    const copied: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      if (key === '__proto__') throw this.#refusal('must not have the key "__proto__"')
      const item = (value as Record<string, unknown>)[key]
      if (item !== undefined) copied[key] = this.#at(key, item)
    }
    return copied
  }

  #at(step: string | number, item: unknown): unknown {
    this.#path.push(step)
    const copied = this.of(item)
    this.#path.pop()
    return copied
  }

  #scalar(value: unknown): unknown {
    if (value === null || carried.has(typeof value) || Number.isFinite(value)) return value
    throw this.#refusal(`must be data that JSON can carry, not ${kindOf(value)}`)
  }

  /** An object of no class: its keys are all there is to it. The prototype may come from another realm. */
  #refuseClasses(value: object): void {
    const prototype = Object.getPrototypeOf(value)
    if (prototype === null || Object.getPrototypeOf(prototype) === null) return
    throw this.#refusal(`must be a plain object, not a ${value.constructor?.name ?? 'thing'}`)
  }

  #refusal(detail: string): NotPlain {
    return new NotPlain(`${this.#path.length === 0 ? 'an opinion' : `\`${formatPath(this.#path)}\``} ${detail}`)
  }
}

const carried = new Set(['string', 'boolean', 'bigint'])
