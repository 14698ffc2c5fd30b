import {
  didYouMean,
  type EventName,
  foldName,
  formatPath,
  type Hook,
  type Note,
  note,
  type Source,
  stringifyJson,
  type Where,
} from '../../core/index.ts'

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

/** Words, however they are joined. With anything before or after them, as in `// Stop` or `_Stop`, it is a name put out of the way. */
const isSpelling = (name: string) => /^[A-Za-z0-9](?:.*[A-Za-z0-9])?$/s.test(name)

/** From a system's names to ours, in any spelling. */
export function eventFinder(theirs: Partial<Record<EventName, string>>): (name: string) => EventName | undefined {
  const names = new Map(Object.entries(theirs).map(([ours, name]) => [foldName(name), ours as EventName]))
  return (name) => (isSpelling(name) ? names.get(foldName(name)) : undefined)
}

/** How a system names events, from a table of what it knows of each; `observer` stands for events it does not have. */
export function nameTable<R>(
  rows: Partial<Record<EventName, R>>,
  observer: R,
  nameOf: (row: R, ours: string) => string,
) {
  const theirNames: Partial<Record<EventName, string>> = Object.fromEntries(
    Object.entries(rows).map(([ours, row]) => [ours, nameOf(row as R, ours)]),
  )
  return {
    rowOf: (event: EventName): R => rows[event] ?? observer,
    theirNames,
    theirName: (event: EventName): string => theirNames[event] ?? event,
    findTheirs: eventFinder(theirNames),
  }
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

/**
 * Some systems run a command once for an event, however many of its entries match. So hooks of one event that differ
 * only in their matchers or in their names, get one key; a hook without such a twin needs none.
 */
export function runTwinsOnce(hooks: readonly Hook[]): Hook[] {
  const keys = hooks.map(keyOf)
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return hooks.map((hook, index) => {
    const key = keys[index]!
    return counts.get(key)! > 1 ? { ...hook, dedupe: key } : hook
  })
}

function keyOf(hook: Hook): string {
  const { id: _id, description: _name, origin: _origin, matcher: _matcher, stage: _stage, ...rest } = hook
  return stringifyJson(Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** How a system names the event in its payloads. */
export interface Naming {
  dialect: string
  /** The key of the payload that names the event. */
  field: string
  names: Partial<Record<EventName, string>>
}

export type NamedEvent = { ok: true; event: EventName } | { ok: false; problem: Note }

/** Which event a payload is of. It may be named twice, by the payload and by the caller, but not differently. */
export function namedEvent({ dialect, field, names }: Naming): (own: unknown, named?: EventName) => NamedEvent {
  const find = eventFinder(names)
  const known = Object.values(names)
  const invalid = (detail: string): NamedEvent => ({
    ok: false,
    problem: note('payload-invalid', { event: dialect, path: field, detail }),
  })
  return (own, named) => {
    if (own !== undefined && own !== null && typeof own !== 'string') return invalid('must be a string')
    const found = own ? find(own) : undefined
    if (own && !found) return { ok: false, problem: unknownEvent(own, known) }
    const event = found ?? named
    if (event === undefined) return invalid('is missing, so it is not known which event this is')
    if (names[event] === undefined) return { ok: false, problem: unknownEvent(event, known) }
    if (named !== undefined && named !== event) return invalid(`is ${own}, but ${names[named] ?? named} was raised`)
    return { ok: true, event }
  }
}
