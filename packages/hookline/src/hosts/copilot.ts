import { anyResult, type EventName, editCodec, isRecord, textUnder } from '../core/index.ts'
import { isClosed } from './entry.ts'
import { hostWaits, lineOf } from './groups.ts'
import { type Answer, defineHost } from './host.ts'
import { readObject, renamed } from './payload.ts'

const shell = { names: ['bash', 'Bash'] } as const

const events = {
  session_start: 'sessionStart',
  session_end: 'sessionEnd',
  user_prompt_submit: 'userPromptSubmitted',
  pre_tool_use: 'preToolUse',
  permission_request: 'permissionRequest',
  post_tool_use: 'postToolUse',
  post_tool_use_failure: 'postToolUseFailure',
  stop: 'agentStop',
  subagent_start: 'subagentStart',
  subagent_stop: 'subagentStop',
  pre_compact: 'preCompact',
  notification: 'notification',
} as const

/** Its names in camelCase, and ours. With events in PascalCase most have our spelling already. */
const fields = {
  sessionId: 'session_id',
  transcriptPath: 'transcript_path',
  toolName: 'tool_name',
  toolArgs: 'tool_input',
  toolInput: 'tool_input',
  toolResult: 'tool_response',
  tool_result: 'tool_response',
  agentId: 'agent_id',
  agentType: 'agent_type',
  stopReason: 'reason',
  stop_reason: 'reason',
  response: 'last_assistant_message',
} as const

/** With events in PascalCase its tools have Claude Code's names, and still their own keys. */
export const copilot = defineHost({
  name: 'copilot',
  called: 'Copilot CLI',
  about: 'GitHub Copilot CLI 1.0.',
  events,
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      powershell: { names: ['powershell', 'PowerShell'] },
      read_file: { names: ['view', 'Read'] },
      write_file: { names: ['create', 'Write'], args: { content: 'file_text' } },
      edit_file: {
        names: ['edit', 'Edit', 'str_replace'],
        codec: editCodec({ one: 'edit' }, { path: 'path', old: 'old_str', new: 'new_str' }),
      },
      search_files_content: { names: ['grep', 'rg', 'Grep'], args: { query: 'pattern' } },
      search_files: { names: ['glob', 'Glob'] },
      transfer_task: { names: ['task', 'Task'], args: { agent: 'agent_type', task: 'prompt' } },
    },
    result: anyResult(
      textUnder('textResultForLlm', { resultType: 'success' }),
      textUnder('text_result_for_llm', { result_type: 'success' }),
    ),
    mcp: { names: ['mcp__{server}__{tool}'], matches: ['{server}-{tool}'] },
  },
  rewrites: { input: 'taken', result: 'taken', message: 'as-context' },
  // Seen in its terminal, also with `--allow-all-tools`. Without one (`-p`) it refuses what a hook asks about.
  takes: { ask: { since: '1.0.102' }, allow: true, halt: false },
  version: ({ COPILOT_CLI_BINARY_VERSION: version }) => version,
  can: {
    approves: true,
    context: ['session_start', 'user_prompt_submit', 'pre_tool_use', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    timeout: { unit: 's', default: 30 },
  },
  around: [
    {
      around: "It reads the project's `.claude/settings.json` too, in a trusted folder.",
      so: 'What stands there leaves the call to the entry of its own, where that is installed: hooks run once.',
    },
  ],
  /** Its payloads carry the arguments as text in some versions. */
  reads(payload) {
    const read = renamed(payload, fields)
    const { tool_input: input, hook_event_name: pascal } = read
    const parsed = typeof input === 'string' ? readObject(input) : undefined
    return { ...read, ...(parsed && { tool_input: parsed }), ...(pascal !== undefined && { [inPascalCase]: true }) }
  },
  writes(answer: Answer) {
    const { event, deny, halt, context, rewrite, payload } = answer
    const more = context ? { additionalContext: context } : {}
    if (event === 'pre_tool_use')
      return before(answer, more, (payload as Record<string, unknown>)[inPascalCase] === true)
    if (event === 'permission_request') {
      if (deny) return { behavior: 'deny', message: deny }
      return answer.allow === undefined ? {} : { behavior: 'allow' }
    }
    const refusal = deny ?? halt
    return {
      ...(refusal && blocks.has(event) && { decision: 'block', reason: refusal }),
      ...(rewrite && event === 'post_tool_use' && !refusal && { modifiedResult: camelResult(rewrite.value) }),
      ...more,
    }
  },
  setup: {
    programs: ['copilot'],
    home: ({ home }) => `${home}/.copilot`,
    canary: (command, project) => ({ sessionId: 'canary', cwd: project, toolName: 'bash', toolArgs: { command } }),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      if (scope === 'managed') return undefined
      const directory = scope === 'user' ? `${home}/.copilot/hooks` : `${project}/.github/hooks`
      const hooks = (Object.entries(events) as [EventName, string][]).map(([event, theirs]) => [
        theirs,
        [{ type: 'command', bash: lineOf({ name: 'copilot' }, ours, event), timeoutSec: hostWaits }],
      ])
      const content = `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) }, null, 2)}\n`
      return [{ kind: 'own', path: `${directory}/hookline.json`, content }]
    },
    skips: { project: 'Copilot CLI runs hooks of a project in a folder that it trusts: `copilot --trust-folder`.' },
  },
})

/** Kept in the payload, since replies before a tool have another form then. */
const inPascalCase = 'copilot_pascal_case'

const blocks = new Set<EventName>([
  ...(Object.keys(events) as EventName[]).filter((event) => isClosed(event)),
  ...(['post_tool_use', 'stop', 'subagent_stop'] as const),
])

function before(
  { theirs: _, deny, ask, allow, rewrite }: Answer,
  more: object,
  isPascal: boolean,
): Record<string, unknown> {
  const decision = deny ? 'deny' : ask ? 'ask' : allow !== undefined ? 'allow' : undefined
  const reason = deny ?? ask ?? allow
  const said = {
    ...(decision && { permissionDecision: decision }),
    ...(decision && reason && { permissionDecisionReason: reason }),
    ...(rewrite && { [isPascal ? 'updatedInput' : 'modifiedArgs']: rewrite.value }),
    ...more,
  }
  if (!isPascal || Object.keys(said).length === 0) return said
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...said } }
}

/** New results are read in camelCase, whatever the case of the event. */
function camelResult(value: unknown): unknown {
  if (!isRecord(value)) return { resultType: 'success', textResultForLlm: String(value) }
  const { result_type, text_result_for_llm, ...rest } = value
  return {
    ...rest,
    ...(result_type !== undefined && { resultType: result_type }),
    ...(text_result_for_llm !== undefined && { textResultForLlm: text_result_for_llm }),
  }
}
