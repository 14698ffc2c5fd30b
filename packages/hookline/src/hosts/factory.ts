import { editCodec } from '../core/index.ts'
import { claudesCall, claudesEvents, groups } from './groups.ts'
import { defineHost } from './host.ts'
import { patchCodec } from './patch.ts'

const shell = { names: ['Execute'] } as const

const {
  permission_request: _asked,
  post_tool_use_failure: _failed,
  subagent_start: _started,
  ...events
} = claudesEvents

export const factory = defineHost({
  name: 'factory',
  called: 'Factory Droid',
  about: 'Factory Droid, by its documents.',
  documents: ['https://docs.factory.ai/harness/hooks', 'https://docs.factory.ai/reference/hooks-reference'],
  events,
  shape: 'claude-code',
  tools: {
    calls: {
      shell,
      bash: shell,
      run_background_job: shell,
      read_file: { names: ['Read'], args: { path: 'file_path' } },
      write_file: { names: ['Create', 'Write'], args: { path: 'file_path' } },
      edit_file: [
        {
          names: ['Edit', 'MultiEdit'],
          codec: editCodec({ one: 'Edit', many: 'MultiEdit' }, { path: 'file_path', old: 'old_str', new: 'new_str' }),
        },
        { names: ['ApplyPatch'], codec: patchCodec(['input', 'patch']) },
      ],
      list_directory: { names: ['LS'], args: { path: 'directory_path' } },
      search_files_content: { names: ['Grep'], args: { query: 'pattern' } },
      search_files: { names: ['Glob'] },
      web_search: { names: ['WebSearch'] },
      transfer_task: { names: ['Task'], args: { agent: 'subagent_type', task: 'prompt' } },
    },
    mcp: { names: ['mcp__{server}__{tool}'] },
  },
  // Its documents show `updatedInput` beside an `allow` alone.
  rewrites: { input: 'with-allow', result: 'dropped', message: 'as-context' },
  takes: { ask: false, allow: true, halt: false },
  can: {
    approves: true,
    context: ['session_start', 'user_prompt_submit', 'pre_tool_use', 'post_tool_use'],
    refusesPrompt: true,
    redo: true,
    subAgents: 'yes',
    timeout: { unit: 's', default: 60 },
  },
  around: [
    {
      around: 'It reads its hooks once, when it starts, and wants changes to be looked at in /hooks.',
      so: 'Start it again after installing.',
    },
  ],
  setup: {
    programs: ['droid'],
    home: ({ home }) => `${home}/.factory`,
    canary: claudesCall('Execute'),
    proof: 'A canary through the installed entry.',
    files(scope, { home, project }, ours) {
      if (scope === 'managed') return undefined
      const path = `${scope === 'user' ? home : project}/.factory/hooks.json`
      const entries = groups({ name: 'factory', events }, ours, { unit: 's', matcher: '*' })
      // Events stand at the top of this file, and not below `hooks`.
      const top = entries.map(({ path: [, event], value }) => ({ path: [event!], value }))
      return [{ kind: 'shared', path, format: { comments: false, byteOrderMark: false }, entries: top }]
    },
    switches: ['hooksDisabled', 'allowManagedHooksOnly'],
  },
})
