import { type EventName, isRecord, type MatchTest, type Note, type Source } from '../../core/index.ts'
import {
  decodeEntry,
  decodeMatcher,
  knownKeys,
  list,
  type Path,
  placed,
  type Reading,
  type Sketch,
  shape,
} from './entry.ts'
import { findTheirs, lane, laneOf, rowOf, unknownEvent } from './names.ts'

/** Whether this is a `hooks:` block. Claude Code's event names are others, and Crush's entries have no type. */
export function isBlock(hooks: unknown): boolean {
  if (!isRecord(hooks) || Object.keys(hooks).length === 0) return false
  return Object.entries(hooks).every(([name, entries]) => findTheirs(name) === name && list(entries).every(isEntry))
}

/** Events that stand beside a `hooks:` block and not in it: nobody would raise them, and nobody would notice. */
export function misplacedEvents(mapping: Record<string, unknown>, at: Path, source: Source): Note[] {
  return Object.entries(mapping)
    .filter(([name, entries]) => isBlock({ [name]: entries }) && list(entries).length > 0)
    .map(([name]) => shape(source, [...at, name], 'is an event outside of `hooks:`', 'Move it under `hooks:`.'))
}

const isEntry = (entry: unknown) => isRecord(entry) && (Object.hasOwn(entry, 'type') || Object.hasOwn(entry, 'hooks'))

/** A `hooks:` block: an event each, with groups of hooks where there is a tool to match, else with hooks. */
export function decodeBlock(block: unknown, at: Path, reading: Reading): Sketch[] {
  if (block === undefined || block === null) return []
  if (!isRecord(block)) {
    const fix = 'Write the name of an event and its hooks.'
    reading.problems.push(shape(reading.source, at, 'must be a mapping of events', fix))
    return []
  }
  return Object.entries(block).flatMap(([name, entries]) => {
    const event = findTheirs(name)
    const decode = event && rowOf(event).grouped ? decodeGroup : decodeHook
    if (event) return placed(entries, [...at, name]).flatMap((entry) => decode(entry.item, event, entry.at, reading))
    reading.problems.push(unknownEvent(name, reading.source.locate([...at, name])))
    return []
  })
}

function decodeGroup(group: unknown, event: EventName, at: Path, reading: Reading): Sketch[] {
  const { source } = reading
  const problems = groupProblems(group, event, at, source)
  reading.problems.push(...problems)
  if (problems.length > 0 || !isRecord(group)) return []
  const preempts = group['preempt_yolo'] === true
  if (preempts && event !== laneOf) {
    const fix = `It is for ${laneOf} entries.`
    reading.notes.push(shape(source, [...at, 'preempt_yolo'], `has no effect on ${event}`, fix))
  }
  const matcher = decodeMatcher(group['matcher'], source.locate([...at, 'matcher']))
  const asked = preempts && event === laneOf ? lane : event
  return placed(group['hooks'], [...at, 'hooks']).flatMap((hook) =>
    decodeHook(hook.item, asked, hook.at, reading, matcher),
  )
}

function decodeHook(
  entry: unknown,
  event: EventName,
  at: Path,
  reading: Reading,
  matcher: readonly MatchTest[] = [],
): Sketch[] {
  const { hook, problems, notes } = decodeEntry(entry, event, at, reading.source)
  reading.problems.push(...problems)
  reading.notes.push(...notes)
  return hook ? [{ ...hook, event, matcher, at }] : []
}

const example = 'Write `- matcher: "*"` and under it `hooks:` with the hooks.'

function groupProblems(group: unknown, event: EventName, at: Path, source: Source): Note[] {
  if (!isRecord(group)) return [shape(source, at, 'must be a mapping with `matcher` and `hooks`', example)]
  const { matcher, hooks, preempt_yolo, type } = group
  if (type !== undefined && hooks === undefined)
    return [shape(source, at, `is a hook, but ${event} takes groups of hooks`, example)]
  const problems = knownKeys(group, ['matcher', 'hooks', 'preempt_yolo'], at, source)
  const wrong = (key: string, detail: string, fix: string) => problems.push(shape(source, [...at, key], detail, fix))
  if (!isAbsentOr('string', matcher)) wrong('matcher', 'must be text', 'Write a tool name, `a|b`, `*` or a regex.')
  if (!isAbsentOr('boolean', preempt_yolo))
    wrong('preempt_yolo', 'must be true or false', 'Write `preempt_yolo: true`.')
  if (hooks === undefined || hooks === null) wrong('hooks', 'is missing, so there is nothing to run', example)
  return problems
}

const isAbsentOr = (type: 'string' | 'boolean', value: unknown) =>
  value === undefined || value === null || typeof value === type
