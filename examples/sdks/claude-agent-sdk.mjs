import { fileURLToPath } from 'node:url'
import { hookline } from '@hookline/claude-agent-sdk'
import { createHooks } from 'hookline'
import { readNotes, refund, script, show } from './shop.mjs'

/** In life: `import { query } from '@anthropic-ai/claude-agent-sdk'`, which brings Claude Code along. */
const query = scripted

const hooks = await createHooks({ config: fileURLToPath(new URL('hookline.yaml', import.meta.url)) })
const guarded = hookline(hooks)
const results = []
for await (const message of query({ prompt: 'Please refund order A-1.', options: guarded.options({ model: 'opus' }) }))
  results.push(message)
show(results)
await hooks.close()

/** Calls hooks and tools as Claude Code does, on our script. */
async function* scripted({ prompt, options }) {
  const about = { session_id: 's1', cwd: process.cwd(), permission_mode: 'default', transcript_path: '' }
  const { signal } = new AbortController()
  const raise = async (hook_event_name, given, id) => {
    const [{ hooks: callbacks }] = options.hooks[hook_event_name]
    return callbacks[0]({ hook_event_name, ...about, ...given }, id, { signal })
  }
  await raise('UserPromptSubmit', { prompt })
  for (const [at, { tool: tool_name, input }] of script.entries()) {
    const [id, tools] = [`call-${at}`, { read_notes: readNotes, refund }]
    const pre = await raise('PreToolUse', { tool_name, tool_input: input, tool_use_id: id }, id)
    const { permissionDecision, permissionDecisionReason, updatedInput } = pre.hookSpecificOutput ?? {}
    if (permissionDecision === 'deny') {
      yield permissionDecisionReason
      continue
    }
    const tool_input = updatedInput ?? input
    const tool_response = await tools[tool_name](tool_input)
    const post = await raise('PostToolUse', { tool_name, tool_input, tool_response, tool_use_id: id }, id)
    yield post.hookSpecificOutput?.updatedToolOutput ?? tool_response
  }
}
