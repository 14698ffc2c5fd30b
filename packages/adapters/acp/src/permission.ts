import type { PermissionOption, RequestPermissionRequest, ToolKind } from '@agentclientprotocol/sdk'
import { type ApprovalQuestion, isRecord } from 'hookline/internal'
import type { ToolCall } from './tool-calls.ts'

/** What the guard offers where it asks itself. */
const own: PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'reject', name: 'Do not allow', kind: 'reject_once' },
]

const kinds: Readonly<Record<string, ToolKind>> = { shell: 'execute', read_file: 'read', write_file: 'edit' }

/** Our question, as a permission request of the editor. */
export function permissionFor(
  sessionId: string,
  { tool_name, tool_use_id, input, reason }: ApprovalQuestion<Record<string, unknown>>,
): RequestPermissionRequest {
  const { command, path, content } = input
  const change = typeof content === 'string' ? [{ type: 'diff' as const, path: String(path), newText: content }] : []
  return {
    sessionId,
    toolCall: {
      toolCallId: `hookline-${tool_use_id}`,
      title: tool_name === 'shell' ? `\`${command}\`` : `${titles[tool_name] ?? tool_name} ${path ?? ''}`.trim(),
      kind: kinds[tool_name] ?? 'other',
      status: 'pending',
      content: [...change, why(reason)],
      ...(typeof path === 'string' && { locations: [{ path }] }),
      rawInput: input,
    },
    options: own,
  }
}

const titles: Readonly<Record<string, string>> = { read_file: 'Read', write_file: 'Write' }

/** A text of ours in a tool call. */
export const why = (reason: string) => ({
  type: 'content' as const,
  content: { type: 'text' as const, text: `Hookline: ${reason}` },
})

/**
 * The agent's own request with what hooks say. An agent that got "always" would not ask again, and no hook would see its calls:
 * that answer is left out, unless it is wanted or there is no other yes.
 */
export function forwarded(params: Record<string, unknown>, toolCall: ToolCall, reasons: string[], always: boolean) {
  const options = optionsIn(params)
  const once = options.filter(({ kind }) => kind !== 'allow_always')
  const hasOnce = once.some(({ kind }) => kind === 'allow_once')
  const content = Array.isArray(toolCall['content']) ? toolCall['content'] : []
  const given = params['toolCall'] as ToolCall
  return {
    ...params,
    ...(!always && hasOnce && { options: once }),
    ...(reasons.length > 0 && { toolCall: { ...given, content: [...content, ...reasons.map(why)] } }),
  }
}

/** What the person has chosen; undefined when nobody has. */
export function chosenIn(result: unknown, options: readonly PermissionOption[]): 'yes' | 'no' | undefined {
  const outcome = isRecord(result) ? result['outcome'] : undefined
  if (!isRecord(outcome) || outcome['outcome'] !== 'selected') return undefined
  const kind = options.find(({ optionId }) => optionId === outcome['optionId'])?.kind
  if (kind === undefined) return undefined
  return kind.startsWith('allow') ? 'yes' : 'no'
}

export const chosenOfOurs = (result: unknown): boolean | undefined => {
  const chosen = chosenIn(result, own)
  return chosen === undefined ? undefined : chosen === 'yes'
}

/** The answer to the agent in place of the person; undefined where it offers none of this kind. */
export function answerFor(params: Record<string, unknown>, kind: 'allow_once' | 'reject_once') {
  const option = optionsIn(params).find((each) => each.kind === kind)
  return option && { outcome: { outcome: 'selected', optionId: option.optionId } }
}

/** The answer for a call that hooks refuse. Agents read the outcome; the reason is for those that look. */
export const refusalFor = (params: Record<string, unknown>, reason: string) => ({
  ...(answerFor(params, 'reject_once') ?? { outcome: { outcome: 'cancelled' } }),
  _meta: { hookline: { reason } },
})

export const optionsIn = ({ options }: Record<string, unknown>): PermissionOption[] =>
  (Array.isArray(options) ? options : []).filter(
    (option) => isRecord(option) && typeof option['optionId'] === 'string' && typeof option['kind'] === 'string',
  )
