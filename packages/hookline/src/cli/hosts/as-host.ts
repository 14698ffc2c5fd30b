import { type Dialect, type EventName, eventRow, isRecord, toTheirs } from '../../core/index.ts'
import { loadDialect, ourDialects } from '../../dialects/index.ts'
import { dialectOfHost, type Host, loadHost, raisedAs } from '../../hosts/index.ts'
import { UsageError } from '../command.ts'

/** What an agent with our entry writes and reads; without a name, a dialect. */
export const dialectFor = (host: string | undefined, dialect: string | undefined): Promise<Dialect> =>
  host === undefined ? loadDialect(dialect ?? 'native') : dialectOfHost(raisedAs(host), ourDialects)

/**
 * A call in our words as this agent would make it, under its own name and with its own arguments. An agent that needs several calls
 * for it makes the first of them.
 */
export function callOf(
  { tools, name }: Dialect,
  event: EventName,
  payload: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { tool: toolKey, args: argsKey } = eventRow(event).subject
  if (tools === undefined || toolKey === undefined || argsKey === undefined) return { ...payload }
  const [tool, input] = [payload[toolKey], payload[argsKey]]
  if (typeof tool !== 'string' || !isRecord(input)) return { ...payload }
  const [theirs] = toTheirs(tools, { tool, input })
  if (!theirs) throw new UsageError(`${name} has no call for the tool \`${tool}\` with these arguments.`)
  return { ...payload, [toolKey]: theirs.tool, [argsKey]: theirs.input }
}

/** What an agent cannot do, in words that follow its name. */
export function limitsOf({ takes, can, rewrites }: Host): string[] {
  return [
    ...(takes.ask === false ? ['cannot ask: questions wait in `hookline watch`, else they are refused'] : []),
    ...(rewrites.input === 'dropped' ? ['takes no rewritten input: it is refused and says what to run'] : []),
    ...(can.subAgents === 'no' ? ['runs no hooks for sub-agents: no rule holds in them'] : []),
    ...(can.subAgents === 'no: starting one is refused' ? ['runs no hooks for sub-agents: they are refused'] : []),
    ...(can.refusesPrompt ? [] : ['cannot refuse prompts']),
  ]
}

/** What an agent makes of a verdict about this event. */
export async function hostLines(name: string, event: EventName): Promise<string[]> {
  const host = (await loadHost(name))!
  if (host.events[event] === undefined) return [`${host.called} never raises ${event}: none of this runs there.`]
  const limits = limitsOf(host)
  return [
    `${host.called} raises it as ${host.events[event]}.`,
    ...(limits.length > 0 ? [`It ${limits.join('; ')}.`] : []),
  ]
}
