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
 * The verdict of many opinions: a fold over the effect table, in config order. Pure, so whoever finishes first
 * changes nothing.
 */
export function combine(opinions: readonly Opinion[]): Opinion {
  const spoken = opinions.filter((opinion) => !isSilent(opinion))
  if (spoken.length <= 1) return spoken[0] ?? {}
  const combined: Opinion = {}
  for (const name of effectNames) fold(combined, name, spoken)
  return combined
}

/** What a hook of a layer says; rank 0 is the strongest. */
export interface Ranked {
  rank: number
  opinion: Opinion
}

/** The same, but where two layers rewrite the same, the stronger one wins; within a layer, as everywhere, the later hook. */
export function combineLayers(said: readonly Ranked[]): Opinion {
  const combined = combine(said.map(({ opinion }) => opinion))
  if (combined.rewrite) fold(combined, 'rewrite', weakestFirst(said))
  return combined
}

const weakestFirst = (said: readonly Ranked[]): Opinion[] =>
  said.toSorted((one, other) => other.rank - one.rank).map(({ opinion }) => opinion)

export const rankOf = ({ origin }: Pick<Hook, 'origin'>): number => layerRank(origin.layer)

function fold<N extends EffectName>(combined: Opinion, name: N, opinions: readonly Opinion[]): void {
  const merge = effects[name].merge as (earlier: EffectValue<N>, later: EffectValue<N>) => EffectValue<N>
  const values = opinions.map((opinion) => opinion[name]).filter((value) => value !== undefined) as EffectValue<N>[]
  if (values.length > 0) combined[name] = values.reduce(merge) as Opinion[N]
}
