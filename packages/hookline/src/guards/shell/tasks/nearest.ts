import { resolvePath } from '../places.ts'
import { isKnown } from '../text.ts'
import type { Call } from '../types.ts'

export interface NearestFile {
  directory: string
  text: string
}

/** The first file of these names, in the folder that is named, or here and upwards. */
export function nearestFile(
  names: readonly string[],
  folder: string | undefined,
  { run, state }: Call,
  upwards = true,
): NearestFile | undefined {
  for (const cwd of state.standing.now) {
    const start = folder === undefined ? cwd : resolvePath(folder, { ...state, cwd })
    if (start === undefined || !start.startsWith('/') || !isKnown(start)) continue
    for (let at = start, tries = 0; tries < 8; at = at.slice(0, Math.max(1, at.lastIndexOf('/'))), tries++) {
      for (const name of names) {
        const text = run.disk?.read(`${at === '/' ? '' : at}/${name}`)
        if (text !== undefined) return { directory: at, text }
      }
      if (at === '/' || folder !== undefined || !upwards) break
    }
  }
  return undefined
}
