import { type Layer, layers } from '../core/index.ts'
import type { ConfigFile } from './discover.ts'

/** Strongest first; files of one layer keep their order. */
export function inOrder(files: readonly ConfigFile[]): ConfigFile[] {
  return files.toSorted((one, other) => rankOf(one.layer) - rankOf(other.layer))
}

/** 0 is the strongest. */
export const rankOf = (layer: Layer): number => layers.indexOf(layer)
