import {
  carrierOf,
  type Dialect,
  type EffectName,
  type Event,
  type EventName,
  effectNames,
  effectRow,
  eventNames,
  eventRow,
  type Hook,
  hookDefaults,
  type KnownTool,
  type Opinion,
  outcomeOf,
  theirNamesFor,
  tools,
  type Verdict,
} from '../core/index.ts'

/** The tables of docs/dialects.md, computed by running the codecs themselves. */
export function dialectSections(
  dialects: readonly Dialect[],
  hosts: readonly Pick<Dialect, 'name' | 'tools'>[] = [],
): Record<string, string> {
  return {
    tools: toolTable([...dialects.filter(({ tools }) => !tools?.own), ...hosts]),
    events: table('event', dialects, eventNames, (dialect, event) => nameOf(dialect, event as EventName)),
    effects: table('effect', dialects, effectNames, (dialect, effect) => carried(dialect, effect as EffectName)),
    exits: table('a command that', dialects, Object.keys(endings), (dialect, ending) => meaningOf(dialect, ending)),
  }
}

/** What each of our tools is called in every system; the first name is what its hooks see. */
function toolTable(systems: readonly Pick<Dialect, 'name' | 'tools'>[]): string {
  const rows = Object.keys(tools).map((tool) => {
    const names = systems.flatMap(({ name, tools: section }) => {
      const own = section ? theirNamesFor(section, tool) : []
      return own.length > 0 ? [`${name} ${own.map((each) => `\`${each}\``).join(', ')}`] : []
    })
    return `| \`${tool}\` | ${Object.keys(tools[tool as KnownTool].args)
      .map((key) => `\`${key}\``)
      .join(', ')} | ${names.join(' · ') || '–'} |`
  })
  const mcp = systems.flatMap(({ name, tools: section }) =>
    section?.mcp ? [`${name} \`${section.mcp.names[0]}\``] : [],
  )
  return [
    '| ours | arguments | elsewhere |',
    '| --- | --- | --- |',
    ...rows,
    `| \`mcp__{server}__{tool}\` | | ${mcp.join(' · ')} |`,
  ].join('\n')
}

function nameOf(dialect: Dialect, event: EventName): string {
  const name = dialect.events[event]
  if (name) return `\`${name}\``
  if (Object.values(dialect.lanes ?? {}).includes(event)) return 'a lane of its own'
  const carrier = dialect.events[carrierOf(dialect, event)]
  return carrier ? `with \`${carrier}\`` : '–'
}

/** Whether a verdict with this effect, encoded and decoded again, still has it on some event. */
function carried(dialect: Dialect, effect: EffectName): string {
  const samples = effectRow(effect).samples.map((value): Opinion => ({ [effect]: value }))
  const events = (Object.keys(dialect.events) as EventName[]).filter((event) =>
    eventRow(event).effects.includes(effect),
  )
  const kept = samples.filter((opinion) => events.some((event) => survives(dialect, event, opinion, effect)))
  if (kept.length === 0) return '–'
  return samples.length === 1 ? 'yes' : kept.map((opinion) => `\`${outcomeOf(opinion)}\``).join(', ')
}

function survives(dialect: Dialect, event: EventName, opinion: Opinion, effect: EffectName): boolean {
  const payload = payloadOf(event)
  const { value } = dialect.reply.encode({ event, payload, reports: [], notes: [], ...opinion } as Verdict)
  const decoded = dialect.reply.decode(value, questionOf(dialect, event, payload))
  if (!decoded.ok) return false
  const { decision } = opinion
  return decoded.opinion[effect] !== undefined && (!decision || decoded.opinion.decision?.ruling === decision.ruling)
}

const endings: Record<string, { exit: number; stdout: string; stderr: string }> = {
  'exits 0 silently': { exit: 0, stdout: '', stderr: '' },
  'exits 0 with plain text': { exit: 0, stdout: 'text', stderr: '' },
  'exits 1 silently': { exit: 1, stdout: '', stderr: '' },
  'exits 1 with an error': { exit: 1, stdout: '', stderr: 'why' },
  'exits 2 with an error': { exit: 2, stdout: '', stderr: 'why' },
  'exits 2 with plain text': { exit: 2, stdout: 'why', stderr: '' },
  'exits 49 with an error': { exit: 49, stdout: '', stderr: 'why' },
  'exits 127 with an error': { exit: 127, stdout: '', stderr: 'why' },
}

function meaningOf(dialect: Dialect, ending: string): string {
  const decoded = dialect.reply.decode(
    { kind: 'wire', ...endings[ending]! },
    questionOf(dialect, 'pre_tool_use', payloadOf('pre_tool_use')),
  )
  return decoded.ok ? outcomeOf(decoded.opinion) : `failure (${decoded.failure.kind})`
}

function questionOf(dialect: Dialect, event: EventName, payload: Record<string, unknown>) {
  const hook: Hook = {
    ...hookDefaults,
    id: 'h',
    event,
    dialect: dialect.name,
    run: { type: 'command', command: 'true' },
    origin: { layer: 'code' },
  }
  return { event: { name: event, payload, depth: 0, synthetic: true } as unknown as Event, hook }
}

function payloadOf(event: EventName): Record<string, unknown> {
  const field = eventRow(event).rewrites
  return {
    session_id: 's',
    tool_name: 'shell',
    tool_input: { command: 'ls' },
    ...(field && field !== 'tool_input' ? { [field]: 'text' } : {}),
  }
}

function table(
  first: string,
  dialects: readonly Dialect[],
  rows: readonly string[],
  cell: (dialect: Dialect, row: string) => string,
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = [first, ...dialects.map((dialect) => dialect.name)]
  return [
    line(head),
    line(head.map(() => '---')),
    ...rows.map((row) => line([row, ...dialects.map((dialect) => cell(dialect, row))])),
  ].join('\n')
}
