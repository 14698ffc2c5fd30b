import { ToolFailure } from '../define.ts'
import { type Files, isBinary, type Place } from '../files/files.ts'
import { size } from '../text.ts'

/** What the tools of the filesystem work on. */
export interface Filesystem {
  files: Files
  /** Whether listings and searches leave out what git ignores. */
  ignore: boolean
}

/** Nobody need be asked to look at an ordinary file. */
export const looksAt = ({ path = '.' }: { path?: string | undefined }, { files }: Filesystem): boolean =>
  files.isOrdinary(path)

/** The text of a file, or why there is none. */
export async function readText(files: Files, place: Place): Promise<string> {
  const content = await files.read(place)
  if (isBinary(content)) throw new ToolFailure(`${place.shown} is a binary file of ${size(content.length)}, not text.`)
  return content.toString('utf8')
}

export async function directoryAt(files: Files, path: string): Promise<Place> {
  const place = await files.locate(path, 'read')
  const found = await files.stat(place)
  if (!found) throw new ToolFailure(`There is no directory ${place.shown}.`)
  if (found.kind !== 'directory') throw new ToolFailure(`${place.shown} is a file, not a directory.`)
  return place
}
