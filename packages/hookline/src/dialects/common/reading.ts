import { formatPath } from '../../core/explain-issue.ts'
import { didYouMean, type EventName, foldName, type Note, note, type Source, type Where } from '../../core/index.ts'

export type Path = readonly (string | number)[]

export function shapeNote(source: Source, path: Path, detail: string, fix: string): Note {
  const written = formatPath(path) || source.file
  return note('config-shape', { path: written, detail, fix }, { where: source.locate(path) })
}

/** One remark for each key that is not among the known ones. */
export function unknownKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  path: Path,
  source: Source,
): Note[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const details = { key, hint: didYouMean(key, known), known: known.join(', ') }
      return note('config-unknown-key', details, { where: source.locate([...path, key]) })
    })
}

export function unknownEvent(event: string, known: readonly string[], where?: Where): Note {
  const details = { event, hint: didYouMean(event, known), known: known.join(', ') }
  return note('unknown-event', details, where ? { where } : {})
}

/** From a system's names to ours, in any spelling. */
export function eventFinder(theirs: Partial<Record<EventName, string>>): (name: string) => EventName | undefined {
  const names = new Map(Object.entries(theirs).map(([ours, name]) => [foldName(name), ours as EventName]))
  return (name) => names.get(foldName(name))
}

/** Numbers hooks by event, as ids that nobody wrote: `{event}_{number}`. */
export function idMaker(): (event: EventName) => string {
  const counts = new Map<EventName, number>()
  return (event) => {
    const count = (counts.get(event) ?? 0) + 1
    counts.set(event, count)
    return `${event}_${count}`
  }
}

/** Longer than any timer can run. */
export const longestSeconds = 2_147_483

/** For a system without variables of its own: an in-process shell needs some to find the payload. */
export const payloadVariables = { json: 'HOOKLINE_PAYLOAD_JSON', path: 'HOOKLINE_PAYLOAD_PATH' }
