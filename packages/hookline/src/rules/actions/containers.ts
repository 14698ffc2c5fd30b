/** Where the paths of a container lead on this machine. */
import { type Field, isKnown, type Mount, SOME } from '../../guards/shell/index.ts'
import type { Look } from '../types.ts'
import { normalise, type Place, placesOf } from './paths.ts'

/** None for what lies in the container itself. */
export function mountedPlaces(
  word: Field,
  cwd: string | undefined,
  mounts: readonly Mount[],
  look: Look,
  recursive: boolean,
): Place[] {
  const text = word.listed ?? word.text
  if (text === '' || text === '-' || word.content) return []
  // Where the image begins is not known: perhaps in what is mounted.
  if (!text.startsWith('/') && cwd === undefined)
    return placesOf({ ...word, listed: `${SOME}/${text}` }, undefined, look)
  const path = normalise(text.startsWith('/') ? text : `${cwd}/${text}`)
  return mounts.flatMap((mount) => {
    const to = normalise(mount.to)
    const inTo = to === '/' ? '/' : `${to}/`
    const rest = path === to ? '' : path.startsWith(inTo) ? path.slice(inTo.length) : undefined
    const above = recursive && (path === '/' || to.startsWith(`${path}/`))
    if (rest === undefined && !above && isKnown(path)) return []
    if (rest === undefined && !above) return placesOf(word, undefined, look)
    const { listed: _, ...from } = mount.from
    return placesOf({ ...from, text: rest ? `${from.text}/${rest}` : from.text, glob: word.glob }, mount.cwd, look)
  })
}
