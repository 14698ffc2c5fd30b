import type { ResultCodec } from '../core/index.ts'
import { anyResult, editCodec, isRecord, textUnder } from '../core/index.ts'
import { claudesCall, claudesEvents, groups } from './groups.ts'
import { defineHost } from './host.ts'
import { readObject } from './payload.ts'
import type { Entry } from './setup.ts'
import { snakeCased } from './spelling.ts'

const shell = { names: ['run_terminal_command', 'run_terminal_cmd', 'Bash'] } as const

/** `{ type: 'ReadFile', FileContent: { content, content_concise, raw_output } }`: the first two with numbers of lines. */
const file: ResultCodec = {
  read(result) {
    const found = isRecord(result) && isRecord(result['FileContent']) ? result['FileContent']['raw_output'] : undefined
    return typeof found === 'string' ? found : undefined
  },
  write(text, original) {
    const whole = isRecord(original) ? original : { type: 'ReadFile' }
    const { FileContent: before } = whole as { FileContent?: unknown }
    const texts: Record<string, unknown> = isRecord(before) ? before : {}
    const changed = Object.fromEntries(
      ['content', 'content_concise'].map((key) => [key, numberedLike(texts[key], text)]),
    )
    return { ...whole, FileContent: { ...texts, ...changed, raw_output: text } }
  },
}

/** `12→line`, counting from where the original does; an original without numbers gets none. */
function numberedLike(original: unknown, text: string): string {
  const first = typeof original === 'string' ? /^(\d+)→/.exec(original)?.[1] : undefined
  if (first === undefined) return text
  const lines = text.split('\n')
  const isEnd = (line: string, at: number) => line === '' && at === lines.length - 1
  return lines.map((line, at) => (isEnd(line, at) ? '' : `${Number(first) + at}→${line}`)).join('\n')
}

const { permission_request: _asked, ...events } = claudesEvents

/** Fields of a tool call have Claude Code's spelling beside their own; those of other events have their own alone. */
export const grok = defineHost({
  name: 'grok',
  called: 'Grok CLI',
  about: 'Grok CLI 1.0.',
  events,
  shape: 'claude-code',
  withoutCounterpart: ['StopCancelled'],
  reads: (payload) =>
    snakeCased(payload, {
      names: { subagentId: 'agent_id', subagentType: 'agent_type', toolResult: 'tool_response' },
      values: { source: { new: 'startup' }, reason: { shutdown: 'other' } },
    }),
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['read_file'], args: { path: 'target_file' } },
      write_file: { names: ['write', 'Write'], args: { path: 'file_path' } },
      edit_file: {
        names: ['search_replace', 'Edit'],
        codec: editCodec(
          { one: 'search_replace' },
          { path: 'file_path', old: 'old_string', new: 'new_string', all: 'replace_all' },
        ),
      },
      list_directory: { names: ['list_dir'], args: { path: 'target_directory' } },
      search_files_content: { names: ['grep'], args: { query: 'pattern' } },
      web_search: { names: ['web_search'] },
      transfer_task: { names: ['spawn_subagent'], args: { task: 'prompt' } },
    },
    result: anyResult(textUnder('output_for_prompt'), file),
    mcp: { names: ['mcp__{server}__{tool}'], matches: ['{server}__{tool}'] },
  },
  rewrites: { input: 'taken', result: 'taken', message: 'dropped' },
  takes: { ask: false, allow: true, halt: false },
  can: {
    approves: false,
    context: ['pre_tool_use', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    timeout: { unit: 's', default: 5 },
  },
  around: [
    {
      around: 'Input above 128 KiB is cut before hooks see it.',
      so: 'A call that was cut is refused: nobody can judge what is missing.',
    },
    {
      around: "It reads Claude Code's files and `.cursor/hooks.json` too.",
      so: 'What stands there leaves the call to the entry of its own, where that is installed: hooks run once.',
    },
    {
      around: 'Hooks of a project are skipped until it trusts the folder.',
      so: 'Install for the user, or trust the folder.',
    },
  ],
  refuses: (event, { tool_input: input, tool_input_truncated: cut }) =>
    event === 'pre_tool_use' && (cut === true || typeof input === 'string')
      ? 'Grok cut the input of this call at 128 KiB before hooks could see it, so it cannot be judged. Do it in smaller steps.'
      : undefined,
  setup: {
    programs: ['grok'],
    home: ({ home }) => `${home}/.grok`,
    canary: claudesCall('run_terminal_command'),
    proof: 'The host lists its hooks (`grok inspect --json`).',
    files(scope, { home, project }, ours) {
      const entries = groups({ name: 'grok', events }, ours, { unit: 's', matcher: '' })
      if (scope === 'managed')
        return [{ kind: 'own', path: '/etc/grok/managed_config.toml', content: entries.map(asTables).join('\n') }]
      const directory = `${scope === 'user' ? home : project}/.grok/hooks`
      const hooks = Object.fromEntries(entries.map(({ path, value }) => [path[1]!, [value]]))
      return [{ kind: 'own', path: `${directory}/hookline.json`, content: `${JSON.stringify({ hooks }, null, 2)}\n` }]
    },
    listing: {
      args: ['inspect', '--json'],
      input: () => [],
      hooks(text) {
        const { hooks } = readObject(text)
        return Array.isArray(hooks)
          ? hooks.filter(isRecord).map(({ target }) => ({ command: String(target) }))
          : undefined
      },
    },
    skips: { project: 'Grok skips hooks of a project until you trust the folder in grok.' },
  },
})

/** For the administrator's file, which has tables where others have lists. Strings are the same in both. */
function asTables({ path, value }: Entry): string {
  const [at, { hooks, ...group }] = [path.join('.'), value]
  const lines = (fields: object) => Object.entries(fields).map(([key, field]) => `${key} = ${JSON.stringify(field)}\n`)
  const handlers = (hooks as object[]).flatMap((handler) => [`[[${at}.hooks]]\n`, ...lines(handler)])
  return [`[[${at}]]\n`, ...lines(group), ...handlers].join('')
}
