import { resolve } from 'node:path'
import type * as acp from '@agentclientprotocol/sdk'
import type { Happening, Message, ToolCall } from '../../core/index.ts'
import { changeOf, type FileChange, readTodos } from '../../tools/index.ts'
import { reasonMarkdown } from '../reasons.ts'
import { clipped, oneLine } from '../show.ts'

export type Update = acp.SessionUpdate

/** What happens in a session, as an editor is told. */
export interface Updates {
  watch(happening: Happening): void
  /** What was said before. */
  ofMessages(messages: readonly Message[]): Update[]
}

export function createUpdates(
  cwd: () => string,
  send: (update: Update | Promise<Update | undefined>) => void,
): Updates {
  const calls = new Map<string, { category: string; change: Promise<FileChange | undefined> }>()
  const written = new Map<string, string>()
  const refused = new Map<string, string>()

  const told: { [T in Happening['type']]?: (happening: Extract<Happening, { type: T }>) => void } = {
    text: ({ text }) => send(chunk('agent_message_chunk', text)),
    reasoning: ({ text }) => send(chunk('agent_thought_chunk', text)),
    tool_call({ call, category }) {
      const change = changeOf(call, cwd())
      calls.set(call.id, { category, change })
      send(change.then((found) => ({ sessionUpdate: 'tool_call', ...describeCall(call, category, cwd(), found) })))
    },
    approval({ call_id, decision, reason = '' }) {
      if (decision === 'allow') send({ sessionUpdate: 'tool_call_update', toolCallId: call_id, status: 'in_progress' })
      else refused.set(call_id, reasonMarkdown([reason]).join('\n'))
    },
    tool_progress({ call_id, text, held }) {
      if (held) return
      const so = `${written.get(call_id) ?? ''}${text}`.slice(-longest)
      written.set(call_id, so)
      send({ sessionUpdate: 'tool_call_update', toolCallId: call_id, content: [asText(so)] })
    },
    tool_result({ call_id, content, error }) {
      const { category, change } = calls.get(call_id) ?? {}
      calls.delete(call_id)
      written.delete(call_id)
      // What the model reads of a refusal has the tags of hooks, and is no place for a command box.
      const why = refused.get(call_id)
      refused.delete(call_id)
      send(resultOf(call_id, why ? `Blocked: ${why}` : content, error === true, change))
      if (category === 'todo' && !error) send({ sessionUpdate: 'plan', entries: planOf(content) })
    },
    response({ text, rewritten }) {
      if (rewritten) send(chunk('agent_message_chunk', `\n\n(Hooks rewrote the reply; it now reads:)\n\n${text}`))
    },
    notice({ level, text }) {
      if (level !== 'info') send(chunk('agent_message_chunk', `\n\n**${level}:** ${text}\n\n`))
    },
  }

  return {
    watch: (happening) => told[happening.type]?.(happening as never),
    ofMessages: (messages) => messages.flatMap((message) => saidBefore(message, cwd())),
  }
}

/** So much of what a call prints is shown while it runs. */
const longest = 16_000

async function resultOf(
  id: string,
  content: string,
  failed: boolean,
  change: Promise<FileChange | undefined> | undefined,
): Promise<Update> {
  const changed = failed ? undefined : await change
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: id,
    status: failed ? 'failed' : 'completed',
    content: [...(changed ? [asDiff(changed)] : []), asText(content)],
    rawOutput: content,
  }
}

/** A call, before it runs. */
export function describeCall(
  { id, name, input }: ToolCall,
  category: string,
  cwd: string,
  change: FileChange | undefined,
): acp.ToolCall {
  const path = input['path'] ?? input['file_path']
  const [first] = Object.values(input)
  const about = typeof path === 'string' ? path : typeof first === 'string' ? first : JSON.stringify(input)
  return {
    toolCallId: id,
    title: clipped(`${name} ${oneLine(about)}`.trim(), 200),
    name,
    kind: kinds[name] ?? kinds[category] ?? 'other',
    status: 'pending',
    rawInput: input,
    ...(typeof path === 'string' ? { locations: [{ path: resolve(cwd, path) }] } : {}),
    ...(change ? { content: [asDiff(change)] } : {}),
  }
}

/** What kind of thing a tool, or every tool of its toolset, does in the editor's words. */
const kinds: Readonly<Record<string, acp.ToolKind>> = {
  read_file: 'read',
  read_multiple_files: 'read',
  list_directory: 'search',
  directory_tree: 'search',
  search_files: 'search',
  search_files_content: 'search',
  write_file: 'edit',
  edit_file: 'edit',
  create_directory: 'edit',
  remove_directory: 'delete',
  shell: 'execute',
  background_jobs: 'execute',
  script: 'execute',
  fetch: 'fetch',
  think: 'think',
  todo: 'think',
}

const chunk = (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk', text: string) =>
  ({ sessionUpdate, content: { type: 'text', text } }) as const

const asText = (text: string): acp.ToolCallContent => ({ type: 'content', content: { type: 'text', text } })
const asDiff = ({ path, before, after }: FileChange): acp.ToolCallContent => ({
  ...{ type: 'diff', path, newText: after },
  oldText: before ?? null,
})

const states = { pending: 'pending', 'in-progress': 'in_progress', completed: 'completed' } as const

const planOf = (content: string): acp.PlanEntry[] =>
  readTodos(content).map(({ description, status }) => ({
    ...{ content: description, priority: 'medium' },
    status: states[status],
  }))

function saidBefore(message: Message, cwd: string): Update[] {
  if (message.role === 'user') return [chunk('user_message_chunk', message.content)]
  if (message.role === 'tool')
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: message.tool_call_id,
        status: message.error ? 'failed' : 'completed',
        content: [asText(message.content)],
      },
    ]
  if (message.role === 'system') return []
  const calls = (message.tool_calls ?? []).map((call) => ({
    ...{ sessionUpdate: 'tool_call' as const },
    ...describeCall(call, '', cwd, undefined),
  }))
  return [...(message.content === '' ? [] : [chunk('agent_message_chunk', message.content)]), ...calls]
}
