import {
  type Decision,
  type EventName,
  type Failure,
  type Halt,
  type HostInfo,
  isRecord,
  isSilent,
  type Opinion,
  type Outcome,
  outcomeOf,
  type Report,
  type Rewrite,
  type SkipReason,
  type Verdict,
} from '../core/index.ts'

/** What became of one hook, as the journal keeps it. Names are those of payloads: the journal is read by other programs. */
export interface HookEntry {
  id: string
  stage: number
  asked: boolean
  skipped?: SkipReason
  outcome?: Outcome
  /** Its whole answer, so that a replay can use it without running the hook. */
  opinion?: Opinion
  failure?: Pick<Failure, 'kind' | 'detail'>
  duration_ms?: number
  /** How often it ran, when more than once. */
  times?: number
  /** Which rules matched, those that decided first, where the hook is made of rules. */
  rules?: readonly string[]
  exit?: number
  bytes?: { stdin: number; stdout: number; stderr: number }
  shadow?: true
  background?: true
  /** The run trusted all hooks (`--trust all`): nothing checked whether this one is approved. */
  unchecked?: true
  /** Tells one definition of a hook from another of the same name. */
  definition?: string
}

/** One dispatch, before the journal has given it a place. */
export interface EntryInput {
  time: string
  event: EventName
  dispatch: string
  /** Which reading of the config files the hooks came from. */
  generation: number
  /** Raised by `doctor`, `test` or `explain`, not by life. */
  synthetic: boolean
  session_id?: string
  turn_id?: string
  agent_name?: string
  tool_name?: string
  tool_use_id?: string
  /** The tool call that it belongs to: the same in all its events. */
  call_id?: string
  /** The agent that raised it. */
  host?: HostInfo
  /** The root of the project in which the agent worked. */
  project?: string
  outcome: Outcome
  /** Which rules matched, by their ids, those that decided first; of hooks in shadow mode they are with the hook. */
  rules?: readonly string[]
  /** What the call would do, in words. */
  actions?: readonly string[]
  /** A hook ran again, because others rewrote what it had judged. */
  rerun?: true
  decision?: Decision
  halt?: Halt
  rewrite?: Rewrite
  metadata?: Record<string, string>
  /** How many pieces of context and messages; their text is with the hook that gave it. */
  context?: number
  messages?: number
  duration_ms?: number
  hooks: HookEntry[]
  notes: { code: string; hook?: string }[]
  /** What was raised, before any rewrite, so that it can be raised again. */
  payload?: unknown
}

export interface Entry extends EntryInput {
  /** Its place in the journal. Absent when it could not be written and only subscribers saw it. */
  seq?: number
  /** How many entries before this one could not be written. */
  lost?: number
}

/** What a verdict does not know of its own dispatch. */
export interface EntryExtra {
  time: string
  dispatch: string
  generation: number
  synthetic: boolean
  durationMs?: number | undefined
  /** Distinguishes the definition of this hook from another of the same name. */
  definitionOf?(hook: string): string | undefined
  host?: HostInfo | undefined
  project?: string | undefined
  /** The payload as it was raised; absent: as it was after all rewrites. */
  payload?: unknown
}

export function entryOf(verdict: Verdict, extra: EntryExtra): EntryInput {
  return compact<EntryInput>({
    time: extra.time,
    event: verdict.event,
    dispatch: extra.dispatch,
    generation: extra.generation,
    synthetic: extra.synthetic,
    session_id: text(verdict.payload['session_id']),
    turn_id: text(verdict.payload['turn_id']),
    agent_name: text(verdict.payload['agent_name']),
    tool_name: text(verdict.payload['tool_name']),
    tool_use_id: text(verdict.payload['tool_use_id']),
    call_id: text(verdict.payload['tool_use_id']),
    host: extra.host,
    project: extra.project,
    outcome: outcomeOf(verdict),
    rules: all(verdict.reports.filter(({ shadow }) => !shadow).map(({ rules }) => rules)),
    actions: all(verdict.reports.map(({ actions }) => actions))?.slice(0, mostActions),
    rerun: verdict.reports.some(({ times = 1 }) => times > 1) || undefined,
    decision: verdict.decision,
    halt: verdict.halt,
    rewrite: verdict.rewrite,
    metadata: verdict.metadata,
    context: verdict.context?.length,
    messages: verdict.message?.length,
    duration_ms: milliseconds(extra.durationMs),
    hooks: verdict.reports.filter(isRecorded).map((report) => hookEntry(report, extra.definitionOf?.(report.hook))),
    notes: verdict.notes.map(({ code, hook }) => compact<EntryInput['notes'][number]>({ code, hook })),
    payload: extra.payload ?? verdict.payload,
  })
}

/** A command line can be as long as it likes; the payload has it whole. */
const mostActions = 50

/** What is in any of the lists, once; nothing when that is nothing. */
function all(lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  if (!lists.some((list) => list?.length)) return undefined
  return [...new Set(lists.flatMap((list) => list ?? []))]
}

/** Whether anything happened: a hook ran, something was decided or noted, or a person answered. */
export function isEventful(entry: EntryInput): boolean {
  return (
    entry.outcome !== 'no-opinion' ||
    entry.notes.length > 0 ||
    entry.hooks.some((hook) => hook.asked) ||
    isAnsweredByPerson(entry.payload)
  )
}

/** docker-agent's words for who decided about a call begin so where a person did; ours, where one should have. */
export const isAnsweredByPerson = (payload: unknown): boolean =>
  isRecord(payload) && /^(?:user|question)_/.test(String(payload['approval_source'] ?? ''))

/** That a hook does not match this event follows from the config; an entry records what happened. */
function isRecorded({ skipped }: Report): boolean {
  return skipped?.reason !== 'matcher' && skipped?.reason !== 'disabled'
}

function hookEntry(report: Report, definition: string | undefined): HookEntry {
  const { opinion, failure } = report
  return compact<HookEntry>({
    id: report.hook,
    stage: report.stage,
    asked: report.asked,
    skipped: report.skipped?.reason,
    outcome: report.outcome,
    opinion: opinion && !isSilent(opinion) ? opinion : undefined,
    failure: failure && { kind: failure.kind, detail: failure.detail },
    duration_ms: milliseconds(report.durationMs),
    times: report.times,
    rules: report.rules?.length ? report.rules : undefined,
    exit: report.exit,
    bytes: report.bytes,
    shadow: report.shadow,
    background: report.background,
    unchecked: report.unchecked,
    definition,
  })
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

const milliseconds = (value: number | undefined) => (value === undefined ? undefined : Math.round(value * 1000) / 1000)

/** Leaves out what is undefined, so that an entry compares equal to what is read back. Not by `delete`: that makes slow objects. */
function compact<T>(fields: { [K in keyof T]: T[K] | undefined }): T {
  const kept: Partial<T> = {}
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key] as T[typeof key]
  return kept as T
}
