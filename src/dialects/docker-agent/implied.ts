import { type DecodedConfig, type EventName, type Hook, isRecord, type Source } from '../../core/index.ts'
import type { Sketch } from './entry.ts'
import { lane } from './names.ts'
import { list, type Path, shape } from './shape.ts'

/** Flags of an agent that stand for a builtin on one or more events. */
const flags: Record<string, readonly EventName[]> = {
  add_date: ['turn_start'],
  add_environment_info: ['session_start'],
  redact_secrets: ['pre_tool_use', 'before_llm_call', 'tool_response_transform'],
}

export function impliedByAgent(
  agent: Record<string, unknown>,
  at: Path,
  source: Source,
  decoded: DecodedConfig,
  toHook: (sketch: Sketch) => Hook,
): void {
  for (const [flag, events] of Object.entries(flags)) {
    const value = agent[flag]
    if (value === true) add(events, flag, [...at, flag])
    else if (value !== undefined && value !== null && value !== false)
      decoded.problems.push(shape(source, [...at, flag], 'must be true or false', `Write \`${flag}: true\`.`))
  }
  const files = list(agent['add_prompt_files'])
  if (files.every((file) => typeof file === 'string')) {
    if (files.length > 0) add(['turn_start'], 'add_prompt_files', [...at, 'add_prompt_files'], files)
  } else
    decoded.problems.push(
      shape(source, [...at, 'add_prompt_files'], 'must be a list of file names', 'Write `[AGENTS.md]`.'),
    )
  list(agent['toolsets']).forEach((toolset, index) => {
    if (isRecord(toolset) && toolset['type'] === 'shell' && toolset['safer'] === true)
      add([lane], 'safer_shell', [...at, 'toolsets', index, 'safer'])
  })

  function add(events: readonly EventName[], name: string, path: Path, args?: readonly string[]): void {
    for (const event of events) decoded.hooks.push(toHook({ ...builtin(event, name, args), at: path }))
  }
}

/** `settings.snapshot` in the user's config: for every agent, at both ends of sessions and turns. */
export function impliedBySettings(settings: Record<string, unknown>): Sketch[] {
  if (settings['snapshot'] !== true) return []
  const events: EventName[] = ['session_start', 'turn_start', 'turn_end', 'session_end']
  return events.map((event) => ({ ...builtin(event, 'snapshot'), at: ['settings', 'snapshot'] }))
}

/** "Injected unconditionally by the runtime — it is always active and cannot be removed from config." */
export const alwaysOn: readonly Sketch[] = (['tool_response_transform', 'session_end'] as const).map((event) => ({
  ...builtin(event, 'limit_large_tool_results'),
  at: [],
}))

function builtin(event: EventName, name: string, args?: readonly string[]): Pick<Sketch, 'event' | 'matcher' | 'run'> {
  return { event, matcher: [], run: { type: 'builtin', name, ...(args ? { args } : {}) } }
}
