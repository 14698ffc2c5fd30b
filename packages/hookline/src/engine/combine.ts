import {
  type EffectName,
  type EffectValue,
  effectNames,
  effects,
  type Hook,
  isSilent,
  layerRank,
  type Opinion,
} from '../core/index.ts'

/**
 * Many opinions as one: a fold over the effect table, in config order. Pure, so whoever finishes first changes nothing.
 */
export function combine(opinions: readonly Opinion[]): Opinion {
  const given = opinions.filter((opinion) => !isSilent(opinion))
  if (given.length <= 1) return given[0] ?? {}
  const combined: Opinion = {}
  for (const name of effectNames) fold(combined, name, given)
  return combined
}

/** Opinions about the parts of one call: the strictest holds, and it is allowed only when every part is. */
export function combineParts(opinions: readonly Opinion[]): Opinion {
  const { decision, ...rest } = combine(opinions)
  const counts = decision && (decision.ruling !== 'allow' || opinions.every((each) => each.decision))
  return counts ? { decision, ...rest } : rest
}

/** The opinion of a hook, and how strong its layer is: rank 0 is the strongest. */
export interface Ranked {
  rank: number
  opinion: Opinion
}

export const rankOf = ({ origin }: Pick<Hook, 'origin'>): number => layerRank(origin.layer)

/** As `combine`, but where two layers rewrite the same, the stronger one wins; within a layer, the later hook. */
export function combineRanked(ranked: readonly Ranked[]): Opinion {
  const combined = combine(ranked.map(({ opinion }) => opinion))
  const weakestFirst = ranked.toSorted((one, other) => other.rank - one.rank).map(({ opinion }) => opinion)
  if (combined.rewrite) fold(combined, 'rewrite', weakestFirst)
  return combined
}

function fold<N extends EffectName>(combined: Opinion, name: N, opinions: readonly Opinion[]): void {
  const merge = effects[name].merge as (earlier: EffectValue<N>, later: EffectValue<N>) => EffectValue<N>
  const values = opinions.map((opinion) => opinion[name]).filter((value) => value !== undefined) as EffectValue<N>[]
  if (values.length > 0) combined[name] = values.reduce(merge) as Opinion[N]
}
