import type { Dialect, Event, Opinion, ToolCall, ToolSection } from '../core/index.ts'
import {
  applyRewrite,
  eventRow,
  everySpelling,
  fromTheirs,
  HookFailure,
  isRecord,
  listTakenApart,
  resultToOurs,
  resultToTheirs,
  sameJson,
  theirNamesFor,
  toTheirs,
} from '../core/index.ts'
import type { Payload, Seen } from './match.ts'

/** A call that is more than this many in the words of a hook is not taken apart: somebody hides one among many. */
const mostViews = 64

/**
 * The event as a hook of this dialect reads it: the tool under its system's name, with its keys, and the result in its
 * shape. Hooks are written against those; a guard for `bash` must not miss our `shell`. Several, where the tool of its
 * system takes one thing at a time; then the hook runs for each.
 */
export function viewsOf(dialect: Dialect, event: Event): readonly Event[] {
  const call = translatable(dialect, event)
  if (!call) return [event]
  const { section, tool, input } = call
  const row = eventRow(event.name)
  if (event.original && dialect.name === event.host && isUntouched(event)) return [asRaised(event)]
  const theirs = toTheirs(section, { tool, input })
  if (theirs.length > mostViews)
    throw new HookFailure(
      'invalid-output',
      `one call of ${tool} is ${theirs.length} calls there`,
      'Call it for fewer at once.',
    )
  const result = row.result === undefined ? undefined : event.payload[row.result]
  const before = dialect.name === event.host ? event.original?.result : undefined
  return theirs.map((each) => {
    const shaped = result === undefined ? undefined : resultToTheirs(section, each.tool, result, before)
    if (each.tool === tool && each.input === input && shaped === result) return event
    return withCall(event, each, shaped)
  })
}

/**
 * What the tests of a matcher look at: the event, and the same in other words. In its own system a hook knows nothing but
 * what the host wrote, and matches as it does there.
 */
export function seenBy(dialect: Dialect, event: Event): { payload: Payload; seen?: Seen } {
  const { payload, original, name, host } = event
  const { tool } = eventRow(name).subject
  if (tool === undefined) return event
  if (original && host === dialect.name) return { payload: inOwnSystem(dialect, event).payload }
  const { tools } = dialect
  if (original === undefined && (tools === undefined || (tools.own && !isMcp(payload[tool])))) return event
  return { payload, seen: new Words(dialect, event) }
}

function inOwnSystem(dialect: Dialect, event: Event): Event {
  if (isUntouched(event)) return asRaised(event)
  const [first, ...more] = viewsOf(dialect, event)
  return first && more.length === 0 ? first : event
}

const isMcp = (name: unknown) => typeof name === 'string' && name.startsWith('mcp_')

/** Made when a test asks for it: tests of names are far more frequent than tests of arguments. */
class Words implements Seen {
  readonly #dialect: Dialect
  readonly #event: Event
  #names: readonly string[] | undefined
  #payloads: readonly Payload[] | undefined

  constructor(dialect: Dialect, event: Event) {
    this.#dialect = dialect
    this.#event = event
  }

  get names(): readonly string[] {
    this.#names ??= this.#findNames()
    return this.#names
  }

  get payloads(): readonly Payload[] {
    this.#payloads ??= this.#findPayloads()
    return this.#payloads
  }

  #findNames(): readonly string[] {
    const { payload, original, name } = this.#event
    const ours = payload[eventRow(name).subject.tool ?? '']
    if (typeof ours !== 'string') return []
    const own = original ? [original.tool] : []
    const { tools } = this.#dialect
    return tools ? [...own, ...theirNamesFor(tools, ours, original?.tool)] : own
  }

  #findPayloads(): readonly Payload[] {
    const event = this.#event
    const others = event.original ? [asRaised(event).payload] : []
    const call = translatable(this.#dialect, event)
    if (!call) return others
    const { section, tool, input } = call
    const theirs = toTheirs(section, { tool, input })
    return [
      ...others,
      ...theirs.map((each) => {
        const { payload } = withCall(event, { tool: each.tool, input: everySpelling(section, tool, each) }, undefined)
        return payload
      }),
    ]
  }
}

/** What a hook answered about its view of the event, in our words again. */
export function inOurWords(dialect: Dialect, event: Event, view: Event, opinion: Opinion): Opinion {
  const { rewrite } = opinion
  if (!rewrite || view === event) return opinion
  const { rewrites, subject, result } = eventRow(event.name)
  const section = dialect.tools
  if (rewrites === undefined || subject.tool === undefined || !section) return opinion
  const tool = view.payload[subject.tool] as string
  if (rewrites === result) {
    const value = resultToOurs(section, tool, applyRewrite(view.payload[result], rewrite))
    return { ...opinion, rewrite: { mode: 'replace', value } }
  }
  if (rewrites !== subject.args) return opinion
  const input = applyRewrite(view.payload[rewrites], rewrite)
  if (!isRecord(input)) return opinion
  const ours = fromTheirs(section, event.payload[subject.tool] as string, { tool, input })
  if (!ours)
    throw new HookFailure('invalid-output', `its rewrite makes ${tool} another call`, 'Change the arguments only.')
  const value = rewrite.mode === 'merge' ? changes(event.payload[rewrites], ours.input) : ours.input
  return { ...opinion, rewrite: { mode: rewrite.mode, value } }
}

/** What a hook answered about each of several views, as one opinion about the event. */
export function rejoined(dialect: Dialect, event: Event, opinions: readonly Opinion[]): Opinion['rewrite'] {
  if (!opinions.some((each) => each.rewrite)) return undefined
  const { rewrites, subject } = eventRow(event.name)
  const last = opinions.findLast((each) => each.rewrite)!.rewrite
  if (rewrites === undefined || rewrites !== subject.args) return last
  const list = listTakenApart(dialect.tools!, event.payload[subject.tool ?? ''] as string)
  const input = event.payload[rewrites]
  if (list === undefined || !isRecord(input)) return last
  const items = input[list] as readonly unknown[]
  const now = opinions.map(({ rewrite }, at) => {
    const part = { ...input, [list]: [items[at]] }
    return rewrite ? (applyRewrite(part, rewrite) as Record<string, unknown>) : part
  })
  return { mode: 'replace', value: { ...Object.assign({}, ...now), [list]: now.flatMap((part) => part[list]) } }
}

function translatable(
  { tools: section }: Dialect,
  { name, payload }: Event,
): ({ section: ToolSection } & ToolCall) | undefined {
  const { subject } = eventRow(name)
  if (section === undefined || section.own || subject.tool === undefined) return undefined
  const tool = payload[subject.tool]
  const input = payload[subject.args ?? '']
  return typeof tool === 'string' && isRecord(input) ? { section, tool, input } : undefined
}

function withCall(event: Event, { tool, input }: ToolCall, result: unknown): Event {
  const { subject, result: field } = eventRow(event.name)
  const changed = {
    [subject.tool!]: tool,
    ...(subject.args !== undefined && { [subject.args]: input }),
    ...(field !== undefined && result !== undefined && { [field]: result }),
  }
  return { ...event, payload: Object.freeze({ ...event.payload, ...changed }) }
}

/** No hook has rewritten what the host's call became. */
function isUntouched({ name, payload, original }: Event): boolean {
  const { subject, result } = eventRow(name)
  return (
    sameJson(payload[subject.args ?? ''], original!.ours.input) &&
    (result === undefined || sameJson(payload[result], original!.ours.result))
  )
}

const asRaised = (event: Event): Event =>
  withCall(
    event,
    { tool: event.original!.tool, input: event.original!.input as ToolCall['input'] },
    event.original!.result,
  )

/** The keys that another value has differently. */
function changes(before: unknown, after: ToolCall['input']): ToolCall['input'] {
  if (!isRecord(before)) return after
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => !Object.hasOwn(before, key) || !sameJson(before[key], value)),
  )
}
