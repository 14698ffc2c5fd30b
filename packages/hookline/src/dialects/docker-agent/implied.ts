import { type EventName, type Hook, isRecord } from '../../core/index.ts'
import { list, type Path, placed, type Reading, type Sketch, shape } from './entry.ts'
import { lane } from './names.ts'

/** Flags of an agent that stand for a builtin on one or more events. */
const flags: Record<string, readonly EventName[]> = {
  add_date: ['turn_start'],
  add_environment_info: ['session_start'],
  redact_secrets: ['pre_tool_use', 'before_llm_call', 'tool_response_transform'],
}

export function impliedByAgent(agent: Record<string, unknown>, at: Path, reading: Reading): Sketch[] {
  const wrong = (key: string, detail: string, fix: string) =>
    reading.problems.push(shape(reading.source, [...at, key], detail, fix))
  const sketches = Object.entries(flags).flatMap(([flag, events]) => {
    const value = agent[flag] ?? false
    if (typeof value !== 'boolean') wrong(flag, 'must be true or false', `Write \`${flag}: true\`.`)
    return value === true ? events.map((event) => builtin(event, flag, [...at, flag])) : []
  })
  const files = list(agent['add_prompt_files'])
  if (!files.every((file) => typeof file === 'string'))
    wrong('add_prompt_files', 'must be a list of file names', 'Write `add_prompt_files: [AGENTS.md]`.')
  else if (files.length > 0)
    sketches.push(builtin('turn_start', 'add_prompt_files', [...at, 'add_prompt_files'], files as string[]))
  for (const { item, at: place } of placed(agent['toolsets'], [...at, 'toolsets']))
    if (isRecord(item) && item['type'] === 'shell' && item['safer'] === true)
      sketches.push(builtin(lane, 'safer_shell', [...place, 'safer']))
  return sketches
}

/** `settings.snapshot` in the user's config: for every agent, at both ends of sessions and turns. */
export function impliedBySettings(settings: Record<string, unknown>): Sketch[] {
  if (settings['snapshot'] !== true) return []
  const events = ['session_start', 'turn_start', 'turn_end', 'session_end'] as const
  return events.map((event) => builtin(event, 'snapshot', ['settings', 'snapshot']))
}

/** "Injected unconditionally by the runtime — it is always active and cannot be removed from config." */
export const alwaysOn: readonly Sketch[] = (['tool_response_transform', 'session_end'] as const).map((event) =>
  builtin(event, 'limit_large_tool_results', []),
)

/** Whether a hook is one of these: the runtime's own, whatever file it was read with. */
export function isAlwaysOn({ dialect, event, matcher, run }: Hook): boolean {
  const same = (each: Sketch) => each.event === event && each.run['name'] === run['name']
  return dialect === 'docker-agent' && matcher.length === 0 && run['args'] === undefined && alwaysOn.some(same)
}

function builtin(event: EventName, name: string, at: Path, args?: readonly string[]): Sketch {
  return { event, matcher: [], run: { type: 'builtin', name, ...(args ? { args } : {}) }, at }
}
