import { count, counts, flag, json, list, oneOf, optional, type PayloadOf, record, text, texts } from './field.ts'

/**
 * Every field that a payload may carry, defined once. The descriptions name what the same thing is called elsewhere, for the
 * dialects that translate it.
 */

/** Carried by every event; the host fills in what it knows. */
export const common = {
  session_id: optional(text('The current session.')),
  cwd: optional(text('The working directory of the host.')),
  project_dir: optional(text('The root of the project; `CRUSH_PROJECT_DIR` in Crush.')),
  agent_name: optional(text('The agent that is active; in a multi-agent run, the sub-agent.')),
  agent_id: optional(text('The id of the agent, where the host has ids.')),
  sub_agent: optional(flag('True when the event comes from a sub-agent, not from the top-level agent.')),
  turn_id: optional(text('The turn in flight.')),
  principal: optional(text('Who the agent works for: a user, a service; whatever the program calls them.')),
  tenant: optional(text('Whose data it works on, where one program serves several customers.')),
  org_id: optional(text('The organisation, where the host has them.')),
  ts: optional(text('When it happened, RFC 3339.')),
  permission_mode: optional(text('The permission mode of the host, such as `default` or `yolo`.')),
  transcript_path: optional(text('Where the host keeps the transcript of the session.')),
  rerun: optional(
    flag(
      'Set by Hookline: true when the hook runs again for one event, because other hooks rewrote what it had judged.',
    ),
  ),
}

/** The same as a type, without fields that hosts add. */
export type CommonFields = { [K in Exclude<keyof typeof common, 'rerun'>]?: PayloadOf<typeof common>[K] }

export const toolCall = {
  tool_name: text('The tool being called.'),
  tool_use_id: optional(text('The id of this call; `tool_call_id` in Everruns.')),
  tool_input: record('The arguments of the call; `arguments` in Everruns.'),
  tool_category: optional(text('The toolset the tool belongs to, such as `filesystem`, `shell` or `mcp`.')),
}

/** Known before the hooks run, so that a hook which only wants undecided calls can be skipped. */
export const permissionRule = {
  permission_rule: optional(
    oneOf(['allow', 'ask', 'deny'], 'What the permission rules say of this call; absent when no rule decides.'),
  ),
  permission_inferred: optional(
    flag('True when nobody wrote such a rule, and the host only reads the call this way (`cat` only reads).'),
  ),
}

export const field = {
  source: (description: string) => text(description),
  reason: (description: string) => text(description),
  status: text('What the host says of the session, such as `started`.'),
  prompt: text('What the user wrote; `message` in Everruns and Starchild.'),
  channel: text('Where the message came from.'),
  attachments: json('Pictures and files that came with it: `name`, `media_type` and `bytes` of each.'),
  steeringMessages: texts('The drained steering messages, in the order they were sent.'),
  previousMaxIterations: count('The limit that was reached.'),
  newMaxIterations: count('The limit after the user approved going on.'),
  result: text('What the run produced; `tool_result` in pydantic-deep.'),
  error: text('What went wrong; `tool_error` in pydantic-deep.'),
  success: flag('Whether the turn ended cleanly.'),
  toolCalls: json('The tool calls of the turn.'),
  iteration: count('Which model call of the run this is, from 1.'),
  modelId: text('The model, as `provider/model`; `model` in Starchild.'),
  system: text('The system prompt.'),
  messages: list('The messages about to be sent to the model.'),
  lastUserMessage: text('The latest message of the user.'),
  response: text('The text of the assistant; `stop_response` in docker-agent.'),
  usage: counts(
    ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cached_write_tokens', 'reasoning_tokens'],
    'Tokens of this model call; absent when the provider reported none.',
  ),
  cost: count('Price of this model call in USD; absent when unpriced, 0 when free.'),
  primary: text('The model that failed.'),
  fallback: text('The model tried next.'),
  toolResponse: json('What the tool returned; `tool_result` in pydantic-deep and Starchild, `result` in Everruns.'),
  toolError: flag('True when the tool failed; the detail is in the response.'),
  approvalDecision: oneOf(['allow', 'deny', 'canceled'], 'How the approval chain ended.'),
  approvalSource: text('Which step decided, such as `yolo`, `pre_tool_use_hook_deny` or `user_approved`.'),
  approvalBy: text('Who answered, where a person did: their name, and the terminal.'),
  approvalReason: text('What they said with it.'),
  approvalMs: count('How long the question waited, in milliseconds.'),
  tokens: record('Tokens of the turn: input, output, cache_read, cache_creation.'),
  turnCost: count('Price of the turn in USD.'),
  toolNames: texts('The tools used in the turn.'),
  stopHookActive: flag('True when the agent is already working because a hook sent it back.'),
  goal: text('The goal that the agent claims to have reached.'),
  summary: text('The summary.'),
  notification: text('The message about to leave.'),
  outboundType: text('What kind of message it is; `type` in Starchild.'),
  parentSessionId: text('The session of the parent agent.'),
  task: text('What the sub-agent was asked to do.'),
  fromAgent: text('The agent that was active.'),
  toAgent: text('The agent that becomes active.'),
  agentSwitchKind: oneOf(
    ['transfer_task', 'transfer_task_return', 'handoff', 'force_handoff'],
    'Why the active agent changed.',
  ),
  agentModels: json('The models of the agent that was active, with their endpoints.'),
  worktreePath: text('The new worktree.'),
  worktreeBranch: text('The branch of the new worktree.'),
  worktreeSourceDir: text('The repository it was branched from.'),
}

/** Carried by the events before and after a compaction. */
export const compaction = {
  input_tokens: optional(count('Input tokens before the compaction.')),
  output_tokens: optional(count('Output tokens before the compaction.')),
  context_limit: optional(count('The context window of the model; 0 when unknown.')),
  compaction_reason: optional(
    oneOf(['threshold', 'overflow', 'manual', 'tool_overflow'], 'Why the transcript is compacted.'),
  ),
  summary: optional(field.summary),
}

/** Carried by the events in which the host reports something. */
/** What is reported goes first: a line of a log shows the first text that there is. */
export const notice = {
  notification_message: optional(text('What the host reports.')),
  notification_level: optional(oneOf(['error', 'warning', 'info'], 'How serious it is.')),
}

type Payload = Readonly<Record<string, unknown>>

/** What a payload says of its call, for shared code: it asks here and names no field. */
export const isOfSubAgent = (payload: Payload): boolean => payload['sub_agent'] === true
export const isOfFailedCall = (payload: Payload): boolean => payload['tool_error'] === true
/** A rule that wants a person to decide has decided nothing. */
export const isRuled = (payload: Payload): boolean =>
  payload['permission_rule'] !== undefined && payload['permission_rule'] !== 'ask' && !isInferred(payload)
/** Allowed only because of how the host reads the call. */
export const isInferred = (payload: Payload): boolean => payload['permission_inferred'] === true
/** The payload for a hook that runs again in one dispatch. */
export const asRerun = <P extends Payload>(payload: P): P => Object.freeze({ ...payload, rerun: true })
/** Only the engine says that a hook runs again; what a host sends under that name is dropped. */
export function asFirstRun<P extends Payload>(payload: P): P {
  if (!('rerun' in payload)) return payload
  const { rerun: _sent, ...rest } = payload
  return rest as P
}
export const sessionOf = (payload: Payload): string => String(payload['session_id'])
