import { type EffectName, type EffectValue, effectNames, effects, isSilent, type Opinion } from '../core/index.ts'

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

function fold<N extends EffectName>(combined: Opinion, name: N, opinions: readonly Opinion[]): void {
  const merge = effects[name].merge as (earlier: EffectValue<N>, later: EffectValue<N>) => EffectValue<N>
  const values = opinions.map((opinion) => opinion[name]).filter((value) => value !== undefined) as EffectValue<N>[]
  if (values.length > 0) combined[name] = values.reduce(merge) as Opinion[N]
}
