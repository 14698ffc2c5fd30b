import type { Layer } from './hook.ts'

/** What a config file may decide beside its hooks, if it is the user's or the administrator's. */
export interface Settings {
  /** Where dispatches are recorded, and how. False: nowhere. */
  journal?: false | JournalSettings
  trust?: TrustSettings
}

export interface JournalSettings {
  file?: string | undefined
  durability?: 'none' | 'batch' | 'full' | undefined
  on_failure?: 'continue' | 'block' | undefined
  record?: 'asked' | 'all' | undefined
  payload?: 'full' | 'digest' | 'none' | undefined
  max_bytes?: number | undefined
  keep?: number | undefined
}

export interface TrustSettings {
  /** Who may approve besides a person at a terminal. */
  self_approve?: 'off' | 'loopback' | undefined
}

/** Layers that only the person or the machine's owner writes. All others may be written by whoever wrote the project. */
export const settingLayers: ReadonlySet<Layer> = new Set<Layer>(['managed', 'user'])

/** What the stronger layer says holds; the weaker one fills in what it leaves open. */
export function mergeSettings(strongestFirst: readonly Settings[]): Settings {
  const merged: Settings = {}
  for (const { journal, trust } of strongestFirst.toReversed()) {
    if (journal !== undefined) merged.journal = journal && merged.journal ? { ...merged.journal, ...journal } : journal
    if (trust) merged.trust = { ...merged.trust, ...trust }
  }
  return merged
}
