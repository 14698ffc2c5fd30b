import type { EventName, Facet } from '../../core/index.ts'
import { nameTable } from '../common/config.ts'

/** What exit code 2 and `decision: "block"` amount to: a refusal, text for the model, text for the user, or nothing. */
export type Block = 'deny' | 'context' | 'message' | 'nothing'

/** How a reply writes a decision for Claude Code. */
export type DecisionFormat = 'permission' | 'behavior' | 'block' | 'exit' | 'stop' | 'nothing'

/** What Claude Code documents of one event. */
export interface Row {
  name: string
  /** Its own payload fields in order, each `theirs` or `theirs=ours`; those with `!` are always there. */
  fields: readonly Field[]
  /** What a `matcher` looks at: a facet of ours, or a field of the payload that has none. */
  matches?: Facet | { field: string }
  exit2: Block
  block: Block
  decisionFormat: DecisionFormat
  /** Plain text on stdout is context. */
  plain: boolean
  /** `additionalContext` is read. */
  context: boolean
  rewrite?: 'updatedInput' | 'updatedToolOutput'
  /** Any exit code but 0 is a refusal. */
  anyExit?: true
  /** `additionalContext` "also continues": the agent gets it, and goes on. */
  contextContinues?: true
  /** Payload fields whose values follow from the event itself. */
  implies?: Readonly<Record<string, unknown>>
}

export interface Field {
  theirs: string
  ours: string
  always: boolean
}

function row(name: string, fields: string, more: Partial<Row> = {}): Row {
  const defaults = {
    exit2: 'nothing',
    block: 'nothing',
    decisionFormat: 'nothing',
    plain: false,
    context: false,
  } as const
  return { name, fields: fields.split(' ').filter(Boolean).map(readField), ...defaults, ...more }
}

function readField(text: string): Field {
  const [theirs = '', ours = theirs] = text.replace('!', '').split('=')
  return { theirs, ours, always: text.includes('!') }
}

const tool = 'tool_name! tool_input!'
const denies = { exit2: 'deny', block: 'deny' } as const
const addsContext = { exit2: 'context', block: 'context', context: true } as const

export const rows: Partial<Record<EventName, Row>> = {
  session_start: row('SessionStart', 'source! model session_title', {
    matches: 'source',
    exit2: 'message',
    plain: true,
    context: true,
  }),
  session_end: row('SessionEnd', 'reason!', { matches: 'source', exit2: 'message' }),
  run_error: row('StopFailure', 'error! error_details last_assistant_message', { matches: { field: 'error' } }),
  user_prompt_submit: row('UserPromptSubmit', 'prompt! source session_title', {
    ...denies,
    decisionFormat: 'block',
    plain: true,
    context: true,
  }),
  model_fallback: row(
    'PreModelSwitch',
    'from_model=primary to_model=fallback requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing',
  ),
  pre_tool_use: row('PreToolUse', `${tool} tool_use_id! mcp_server`, {
    matches: 'tool',
    ...denies,
    decisionFormat: 'permission',
    context: true,
    rewrite: 'updatedInput',
  }),
  permission_request: row('PermissionRequest', `${tool} permission_suggestions mcp_server`, {
    matches: 'tool',
    decisionFormat: 'behavior',
    rewrite: 'updatedInput',
  }),
  on_tool_approval_decision: row('PermissionDenied', `${tool} tool_use_id! reason`, {
    matches: 'tool',
    implies: { approval_decision: 'deny' },
  }),
  post_tool_use: row('PostToolUse', `${tool} tool_response tool_use_id! duration_ms`, {
    matches: 'tool',
    ...addsContext,
    decisionFormat: 'stop',
    rewrite: 'updatedToolOutput',
  }),
  post_tool_use_failure: row('PostToolUseFailure', `${tool} tool_use_id! error! is_interrupt duration_ms`, {
    matches: 'tool',
    ...addsContext,
  }),
  notification: row('Notification', 'message=notification_message! title notification_type', {
    matches: { field: 'notification_type' },
    context: true,
  }),
  stop: row('Stop', 'stop_hook_active! last_assistant_message=response background_tasks session_crons', {
    ...denies,
    decisionFormat: 'block',
    context: true,
    contextContinues: true,
  }),
  on_completion_claim: row(
    'TaskCompleted',
    'task_id task_subject=goal! task_description=summary teammate_name team_name',
    { ...denies, decisionFormat: 'exit' },
  ),
  subagent_start: row('SubagentStart', '', { matches: 'agent', context: true }),
  subagent_stop: row(
    'SubagentStop',
    'agent_transcript_path stop_hook_active! last_assistant_message=response background_tasks session_crons',
    { matches: 'agent', ...denies, decisionFormat: 'block', context: true },
  ),
  pre_compact: row('PreCompact', 'trigger=source! custom_instructions!', {
    matches: 'source',
    ...denies,
    decisionFormat: 'block',
    plain: true,
  }),
  after_compaction: row('PostCompact', 'trigger=compaction_reason! compact_summary=summary!', { matches: 'source' }),
  worktree_create: row('WorktreeCreate', 'name=worktree_branch!', {
    exit2: 'deny',
    anyExit: true,
    decisionFormat: 'exit',
  }),
}

/** For an event that Claude Code does not have. */
const observer: Row = row('', '')
export const { rowOf, theirNames, theirName, findTheirs } = nameTable(rows, observer, ({ name }) => name)

/** Events that Claude Code raises and that have no counterpart here. */
export const withoutCounterpart = [
  'PostToolBatch',
  'UserPromptExpansion',
  'PostModelSwitch',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const

/** Theirs → ours, for values of payload fields and of matchers; what is not listed is the same. */
const valueNames: Partial<Record<EventName, Record<string, readonly string[]>>> = {
  pre_compact: { auto: ['auto', 'overflow', 'tool_overflow'] },
  after_compaction: { auto: ['threshold', 'overflow', 'tool_overflow'] },
}

/** Every value of ours that is called so there. */
export const ourValues = (event: EventName, theirs: string): readonly string[] =>
  valueNames[event]?.[theirs] ?? [theirs]

export function theirValue(event: EventName, ours: unknown): unknown {
  const found = Object.entries(valueNames[event] ?? {}).find(([, names]) => names.includes(ours as string))
  return found ? found[0] : ours
}
