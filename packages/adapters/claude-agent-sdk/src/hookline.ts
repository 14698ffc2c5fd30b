import {
  type AdapterHooks,
  type AdapterOptions,
  adapterNotes,
  type EventName,
  isRecord,
  type Note,
  note,
  type Verdict,
  watched,
} from 'hookline/adapter'
import type { CanUseTool, ClaudeOptions, HookCallback, HookOutput } from './sdk.ts'

/** Without sessions of its own: the SDK names them. */
export interface HooklineOptions extends AdapterOptions<Record<string, unknown>> {
  /** How long the SDK waits for our hooks, in seconds; each hook has its own time-out below that. Default 600. */
  timeout?: number
}

/** Hooks that know the words of Claude Code. */
export interface ClaudeHooks extends AdapterHooks {
  raiseAs(
    dialect: string,
    payload: Record<string, unknown>,
    options?: { signal?: AbortSignal; shadow?: boolean; audience?: 'nobody'; host?: { name: string } },
  ): Promise<Verdict>
  replyAs(dialect: string, verdict: Verdict): Promise<{ stdout: string; stderr: string; exit: number }>
}

export interface Guarded {
  /** The options of a query, with every hook event and the permission prompt guarded. */
  options<O extends object>(options?: O): O & Required<Pick<ClaudeOptions, 'hooks'>>
  /** What this SDK cannot carry. */
  readonly notes: readonly Note[]
}

const adapter = '@hookline/claude-agent-sdk'

/** Its events that have one of ours. */
const events: Readonly<Partial<Record<EventName, string>>> = {
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  user_prompt_submit: 'UserPromptSubmit',
  pre_tool_use: 'PreToolUse',
  permission_request: 'PermissionRequest',
  post_tool_use: 'PostToolUse',
  post_tool_use_failure: 'PostToolUseFailure',
  stop: 'Stop',
  subagent_start: 'SubagentStart',
  subagent_stop: 'SubagentStop',
  pre_compact: 'PreCompact',
  notification: 'Notification',
}

/** Those, and the ones that we raise within them. */
const raised: ReadonlySet<EventName> = new Set([
  ...(Object.keys(events) as EventName[]),
  ...(['tool_guard', 'tool_response_transform'] as const),
])

/**
 * One callback per event, so that the rewrites of our hooks are folded by us: of several callbacks the SDK takes the last.
 * `onFailure: 'block'` is set: without it, the SDK goes on when a callback fails.
 */
export function hookline(hooks: ClaudeHooks, options: HooklineOptions = {}): Guarded {
  const notes = [...adapterNotes(adapter, hooks.hooks, raised), ...limitsFor(hooks)]
  const warn = (each: Note) => console.warn(`hookline: ${each.message} ${each.remedy}`)
  for (const each of notes) (options.onNote ?? warn)(each)
  const { ask = 'sdk', shadow = false, timeout = 600 } = options

  const callback: HookCallback = async (input, toolUseId, { signal }) => {
    const about = typeof options.about === 'function' ? options.about(input) : (options.about ?? {})
    const { session, ...fields } = about
    const payload = {
      ...fields,
      ...input,
      ...(session !== undefined && { session_id: session }),
      ...(toolUseId !== undefined && { tool_use_id: toolUseId }),
    }
    const verdict = await hooks.raiseAs('claude', payload, {
      ...{ signal, shadow, host: { name: 'claude-agent-sdk' } },
      ...(ask === 'nobody' && { audience: 'nobody' as const }),
    })
    watched(options, verdict)
    return asked(outputOf(await hooks.replyAs('claude', verdict)), payload, signal)
  }

  /** What a hook asks about, when it is not the SDK that asks the person. */
  async function asked(output: HookOutput, payload: Record<string, unknown>, signal: AbortSignal): Promise<HookOutput> {
    const specific = isRecord(output.hookSpecificOutput) ? output.hookSpecificOutput : {}
    if (specific['permissionDecision'] !== 'ask' || ask === 'sdk') return output
    const reason = String(specific['permissionDecisionReason'] ?? '')
    const input = (specific['updatedInput'] ?? payload['tool_input']) as object
    const question = {
      ...{ tool_name: String(payload['tool_name']), tool_use_id: String(payload['tool_use_id']), input, reason },
      ...{ metadata: {}, onlyPerson: true },
    }
    const given = ask === 'nobody' ? undefined : await ask(question, signal)
    const answer = typeof given === 'object' ? given : { approved: given === true, reason: undefined }
    const refusal =
      given === undefined ? `${reason} Nobody is there to be asked.` : `The user said no. ${answer.reason ?? reason}`
    const decided = answer.approved
      ? { permissionDecision: 'allow', permissionDecisionReason: reason }
      : { permissionDecision: 'deny', permissionDecisionReason: refusal }
    return { ...output, hookSpecificOutput: { ...specific, ...decided } }
  }

  return {
    notes,
    options(given) {
      const { hooks: theirs = {}, canUseTool } = (given ?? {}) as ClaudeOptions
      const ours = Object.values(events).map((event) => [
        event,
        [...(theirs[event as string] ?? []), { hooks: [callback], timeout, onFailure: 'block' as const }],
      ])
      return {
        ...(given as object),
        hooks: { ...theirs, ...Object.fromEntries(ours) },
        ...(canUseTool ? { canUseTool } : typeof ask === 'function' ? { canUseTool: prompting(ask) } : {}),
      } as never
    },
  }
}

/** What the SDK itself asks about goes to the same person. */
const prompting =
  (ask: Exclude<HooklineOptions['ask'], string | undefined>): CanUseTool =>
  async (tool_name, input, { signal, toolUseID: tool_use_id }) => {
    const question = { tool_name, tool_use_id, input, reason: 'Claude asks first.', metadata: {}, onlyPerson: false }
    const given = await ask(question, signal)
    const answer = typeof given === 'object' ? given : { approved: given, reason: undefined }
    if (answer.approved) return { behavior: 'allow', updatedInput: input }
    return { behavior: 'deny', message: answer.reason ?? 'The user said no.' }
  }

/** A reply as a program would print it, as a callback returns it. */
function outputOf({ stdout, stderr, exit }: { stdout: string; stderr: string; exit: number }): HookOutput {
  if (exit !== 0) return { decision: 'block', reason: stderr }
  return stdout.trim() === '' ? {} : (JSON.parse(stdout) as HookOutput)
}

const limitsFor = ({ hooks }: AdapterHooks): Note[] =>
  hooks.some(({ event, enabled }) => enabled && event === 'user_prompt_submit')
    ? [
        note('adapter-limit', {
          adapter,
          what: 'a prompt that hooks rewrite is refused, with the text to send instead: the SDK sends it unchanged or not at all',
          fallback: 'Judge prompts before `query`: `hooks.session(id).prompt(text)`.',
        }),
      ]
    : []
