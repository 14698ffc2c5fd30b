import { editCodec, textBlocks } from '../core/index.ts'
import { type Answer, defineHost } from './host.ts'
import { renamed } from './payload.ts'
import { piExtension } from './plugins/pi.ts'
import { type Ground, movedBy } from './setup.ts'

const shell = { names: ['bash'] } as const

const events = {
  session_start: 'session_start',
  session_end: 'session_shutdown',
  user_prompt_submit: 'input',
  pre_tool_use: 'tool_call',
  post_tool_use: 'tool_result',
  stop: 'turn_end',
} as const

const home = (ground: Ground) => movedBy(ground, 'PI_CODING_AGENT_DIR', `${ground.home}/.pi/agent`)

/** Payloads are its events; replies are what its handlers give back, and `input` what our extension writes into the call. */
export const pi = defineHost({
  name: 'pi',
  called: 'pi',
  about: 'pi 0.74.',
  events,
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['read'] },
      write_file: { names: ['write'] },
      edit_file: {
        names: ['edit'],
        codec: editCodec({ one: 'edit' }, { path: 'path', old: 'oldText', new: 'newText' }),
      },
      list_directory: { names: ['ls'] },
      search_files_content: { names: ['grep'], args: { query: 'pattern' } },
      search_files: { names: ['find'] },
    },
    result: textBlocks,
    mcp: { names: ['mcp__{server}__{tool}'], matches: ['{server}_{tool}'] },
  },
  rewrites: { input: 'taken', result: 'taken', message: 'taken' },
  takes: { ask: false, allow: false, halt: false },
  can: {
    approves: false,
    context: ['session_start', 'user_prompt_submit', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'has none',
    failsClosed: 'our extension blocks',
    timeout: undefined,
  },
  around: [
    {
      around: 'An extension that cannot load is skipped, and nothing says so.',
      so: 'Ours leaves a mark when it is loaded; `hookline hosts` shows when.',
    },
  ],
  reads(payload) {
    const { type: _event, ...rest } = payload
    return renamed(rest, {
      sessionId: 'session_id',
      toolName: 'tool_name',
      toolCallId: 'tool_use_id',
      input: 'tool_input',
      content: 'tool_response',
      text: 'prompt',
    })
  },
  writes({ event, deny, halt, context, rewrite, payload }: Answer) {
    const refusal = deny ?? halt
    const { tool_response: shown, prompt } = payload as { tool_response?: unknown; prompt?: unknown }
    const text = (said: string) => ({ type: 'text', text: said })
    if (event === 'pre_tool_use')
      return refusal ? { block: true, reason: refusal } : rewrite ? { input: rewrite.value } : {}
    if (event === 'post_tool_use') {
      if (refusal) return { content: [text(refusal)], isError: true }
      const content = rewrite ? rewrite.value : shown
      const blocks = Array.isArray(content) ? content : [text(String(content ?? ''))]
      return rewrite || context ? { content: context ? [...blocks, text(context)] : blocks } : {}
    }
    if (event === 'user_prompt_submit') {
      if (refusal) return { action: 'handled', reason: refusal }
      const said = rewrite ? rewrite.value : prompt
      return rewrite || context ? { action: 'transform', text: context ? `${said}\n${context}` : said } : {}
    }
    if (event === 'stop') return refusal ? { followUp: refusal } : {}
    return context ? { message: context } : {}
  },
  setup: {
    programs: ['pi'],
    home,
    canary: (command, cwd) => ({ type: 'tool_call', session_id: 'canary', cwd, toolName: 'bash', input: { command } }),
    proof: 'The extension leaves a mark when the host loads it.',
    files(scope, ground, ours) {
      if (scope === 'managed') return undefined
      const directory = scope === 'user' ? `${home(ground)}/extensions` : `${ground.project}/.pi/extensions`
      return [{ kind: 'own', path: `${directory}/hookline.ts`, content: piExtension(ours) }]
    },
  },
})
