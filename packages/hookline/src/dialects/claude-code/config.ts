import {
  type DecodedConfig,
  type EventName,
  foldName,
  hookDefaults,
  isRecord,
  type MatchTest,
  note,
  type Source,
} from '../../core/index.ts'
import { idMaker, type Path, shapeNote, unknownEvent, unknownKeys } from '../common/reading.ts'
import { runTwinsOnce } from '../common/run-once.ts'
import { decodeHandler } from './handler.ts'
import { decodeMatcher } from './matcher.ts'
import { findTheirs, rowOf, theirName, theirNames, withoutCounterpart } from './names.ts'
import { readRule } from './rule.ts'

/** `settings.json`, `settings.local.json`, a plugin's `hooks.json`, or anything with groups of handlers by event. */
export function detectConfig(document: unknown, fileName: string): boolean {
  if (!isRecord(document) || /^\.?(?:crush|hookline)\b/.test(fileName)) return false
  const { hooks } = document
  if (/^(?:managed-)?settings(?:\.local)?\.json$/.test(fileName)) return hooks === undefined || isRecord(hooks)
  if (!isRecord(hooks) || Object.keys(hooks).length === 0) return false
  return Object.entries(hooks).every(
    ([name, groups]) =>
      isTheirs(name) && Array.isArray(groups) && groups.every((group) => isRecord(group) && 'hooks' in group),
  )
}

export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  const makeId = idMaker()
  const hooks = isRecord(document) ? (document['hooks'] ?? {}) : undefined
  if (!isRecord(hooks)) {
    decoded.problems.push(shapeNote(source, isRecord(document) ? ['hooks'] : [], 'must be an object', example))
    return decoded
  }
  const disabled = isRecord(document) && document['disableAllHooks'] === true
  if (disabled)
    decoded.notes.push(shapeNote(source, ['disableAllHooks'], 'turns these hooks off', 'Remove it to have them run.'))
  for (const [name, groups] of Object.entries(hooks)) decodeEvent(name, groups)
  // "Identical handlers … run once", whichever of their groups match.
  return { ...decoded, hooks: runTwinsOnce(decoded.hooks) }

  function decodeEvent(name: string, groups: unknown): void {
    const at = ['hooks', name]
    const event = findTheirs(name)
    const foreign = withoutCounterpart.find((known) => foldName(known) === foldName(name))
    if (foreign)
      decoded.notes.push(
        note('event-not-raised', { dialect: 'claude-code', event: foreign }, { where: source.locate(at) }),
      )
    else if (event === undefined)
      decoded.problems.push(unknownEvent(name, Object.values(theirNames), source.locate(at)))
    else if (!Array.isArray(groups)) decoded.problems.push(shapeNote(source, at, 'must be a list', example))
    else for (const [index, group] of groups.entries()) decodeGroup(group, event, [...at, index])
  }

  function decodeGroup(group: unknown, event: EventName, at: Path): void {
    const handlers = isRecord(group) ? group['hooks'] : undefined
    if (!isRecord(group) || !Array.isArray(handlers)) {
      const path = isRecord(group) ? [...at, 'hooks'] : at
      decoded.problems.push(shapeNote(source, path, 'must be a list of hooks', example))
      return
    }
    decoded.notes.push(...unknownKeys(group, ['matcher', 'hooks'], at, source))
    const { matcher = '' } = group
    if (matcher !== null && typeof matcher !== 'string') {
      decoded.problems.push(shapeNote(source, [...at, 'matcher'], 'must be text', 'Write `"matcher": "Bash"`.'))
      return
    }
    const read = decodeMatcher(matcher ?? '', event, source.locate([...at, 'matcher']))
    decoded.notes.push(...read.notes)
    for (const [index, handler] of handlers.entries()) decodeOne(handler, event, read.tests, [...at, 'hooks', index])
  }

  function decodeOne(handler: unknown, event: EventName, matcher: readonly MatchTest[], at: Path): void {
    const { hook, problems, notes } = decodeHandler(handler, event, at, source)
    const rule = isRecord(handler) ? decodeRule(handler['if'], event, [...at, 'if']) : []
    decoded.problems.push(...problems)
    decoded.notes.push(...notes)
    if (!hook || !rule) return
    decoded.hooks.push({
      ...hookDefaults,
      id: makeId(event),
      event,
      dialect: 'claude-code',
      ...hook,
      matcher: [...matcher, ...rule],
      judgesOnce: true,
      enabled: !disabled,
      env: pluginEnv(source.file),
      origin: { layer: source.layer, where: source.locate(at) },
    })
  }

  function decodeRule(rule: unknown, event: EventName, at: Path): readonly MatchTest[] | undefined {
    if (rule === undefined || rule === null) return []
    const where = source.locate(at)
    const fix = 'Write one permission rule, such as `Bash(git *)`.'
    if (typeof rule !== 'string') decoded.problems.push(shapeNote(source, at, 'must be text', fix))
    else if (rowOf(event).matches !== 'tool')
      decoded.problems.push(
        note(
          'matcher-dead',
          { detail: `\`if\` is a rule about tools, and ${theirName(event)} has none`, fix: 'Remove `if`.' },
          { where },
        ),
      )
    else {
      const read = readRule(rule, where)
      if (!read.ok) decoded.problems.push(shapeNote(source, at, `cannot be read: ${read.detail}`, fix))
      else {
        if (read.unread !== undefined)
          decoded.notes.push(shapeNote(source, at, `is read without \`(${read.unread})\``, 'Test it in the hook.'))
        return read.tests
      }
    }
    return undefined
  }
}

const example =
  'Write `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "…"}]}]}}`.'

const isTheirs = (name: string) =>
  Object.values(theirNames).includes(name) || (withoutCounterpart as readonly string[]).includes(name)

/** A plugin's `hooks/hooks.json` speaks of files beside it. */
function pluginEnv(file: string): Record<string, string> {
  const root = /^(\/.*)\/hooks\/hooks\.json$/.exec(file)?.[1]
  return root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root }
}
