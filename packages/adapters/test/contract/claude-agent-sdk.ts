import { type ClaudeOptions, type HookOutput, hookline } from '../../claude-agent-sdk/src/index.ts'
import { type Driver, quiet, type Result, type Scenario } from './driver.ts'

/** Claude Code itself has the loop: here a stand-in of its protocol calls the hooks as the program does. */
export const claudeAgentSdk: Driver = {
  name: 'Claude Agent SDK',
  cannot: {
    'the answer is streamed, with a secret in it':
      'Answers pass no hook: a note when it is opened. Redact what you show with `redactText` of `hookline/guards`.',
    'a secret is in the prompt':
      'The SDK cannot send a prompt changed: it is refused, with the text to send instead, and a note says so.',
    'the run is cancelled while a tool runs': 'The program ends its tools by itself, and raises nothing then.',
    'the approval comes in another process': 'The program waits for `canUseTool`: answer there, as late as you like.',
  },
  run,
}

async function run({ hooks, prompt, turns, tools, ask, shadow = false, subagent }: Scenario): Promise<Result> {
  const guarded = hookline(hooks, {
    ...{ shadow, onNote: quiet },
    ask: ask === undefined ? 'sdk' : ask === 'nobody' ? 'nobody' : async () => ask === 'yes',
  })
  const { hooks: matchers } = guarded.options({ model: 'scripted' })
  const agent = subagent === undefined ? {} : { agent_id: 'a1', agent_type: subagent }
  const common = { session_id: 's1', cwd: process.cwd(), permission_mode: 'default', transcript_path: '', ...agent }
  const seen: string[] = []
  const transcript: unknown[] = [prompt]
  const raise = async (event: string, about: Record<string, unknown>, id?: string) =>
    (await callbacksOf(matchers, event)[0]?.({ hook_event_name: event, ...common, ...about }, id, {
      signal: new AbortController().signal,
    })) ?? {}

  const submitted = await raise('UserPromptSubmit', { prompt })
  if (submitted.decision === 'block') return { text: submitted.reason ?? '', streamed: '', seen }
  for (const turn of turns) {
    seen.push(JSON.stringify(transcript))
    if ('say' in turn) return { text: turn.say, streamed: '', seen }
    const results = await Promise.all(
      turn.calls.map((call, at) => callTool(call.tool, call.input, `call-${seen.length}-${at}`)),
    )
    transcript.push(...results.flatMap(({ texts }) => texts))
    const stopped = results.find(({ stop }) => stop !== undefined)
    if (stopped?.stop !== undefined) return { text: stopped.stop, streamed: '', seen }
  }
  return { text: '', streamed: '', seen }

  async function callTool(tool_name: string, given: Record<string, unknown>, id: string): Promise<Called> {
    const pre = await raise('PreToolUse', { tool_name, tool_input: given, tool_use_id: id }, id)
    if (pre.continue === false) return { texts: [], stop: pre.stopReason ?? '' }
    const { permissionDecision, permissionDecisionReason, updatedInput = given } = pre.hookSpecificOutput ?? {}
    if (permissionDecision === 'deny' || permissionDecision === 'ask')
      return { texts: [`Denied: ${permissionDecisionReason}`, contextOf(pre)] }
    const tool_response = await tools[tool_name]?.(updatedInput, undefined)
    const post = await raise('PostToolUse', { tool_name, tool_input: updatedInput, tool_response, tool_use_id: id }, id)
    return { texts: [post.hookSpecificOutput?.updatedToolOutput ?? tool_response, contextOf(pre), contextOf(post)] }
  }
}

interface Called {
  texts: unknown[]
  stop?: string
}

const contextOf = ({ hookSpecificOutput: specific }: HookOutput): string => specific?.additionalContext ?? ''

function callbacksOf(matchers: Required<ClaudeOptions>['hooks'], event: string) {
  return (matchers[event] ?? []).flatMap(({ hooks, onFailure }) => {
    if (onFailure !== 'block') throw new Error(`A failure of the hooks of ${event} would go on.`)
    return hooks
  })
}
