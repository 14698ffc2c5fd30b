import type { CallCodec, ResultCodec } from '../core/index.ts'
import { anyResult, isRecord, severalCodec, textUnder } from '../core/index.ts'
import { type Answer, defineHost } from './host.ts'
import { clineHook, clinePlugin } from './plugins/cline.ts'

const one = (key: string) => (item: unknown) =>
  typeof item === 'string' ? { [key]: item } : isRecord(item) && typeof item[key] === 'string' ? item : undefined

const commands = severalCodec('shell', 'commands', one('command'), (input) =>
  Object.keys(input).length === 1 ? input['command'] : input,
)
const files = severalCodec('read_file', 'files', one('path'), (input) => input)
const pages = severalCodec(
  'fetch',
  'requests',
  (item) => {
    if (!isRecord(item) || typeof item['url'] !== 'string') return undefined
    const { url, ...rest } = item
    return { urls: [url], ...rest }
  },
  ({ urls, ...rest }) => ({ url: Array.isArray(urls) ? urls[0] : urls, ...rest }),
)

/** Writes a whole file; with `old_text`, replaces a part of it. */
const editor: CallCodec = {
  read({ input }) {
    const { new_text, old_text, ...rest } = input
    if (typeof new_text !== 'string') return undefined
    if (old_text === undefined || old_text === null) {
      const place = rest['insert_line'] === undefined ? 'write_file' : 'edit_file'
      const content = place === 'write_file' ? { content: new_text } : { edits: [{ newText: new_text }] }
      return [{ tool: place, input: { ...rest, ...content } }]
    }
    return [{ tool: 'edit_file', input: { ...rest, edits: [{ oldText: old_text, newText: new_text }] } }]
  },
  write({ input }) {
    const { content, edits, ...rest } = input
    const [first, ...more] = Array.isArray(edits) ? edits : []
    if (more.length > 0 || (edits !== undefined && !isRecord(first))) return []
    if (!isRecord(first)) return [{ tool: 'editor', input: { ...rest, new_text: content } }]
    const old = first['oldText'] === undefined ? {} : { old_text: first['oldText'] }
    return [{ tool: 'editor', input: { ...rest, new_text: first['newText'], ...old } }]
  },
}

/** What each command or file gave: `[{ query, result, success }]`. A new text stands for all of them. */
const results: ResultCodec = {
  read(given) {
    if (!Array.isArray(given) || given.length === 0 || !given.every(isResult)) return undefined
    return given.map(({ result }) => result).join('\n')
  },
  write: (text, original) => [
    { ...(Array.isArray(original) && isRecord(original[0]) ? original[0] : {}), result: text },
  ],
}
const isResult = (each: unknown): each is { result: string } => isRecord(each) && typeof each['result'] === 'string'

const events = {
  user_prompt_submit: 'beforeRun',
  pre_tool_use: 'beforeTool',
  post_tool_use: 'afterTool',
  stop: 'afterRun',
} as const

const late =
  'Cline did not load our plugin in time. Start it again, with CLINE_PLUGIN_IMPORT_TIMEOUT_MS=20000 where the machine is slow.'
const changed = `A hook changes this result, which Cline takes only from plugins: ${late}`

/** Kept in the payload: programs in its hooks directory answer otherwise than a plugin. */
const fromFile = 'cline_file_hook'

/** One call runs several commands, or reads several files. */
export const cline = defineHost({
  name: 'cline',
  called: 'Cline CLI',
  about: 'Cline CLI 3.0, as a plugin.',
  events,
  also: {
    tool_call: 'pre_tool_use',
    tool_result: 'post_tool_use',
    agent_start: 'session_start',
    agent_end: 'stop',
    TaskStart: 'session_start',
    TaskComplete: 'stop',
    SessionShutdown: 'session_end',
  },
  tools: {
    calls: {
      shell: { names: ['run_commands'], codec: commands },
      read_file: { names: ['read_files'], codec: files },
      write_file: { names: ['editor'], codec: editor },
      edit_file: { names: ['editor'], codec: editor },
      fetch: { names: ['fetch_web_content'], codec: pages },
      transfer_task: { names: ['spawn_agent'], args: { task: 'task' } },
    },
    result: anyResult(results, textUnder('result')),
    mcp: { names: ['mcp__{server}__{tool}'], matches: ['{server}__{tool}'] },
  },
  rewrites: { input: 'taken', result: 'taken', message: 'dropped' },
  takes: { ask: false, allow: false, halt: false },
  can: {
    approves: false,
    context: ['pre_tool_use', 'post_tool_use'],
    refusesPrompt: true,
    redo: false,
    subAgents: 'yes',
    failsClosed: 'our plugin skips the call',
    timeout: { unit: 's', default: 3, fixed: true },
  },
  around: [
    {
      around: 'Programs in its hooks directory cannot block by an exit code, and a refusal ends the run.',
      so: 'Our entry is a plugin, where Cline loads it.',
    },
    {
      around:
        'A plugin that cannot load, or not within four seconds, as on a busy machine, is skipped, and only its log says so.',
      so: 'Programs of ours in its hooks directory see that the plugin is not at work, and judge calls and results themselves. A refusal then ends the run; so does a result that a hook changes, and a call where a hook at the prompt has not run. `CLINE_PLUGIN_IMPORT_TIMEOUT_MS=20000` gives plugins more time.',
    },
  ],
  reads(payload) {
    const { snapshot, toolCall, input, result, tool_call: call, tool_result: done, tool: _tool, ...rest } = payload
    const asked = isRecord(toolCall) ? toolCall : {}
    const file = isRecord(call) ? call : isRecord(done) ? done : undefined
    const roots = rest['workspaceRoots']
    const session = isRecord(snapshot) ? snapshot['conversationId'] : rest['taskId']
    const tool = asked['toolName'] ?? file?.['name']
    const response = isRecord(result)
      ? (result['output'] ?? result['outputText'])
      : isRecord(done)
        ? done['output']
        : undefined
    const prompt = isRecord(snapshot) ? promptOf(snapshot) : undefined
    const cwd = Array.isArray(roots) ? roots[0] : undefined
    return {
      ...rest,
      ...(session !== undefined && { session_id: session }),
      ...(cwd !== undefined && { cwd }),
      ...(tool !== undefined && { tool_name: tool }),
      ...(asked['toolCallId'] !== undefined && { tool_use_id: asked['toolCallId'] }),
      ...(typeof file?.['id'] === 'string' && { tool_use_id: file['id'] }),
      ...(tool !== undefined && { tool_input: input ?? asked['input'] ?? file?.['input'] }),
      ...(tool !== undefined && response !== undefined && { tool_response: response }),
      ...(tool === undefined && typeof response === 'string' && { last_assistant_message: response }),
      ...(tool === undefined && prompt !== undefined && { prompt }),
      ...(rest['hookName'] !== undefined && { [fromFile]: true }),
    }
  },
  misses(event, payload) {
    if (event !== 'pre_tool_use' || payload[fromFile] !== true) return undefined
    return { event: 'user_prompt_submit', why: `Hooks at the prompt did not run: ${late}` }
  },
  writes({ event, deny, halt, context, rewrite, payload }: Answer) {
    const refusal = deny ?? halt
    if ((payload as Record<string, unknown>)[fromFile] === true) {
      if (refusal) return { cancel: true, errorMessage: refusal }
      // What the model must not see of a result cannot be taken out here: the run ends before it is shown.
      if (rewrite && event === 'post_tool_use') return { cancel: true, errorMessage: changed }
      return {
        ...(rewrite && event === 'pre_tool_use' && { overrideInput: rewrite.value }),
        ...(context && { context }),
      }
    }
    if (event === 'pre_tool_use' && refusal) return { skip: true, reason: refusal }
    if (event === 'user_prompt_submit') return refusal ? { stop: true, reason: refusal } : {}
    if (event === 'post_tool_use' && refusal) return { result: { output: refusal } }
    return {
      ...(rewrite && event === 'pre_tool_use' && { input: rewrite.value }),
      ...(rewrite && event === 'post_tool_use' && { result: { output: rewrite.value } }),
      ...(context && { appendContext: context }),
    }
  },
  setup: {
    programs: ['cline'],
    home: ({ home }) => `${home}/.cline`,
    canary: (command, project) => ({
      snapshot: { conversationId: 'canary' },
      workspaceRoots: [project],
      toolCall: { toolName: 'run_commands' },
      input: { commands: [command] },
    }),
    proof: 'The plugin leaves a mark when the host loads it.',
    files(scope, { home, project }, ours) {
      if (scope === 'managed') return undefined
      const directory = `${scope === 'user' ? home : project}/.cline`
      const hooks = (['PreToolUse', 'PostToolUse'] as const).map((event) => ({
        ...{
          kind: 'own' as const,
          path: `${directory}/hooks/${event}.bash`,
          content: clineHook(ours, event),
          mode: 0o755,
        },
      }))
      return [{ kind: 'own', path: `${directory}/plugins/hookline.js`, content: clinePlugin(ours) }, ...hooks]
    },
  },
})

/** The last message of the user, as it was written. */
function promptOf(snapshot: Readonly<Record<string, unknown>>): string | undefined {
  const messages = Array.isArray(snapshot['messages']) ? snapshot['messages'].filter(isRecord) : []
  const last = messages.findLast(({ role }) => role === 'user')
  if (!last || !Array.isArray(last['content'])) return undefined
  const text = last['content'].flatMap((part) =>
    isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return text.join('\n').replace(/^<user_input[^>]*>|<\/user_input>$/g, '')
}
