import type { Bundle } from '../../core/bundle.ts'

const log = { type: 'builtin', name: 'tool_audit_log', args: { file: '$file' } }
const budget = { type: 'builtin', name: 'budget_alert', args: { session_usd: '$session_usd' } }

export const audit: Bundle = {
  name: 'audit',
  doc: 'Writes down every tool call and every approval, and tells you when a session gets expensive.',
  parameters: {
    file: { doc: 'Where to write. Left out: in the data directory.' },
    session_usd: { doc: 'Tell me when a session has cost this much.' },
  },
  hooks: [
    { id: 'calls', event: 'post_tool_use', background: true, run: log },
    { id: 'failures', event: 'post_tool_use_failure', background: true, run: log },
    { id: 'approvals', event: 'on_tool_approval_decision', background: true, run: log },
    { id: 'budget', event: 'after_llm_call', needs: ['session_usd'], run: budget },
  ],
}
