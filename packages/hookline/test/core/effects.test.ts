import { describe, expect, it } from 'vitest'
import {
  applyRewrite,
  type EffectName,
  effectNames,
  effectRow,
  effects,
  type Opinion,
  type Rewrite,
  validate,
} from '../../src/core/index.ts'
import { combine } from '../../src/engine/index.ts'
import { anOpinion, aRewrite } from '../support/arbitraries.ts'
import fc from '../support/property.ts'

describe('the effect table', () => {
  it.each(effectNames)('%s: merging is associative', (name: EffectName) => {
    const merge = effects[name].merge as (a: unknown, b: unknown) => unknown
    const value = anOpinion.map((opinion) => opinion[name]).filter((found) => found !== undefined)
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
      }),
    )
  })

  it('every merged value fits the schema of its row', () => {
    fc.assert(
      fc.property(fc.array(anOpinion, { maxLength: 5 }), (opinions) => {
        const combined = combine(opinions)
        for (const name of effectNames)
          if (combined[name] !== undefined) expect(validate(effectRow(name).schema, combined[name]).ok).toBe(true)
      }),
    )
  })

  it('an absent effect is the identity', () => {
    fc.assert(
      fc.property(anOpinion, (opinion) => {
        expect(combine([{}, opinion, {}])).toEqual(opinion)
      }),
    )
  })

  it('applying two rewrites in turn equals applying their merge', () => {
    const merge = effects.rewrite.merge
    fc.assert(
      fc.property(fc.jsonValue(), aRewrite, aRewrite, (current, a: Rewrite, b: Rewrite) => {
        expect(applyRewrite(applyRewrite(current, a), b)).toEqual(applyRewrite(current, merge(a, b)))
      }),
    )
  })

  it('deny wins over every other ruling', () => {
    fc.assert(
      fc.property(fc.array(anOpinion), fc.array(anOpinion), fc.string(), (before, after, reason) => {
        const deny: Opinion = { decision: { ruling: 'deny', reason } }
        expect(combine([...before, deny, ...after]).decision?.ruling).toBe('deny')
      }),
    )
  })

  it('adding an opinion never weakens', () => {
    const strictness = (opinion: Opinion) => ['allow', 'ask', 'deny'].indexOf(opinion.decision?.ruling ?? '')
    fc.assert(
      fc.property(fc.array(anOpinion), anOpinion, fc.nat(), (opinions, more, at) => {
        const place = opinions.length === 0 ? 0 : at % (opinions.length + 1)
        const added = [...opinions.slice(0, place), more, ...opinions.slice(place)]
        expect(strictness(combine(added))).toBeGreaterThanOrEqual(strictness(combine(opinions)))
        if (combine(opinions).halt) expect(combine(added).halt).toBeDefined()
      }),
    )
  })

  it('the ruling does not depend on the order', () => {
    const shuffled = fc
      .array(anOpinion)
      .chain((opinions) =>
        fc.tuple(fc.constant(opinions), fc.shuffledSubarray(opinions, { minLength: opinions.length })),
      )
    fc.assert(
      fc.property(shuffled, ([opinions, other]) => {
        expect(combine(other).decision?.ruling).toBe(combine(opinions).decision?.ruling)
        expect(combine(other).halt === undefined).toBe(combine(opinions).halt === undefined)
      }),
    )
  })
})
