import type { DecodedConfig, Hook, Note, Source } from '../../core/index.ts'
import { didYouMean, isRecord, note, stringifyJson } from '../../core/index.ts'
import { type Path, shapeNote, unknownKeys } from '../common/config.ts'
import { byteLength } from './matcher.ts'
import { decodeSpec } from './spec.ts'

/** An agent with `capabilities`, the bare config of `user_hooks`, or the declarative bundle that Everruns has planned. */
export function detectConfig(document: unknown): boolean {
  if (!isRecord(document)) return false
  const { capabilities, hooks, disabled_contributions, user_hooks, definition } = document
  if (Array.isArray(capabilities))
    return capabilities.some((entry) => isRecord(entry) && typeof entry['ref'] === 'string')
  if (isRecord(definition) && Array.isArray(definition['user_hooks'])) return true
  if (Array.isArray(user_hooks)) return user_hooks.every(isSpec)
  return Array.isArray(disabled_contributions) || (isSpecs(hooks) && !('version' in document))
}

/** "Hooks chain in capability-declaration order, then array order within each capability": a stage each. */
export function decodeConfig(document: unknown, source: Source): DecodedConfig {
  const decoded: DecodedConfig = { hooks: [], problems: [], notes: [] }
  const muted: { id: string; at: Path }[] = []
  /** Our ids, as the file has them: two hooks may share one. */
  const written = new Map<string, string>()
  if (!isRecord(document)) {
    const fix = 'Write `{"capabilities": [{"ref": "user_hooks", "config": {"hooks": []}}]}`.'
    decoded.problems.push(shapeNote(source, [], 'must be an object', fix))
    return decoded
  }
  for (const contribution of contributions(document)) read(contribution)
  mute()
  return decoded

  function read({ capability, specs, disabled, config, at }: Contribution): void {
    if (config !== undefined && refusesConfig(config, at)) return
    if (disabled !== undefined) readDisabled(disabled, [...at, 'disabled_contributions'])
    if (specs === undefined) return
    if (!Array.isArray(specs.value)) {
      const fix = 'Write a list of hooks; `[]` for none.'
      decoded.problems.push(shapeNote(source, specs.at, 'must be a list', fix))
    } else if (specs.value.length > mostHooks)
      decoded.problems.push(
        shapeNote(source, specs.at, `has ${specs.value.length} hooks, more than ${mostHooks}`, 'Join some of them.'),
      )
    else for (const [index, entry] of specs.value.entries()) readSpec(entry, index, capability, [...specs.at, index])
  }

  /** The config of `user_hooks` itself; what others configure is their own affair. */
  function refusesConfig(config: unknown, at: Path): boolean {
    if (!isRecord(config)) decoded.problems.push(shapeNote(source, at, 'must be an object', 'Write `hooks` in it.'))
    else if (byteLength(stringifyJson(config)) > largestConfig)
      decoded.problems.push(
        note('config-too-large', { size: 'over 256 KiB', limit: '256 KiB' }, { where: source.locate(at) }),
      )
    else {
      decoded.notes.push(...unknownKeys(config, ['hooks', 'disabled_contributions'], at, source))
      return false
    }
    return true
  }

  function readSpec(entry: unknown, index: number, capability: string, at: Path): void {
    const { hook, problems, notes } = decodeSpec(entry, at, source)
    decoded.problems.push(...problems)
    decoded.notes.push(...notes)
    if (!hook) return
    const given = isRecord(entry) && typeof entry['id'] === 'string' ? entry['id'] : ''
    const id = hookId(capability, given || `${hook.event}_${index}`)
    const free = freeId(id, at)
    written.set(free, id)
    decoded.hooks.push({ ...hook, id: free, stage: decoded.hooks.length })
  }

  /** Everruns lets two hooks have one id; here reports could not tell them apart. */
  function freeId(id: string, at: Path): string {
    const first = decoded.hooks.find((hook) => hook.id === id)
    if (!first) return id
    let number = 2
    while (decoded.hooks.some((hook) => hook.id === `${id}_${number}`)) number++
    const details = { id, first: `line ${first.origin.where?.line ?? '?'}; it is called \`${id}_${number}\` here` }
    decoded.notes.push(note('duplicate-id', details, { where: source.locate(at) }))
    return `${id}_${number}`
  }

  function readDisabled(value: unknown, at: Path): void {
    if (!Array.isArray(value) || value.some((id) => typeof id !== 'string'))
      decoded.problems.push(shapeNote(source, at, 'must be a list of hook ids', 'Write `["pack:name"]`.'))
    else muted.push(...value.map((id: string, index) => ({ id, at: [...at, index] })))
  }

  /** A muted hook stays in sight, and is not asked. */
  function mute(): void {
    const hits = (pattern: string, { id }: Hook) => mutes(pattern, id) || mutes(pattern, written.get(id) ?? id)
    for (const { id, at } of muted)
      if (!decoded.hooks.some((hook) => hits(id, hook))) decoded.notes.push(mutesNobody(id, decoded.hooks, at, source))
    const isMuted = (hook: Hook) => muted.some(({ id }) => hits(id, hook))
    decoded.hooks = decoded.hooks.map((hook) => (isMuted(hook) ? { ...hook, enabled: false } : hook))
  }
}

const mostHooks = 64
const largestConfig = 256 * 1024

/** The hooks that one capability brings. */
interface Contribution {
  capability: string
  at: Path
  specs?: { value: unknown; at: Path }
  disabled?: unknown
  /** Set for `user_hooks`, whose config is checked as a whole. */
  config?: unknown
}

function* contributions(document: Record<string, unknown>): Generator<Contribution> {
  const { capabilities, definition } = document
  if (isRecord(definition)) yield* bundle(definition, 'bundle', ['definition'])
  if (Array.isArray(capabilities)) {
    for (const [index, entry] of capabilities.entries())
      if (isRecord(entry)) yield* contributed(entry, ['capabilities', index])
  } else if (Array.isArray(document['user_hooks'])) yield* bundle(document, 'bundle', [])
  else if ('hooks' in document || 'disabled_contributions' in document) yield ofUser(document, [])
}

function* contributed(entry: Record<string, unknown>, at: Path): Generator<Contribution> {
  const { ref, id, config, definition } = entry
  const capability = [ref, id, entry['name']].find((name) => typeof name === 'string') as string | undefined
  if (capability === 'user_hooks') yield ofUser(config ?? {}, [...at, 'config'])
  else {
    if (isRecord(definition)) yield* bundle(definition, capability, [...at, 'definition'])
    if (isRecord(config)) yield* bundle(config, capability, [...at, 'config'])
    yield* bundle(entry, capability, at)
  }
}

function ofUser(config: unknown, at: Path): Contribution {
  if (!isRecord(config)) return { capability: 'user', config, at }
  const { hooks, disabled_contributions: disabled } = config
  return {
    capability: 'user',
    config,
    at,
    ...(hooks !== undefined && hooks !== null && { specs: { value: hooks, at: [...at, 'hooks'] } }),
    ...(disabled !== undefined && disabled !== null && { disabled }),
  }
}

/** A list under `user_hooks`, or one under `hooks` that is plainly of hooks. */
function* bundle(holder: Record<string, unknown>, named: string | undefined, at: Path): Generator<Contribution> {
  const key = 'user_hooks' in holder ? 'user_hooks' : isSpecs(holder['hooks']) ? 'hooks' : undefined
  if (key === undefined) return
  const own = typeof holder['name'] === 'string' ? holder['name'] : undefined
  const capability = (at.at(-1) === 'definition' ? (own ?? named) : (named ?? own)) ?? 'bundle'
  yield { capability, at, specs: { value: holder[key], at: [...at, key] } }
}

const isSpec = (entry: unknown) => isRecord(entry) && 'event' in entry && isRecord(entry['executor'])
const isSpecs = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isSpec)

/** "Capability contribution: {capability_id}:{name}; user config: user:{name}" */
function hookId(capability: string, name: string): string {
  return name.startsWith(`${capability}:`) ? name : `${capability}:${name}`
}

/** Exact; or all of a pack with `pack:*`, which Everruns has planned. */
const mutes = (pattern: string, id: string): boolean =>
  pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id

function mutesNobody(id: string, hooks: readonly Hook[], at: Path, source: Source): Note {
  const ids = hooks.map((hook) => hook.id)
  const detail = `names \`${id}\`, which is no hook of this file`
  return shapeNote(source, at, detail, `Ids here: ${ids.join(', ') || 'none'}.${didYouMean(id, ids)}`)
}
