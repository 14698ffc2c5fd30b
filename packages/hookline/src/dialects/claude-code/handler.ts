import type { EventName, FailurePolicy, Hook, Note, Source } from '../../core/index.ts'
import { didYouMean, eventRow, isRecord, note } from '../../core/index.ts'
import { longestSeconds, type Path, shapeNote } from '../common/config.ts'
import { strayKeys } from './keys.ts'
import { rowOf, theirName } from './names.ts'
import { type Remarks, readRun } from './run.ts'

/** One handler, understood: everything of it but its event and matcher. */
export interface DecodedHandler {
  hook?: Pick<Hook, 'run'> & Partial<Hook>
  problems: Note[]
  notes: Note[]
}

const common = ['type', 'if', 'timeout', 'statusMessage', 'once']

/** Each type of handler: its own keys, and what it may take in seconds. */
const types: Record<string, { keys: readonly string[]; seconds: number }> = {
  command: { keys: ['command', 'args', 'shell', 'async', 'asyncRewake', 'onFailure'], seconds: 600 },
  http: { keys: ['url', 'headers', 'allowedEnvVars', 'onFailure'], seconds: 600 },
  prompt: { keys: ['prompt', 'model', 'continueOnBlock'], seconds: 30 },
  agent: { keys: ['prompt', 'model', 'onFailure'], seconds: 60 },
  mcp_tool: { keys: ['server', 'tool', 'input'], seconds: 600 },
}

export const handlerKeys: readonly string[] = [...common, ...Object.values(types).flatMap(({ keys }) => keys)]

/** Nobody waits for its answer, so it guards nothing. */
export const isAsync = (handler: Record<string, unknown>): boolean =>
  handler['async'] === true || handler['asyncRewake'] === true

/** Events whose hooks get less time than the type of handler allows. */
const eventSeconds: Partial<Record<EventName, number>> = { user_prompt_submit: 30, session_end: 1.5 }

export function decodeHandler(entry: unknown, event: EventName, at: Path, source: Source): DecodedHandler {
  const problems: Note[] = []
  const notes: Note[] = []
  const wrong = (key: string, detail: string, fix: string) =>
    problems.push(shapeNote(source, [...at, key], detail, fix))
  const remark = (key: string, detail: string, fix: string) => notes.push(shapeNote(source, [...at, key], detail, fix))
  const lost = (key: string, what: string, fix: string) =>
    notes.push(note('translation-lost', { what, dialect: 'Hookline', fix }, { where: source.locate([...at, key]) }))
  const unsupported = (type: string, detail: string, fix: string) => {
    const guards = eventRow(event).failure === 'closed'
    const found = note('handler-unsupported', { type, detail, fix }, { where: source.locate([...at, 'type']) })
    ;(guards ? problems : notes).push(found)
  }
  const remarks: Remarks = { event, layer: source.layer, wrong, remark, lost, unsupported }
  const hook = isRecord(entry) ? read(entry) : undefined
  if (!isRecord(entry)) problems.push(shapeNote(source, at, 'must be an object with a `type`', example))
  return { ...(problems.length === 0 && hook ? { hook } : {}), problems, notes }

  function read(handler: Record<string, unknown>): DecodedHandler['hook'] {
    const type = handler['type']
    const known = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined
    if (!known) {
      unknownType(type)
      return undefined
    }
    notes.push(...strayKeys(handler, [...common, ...known.keys], [...handlerKeys, 'matcher'], at, source))
    const timeoutMs = readTimeout(handler['timeout'], type as string)
    const run = readRun[type as string]!(handler, remarks)
    if (!run) return undefined
    if (handler['once'] === true) remark('once', 'counts in skills only', 'Remove it.')
    const background = isAsync(handler)
    if (handler['asyncRewake'] === true)
      lost('asyncRewake', 'Waking the model when it ends with exit code 2', 'Use a hook that is waited for.')
    return {
      run,
      timeoutMs,
      onFailure: type === 'agent' ? agentPolicy() : readPolicy(handler['onFailure'], background),
      ...(background && { background }),
    }
  }

  function unknownType(type: unknown): void {
    if (typeof type !== 'string') wrong('type', 'is missing', example)
    else {
      const known = Object.keys(types)
      const details = { type, hint: didYouMean(type, known), known: known.join(', ') }
      problems.push(note('unknown-executor', details, { where: source.locate([...at, 'type']) }))
    }
  }

  function readTimeout(value: unknown, type: string): number {
    const usual = Math.min(types[type]!.seconds, eventSeconds[event] ?? Number.POSITIVE_INFINITY) * 1_000
    if (value === undefined || value === null) return usual
    if (typeof value === 'number' && value > 0 && value <= longestSeconds) return Math.max(1, Math.round(value * 1_000))
    wrong('timeout', 'must be a number of seconds', 'Write `"timeout": 30`.')
    return usual
  }

  /** It cannot judge here as it would there, so where it guards it must not fail open. */
  function agentPolicy(): FailurePolicy {
    return eventRow(event).failure === 'closed' ? 'closed' : 'open'
  }

  /** `block` counts as exit 2. "Ignored for async hooks and on Stop, SubagentStop, TaskCompleted". */
  function readPolicy(value: unknown, background: boolean): FailurePolicy {
    if (value === undefined || value === null || value === 'continue') return 'open'
    if (value !== 'block') wrong('onFailure', 'must be `continue` or `block`', 'Write `"onFailure": "block"`.')
    else if (background) remark('onFailure', 'means nothing on a hook nobody waits for', 'Remove `async`.')
    else if (rowOf(event).exit2 === 'deny' && !eventRow(event).redo) return 'closed'
    else remark('onFailure', `means nothing on ${theirName(event)}`, 'Remove it.')
    return 'open'
  }
}

const example = 'Write `{"type": "command", "command": "…"}`.'
