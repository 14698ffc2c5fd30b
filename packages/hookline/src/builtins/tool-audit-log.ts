import { join } from 'node:path'
import * as z from 'zod/mini'
import { type BuiltinKit, byEvent, defineBuiltin, stringifyJson } from '../core/index.ts'
import { redactValue } from '../guards/secrets/index.ts'
import { absolute } from './judge.ts'
import { argument, flag, optional, text } from './parts.ts'

const args = z.strictObject({
  file: optional(
    text,
    'Where to write; relative paths from the working directory. Absent: `tool-audit.jsonl` in the data directory.',
  ),
  input: argument(flag, 'Whether to write the arguments too, secrets redacted.', true),
  response: argument(flag, 'Whether to write the result too, secrets redacted.', false),
})
type Args = z.infer<typeof args>
type Given = { name: string; synthetic: boolean; payload: Readonly<Record<string, unknown>> }

export const toolAuditLog = defineBuiltin({
  name: 'tool_audit_log',
  once: true,
  liveOutput: true,
  doc: 'Appends every tool call to a file, one JSON object per line. Only watches.',
  ...byEvent<Args>({
    post_tool_use: log,
    post_tool_use_failure: log,
    pre_tool_use: log,
    on_tool_approval_decision: log,
  }),
  args,
  fromList: ([file]) => ({ file }),
  does: ({ file }) => (file === undefined ? [] : ['writes']),
  examples: [
    {
      title: 'a call',
      event: 'post_tool_use',
      payload: { tool_name: 'shell', tool_input: { command: 'ls' }, tool_response: 'a b' },
      args: { file: 'audit.jsonl' },
      expect: undefined,
    },
  ],
})

async function log({ name, synthetic, payload }: Given, args: Args, kit: BuiltinKit): Promise<undefined> {
  if (synthetic) return undefined
  const {
    session_id,
    agent_name,
    tool_name,
    tool_use_id,
    tool_input,
    tool_response,
    tool_error,
    error,
    approval_decision,
    approval_source,
  } = payload
  const entry = {
    ts: kit.now().toISOString(),
    event: name,
    session_id,
    agent_name,
    tool_name,
    tool_use_id,
    ...(args.input ? { tool_input } : {}),
    ...(args.response ? { tool_response } : {}),
    tool_error,
    error,
    approval_decision,
    approval_source,
  }
  const path = args.file === undefined ? join(kit.dataDir, 'tool-audit.jsonl') : absolute(args.file, kit)
  await kit.append(path, `${stringifyJson(redactValue(entry).value)}\n`)
  return undefined
}
