import { editCodec, isRecord, listCodec, textUnder } from '../core/index.ts'
import { type Answer, defineHost } from './host.ts'
import { patchCodec } from './patch.ts'
import { opencodePlugin } from './plugins/opencode.ts'

const shell = { names: ['bash'], args: { cwd: 'workdir' } } as const

const events = {
  session_start: 'session.created',
  user_prompt_submit: 'chat.message',
  pre_tool_use: 'tool.execute.before',
  post_tool_use: 'tool.execute.after',
  stop: 'session.idle',
} as const

/** Payloads are the arguments of its handlers, `{ input, output, directory }`; replies are what our plugin does with them. */
export const opencode = defineHost({
  name: 'opencode',
  called: 'opencode',
  about: 'opencode 1.18.',
  events,
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['read'], args: { path: 'filePath' } },
      write_file: { names: ['write'], args: { path: 'filePath' } },
      edit_file: [
        {
          names: ['edit', 'multiedit'],
          codec: editCodec(
            { one: 'edit', many: 'multiedit' },
            { path: 'filePath', old: 'oldString', new: 'newString', all: 'replaceAll' },
          ),
        },
        { names: ['apply_patch', 'patch'], codec: patchCodec(['patchText', 'patch', 'input']) },
      ],
      list_directory: { names: ['list'] },
      search_files_content: { names: ['grep'], args: { query: 'pattern' } },
      search_files: { names: ['glob'] },
      fetch: { names: ['webfetch'], codec: listCodec('fetch', 'urls', 'webfetch', 'url') },
      web_search: { names: ['websearch'] },
      transfer_task: { names: ['task'], args: { agent: 'subagent_type', task: 'prompt' } },
    },
    result: textUnder('output'),
    mcp: { names: ['mcp__{server}__{tool}'], matches: ['{server}_{tool}'] },
  },
  rewrites: { input: 'taken', result: 'taken', message: 'taken' },
  takes: { ask: false, allow: false, halt: false },
  can: {
    approves: false,
    context: ['user_prompt_submit', 'post_tool_use'],
    refusesPrompt: true,
    redo: false,
    subAgents: 'yes',
    failsClosed: 'our plugin throws',
    timeout: undefined,
  },
  around: [
    {
      around: '`--pure` and `OPENCODE_PURE=1` load no plugins; nor does it say so when one cannot load.',
      so: 'The plugin leaves a mark when it is loaded; `hookline hosts` shows when.',
    },
  ],
  reads(payload) {
    const { input, output, directory, ...rest } = payload
    if (!isRecord(input)) return { ...payload }
    const { sessionID, tool, callID, args } = input
    const made = isRecord(output) ? output : {}
    const written = made['args'] ?? args
    const texts = Array.isArray(made['parts'])
      ? made['parts'].flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
      : undefined
    return {
      ...rest,
      ...(sessionID !== undefined && { session_id: sessionID }),
      ...(directory !== undefined && { cwd: directory }),
      ...(tool !== undefined && { tool_name: tool }),
      ...(callID !== undefined && { tool_use_id: callID }),
      ...(written !== undefined && { tool_input: written }),
      ...(texts && { prompt: texts.join('\n') }),
      ...(typeof made['output'] === 'string' && { tool_response: made }),
    }
  },
  writes({ event, deny, halt, context, rewrite, payload }: Answer) {
    const refusal = deny ?? halt
    if (refusal) return { throw: refusal }
    if (event === 'pre_tool_use') return rewrite ? { args: rewrite.value } : {}
    if (event === 'user_prompt_submit') return context ? { parts: [context] } : {}
    if (event !== 'post_tool_use') return {}
    const { tool_response: shown } = payload as { tool_response?: unknown }
    const result = rewrite ? rewrite.value : shown
    const output = isRecord(result) && typeof result['output'] === 'string' ? result['output'] : String(result ?? '')
    return rewrite || context ? { output: context ? `${output}\n${context}` : output } : {}
  },
  setup: {
    programs: ['opencode'],
    home: ({ home, env }) => `${env['XDG_CONFIG_HOME'] || `${home}/.config`}/opencode`,
    canary: (command, directory) => ({
      input: { tool: 'bash', sessionID: 'canary' },
      output: { args: { command } },
      directory,
    }),
    proof: 'The plugin leaves a mark when the host loads it.',
    files(scope, ground, ours) {
      if (scope === 'managed') return undefined
      const directory = scope === 'user' ? this.home(ground) : `${ground.project}/.opencode`
      return [{ kind: 'own', path: `${directory}/plugin/hookline.js`, content: opencodePlugin(ours) }]
    },
  },
})
