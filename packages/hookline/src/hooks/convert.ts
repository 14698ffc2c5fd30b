import { resolve } from 'node:path'
import type { LoadedConfig } from '../config/index.ts'
import { carrierOf, type Dialect, type EventName, type Hook, hookDefaults, type Note, note } from '../core/index.ts'
import { loadDialect } from '../dialects/index.ts'
import { executorRow } from '../executors/index.ts'
import { quoteWord } from '../shell/index.ts'

export interface Converted {
  value: unknown
  /** How many hooks the result has. */
  hooks: number
  /** What changes meaning. */
  notes: Note[]
  /** Guards that would mean something else there, or nothing: why the result should not be used. */
  refused: Note[]
}

/** A config document of one system as one of another, and all that changes meaning; broken entries are left out, with a note. */
export async function convert(from: string, to: string, document: unknown): Promise<Converted> {
  const [source, target] = await Promise.all([loadDialect(from), loadDialect(to)])
  const locate = (path: readonly (string | number)[]) => ({ file: path.join('.') || 'the config' })
  const { hooks, notes, problems } = source.config.decode(document, { file: 'the config', layer: 'session', locate })
  const converted = await convertHooks({ hooks, notes }, source, target)
  return { ...converted, notes: [...problems, ...converted.notes] }
}

/** The hooks of one system in the config of another, as far as it can say them. */
export async function convertHooks(
  { hooks, notes }: Pick<LoadedConfig, 'hooks' | 'notes'>,
  from: Dialect,
  to: Dialect,
): Promise<Converted> {
  // The regex engine comes with it, and most who enter this room do without.
  const { translateMatcher } = await import('./convert-matcher.ts')
  const translated = from.name === to.name ? hooks : hooks.map((hook) => translateMatcher(hook, from, to))
  const converted = encode(
    translated,
    to,
    notes,
    hooks.flatMap((hook) => remarks(hook, from, to)),
  )
  const lost = translated.flatMap((hook) => changesMeaning(hook, from, to))
  const nothing = hooks.length > 0 && converted.hooks === 0 ? [note('convert-empty', { to: to.name })] : []
  return { ...converted, refused: from.name === to.name ? [] : [...lost, ...nothing] }
}

/** A guard that looks at less runs for more, and one on an event that does something else is no guard. */
function changesMeaning(hook: Hook, from: Dialect, to: Dialect): Note[] {
  const { value } = to.config.encode([hook])
  const locate = () => ({ file: 'the config' })
  const [again] = to.config.decode(value, { file: 'the config', layer: 'session', locate }).hooks
  if (!again) return []
  const narrow = ({ matcher }: Hook) => matcher.filter(({ facet, test }) => facet !== 'tool' || !('any' in test)).length
  const details = [
    ...(narrow(again) < narrow(hook)
      ? ['its matcher would be dropped there, so that it would run for other calls too']
      : []),
    ...(to.replaces?.includes(hook.event) && !from.replaces?.includes(hook.event)
      ? [`there a hook on ${to.events[hook.event]} does the work itself, and does not watch it`]
      : []),
  ]
  return details.map((detail) => note('convert-refused', { detail, to: to.name }, about(hook)))
}

/** Instead: a config for the other system that runs Hookline, which runs the hooks in their own dialect. */
export function bridgeHooks({ file, hooks: all, notes }: LoadedConfig, from: Dialect, to: Dialect): Converted {
  const hooks = all.filter((hook) => hook.enabled)
  // A payload of a system with lanes runs both; the first lane always runs.
  const events = [...new Set(hooks.map(({ event }) => to.lanes?.[event] ?? carrierOf(to, event)))]
  const bridges = events.map((event) => bridge(event, hooks, file, from, to))
  return encode(bridges, to, notes, [])
}

function encode(hooks: readonly Hook[], to: Dialect, before: readonly Note[], after: readonly Note[]): Converted {
  const { value, notes } = to.config.encode(hooks)
  const nothing = JSON.stringify(to.config.encode([]).value)
  const kept = hooks.filter((hook) => JSON.stringify(to.config.encode([hook]).value) !== nothing)
  return { value, hooks: kept.length, notes: [...before, ...notes, ...after], refused: [] }
}

function bridge(event: EventName, hooks: readonly Hook[], file: string, from: Dialect, to: Dialect): Hook {
  const options = ['--dialect', to.name, '--config-dialect', from.name, '--config', quoteWord(resolve(file)), '--reply']
  return {
    ...hookDefaults,
    id: `hookline_${event}`,
    event,
    dialect: to.name,
    run: { type: 'command', command: ['hookline', 'dispatch', ...options].join(' ') },
    timeoutMs: Math.max(...hooks.map((hook) => hook.timeoutMs)),
    origin: { layer: 'session' },
  }
}

/** What no codec can know: what a script reads and prints, and what tools are called. */
function remarks(hook: Hook, from: Dialect, to: Dialect): Note[] {
  if (from.name === to.name) return []
  const language = executorRow(hook.run.type)?.wire
    ? [note('speaks-another-language', { from: from.name, to: to.name, fix: adviceFor(to) }, about(hook))]
    : []
  return language
}

const adviceFor = ({ name }: Dialect) =>
  name === 'native'
    ? 'Rewrite it; or do not convert: Hookline reads the original file as it is, and runs its hooks as their system does.'
    : `Rewrite it for ${name}, or let ${name} ask it through Hookline: convert with \`--bridge\`.`

const about = ({ id, origin: { where } }: Hook) => ({ hook: id, ...(where && { where }) })
