import { type Hook, isMuted, type Layer, layerRank, type Muting, type Note, note } from '../core/index.ts'

/** Hooks that are read already, and what their source mutes. */
export interface Layered {
  layer: Layer
  hooks: readonly Hook[]
  muted: readonly Muting[]
}

/** A source mutes hooks of its own layer and of weaker ones, and never one of a stronger. */
export function muteDownwards(sources: readonly Layered[]): { hooks: Hook[]; notes: Note[] } {
  const hooks = sources.flatMap((source) => source.hooks)
  const notes: Note[] = []
  const mutings = sources.flatMap(({ layer, muted }) => muted.map((muting) => ({ ...muting, layer })))
  const reaches = ({ pattern, layer }: { pattern: string; layer: Layer }, hook: Hook) =>
    layerRank(hook.origin.layer) >= layerRank(layer) && isMuted(hook.id, [pattern])
  for (const muting of mutings) {
    if (hooks.some((hook) => reaches(muting, hook))) continue
    const { pattern, where, layer: own } = muting
    const above = hooks.find((hook) => isMuted(hook.id, [pattern]))
    notes.push(
      above
        ? note('mutes-above', { pattern, layer: above.origin.layer, own }, { where })
        : note('mutes-nothing', { pattern }, { where }),
    )
  }
  return {
    hooks: hooks.map((hook) =>
      mutings.some((muting) => reaches(muting, hook)) && hook.enabled ? { ...hook, enabled: false } : hook,
    ),
    notes,
  }
}
