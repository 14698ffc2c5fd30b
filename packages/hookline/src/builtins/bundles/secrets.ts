import type { Bundle } from '../../core/bundle.ts'

const redact = { type: 'builtin', name: 'redact_secrets' }
const limit = { type: 'builtin', name: 'limit_large_tool_results' }

export const secrets: Bundle = {
  name: 'secrets',
  doc: 'Redacts secrets wherever they could pass: arguments, results, messages to the model, replies and outgoing messages. Large results are put aside after that.',
  parameters: {},
  hooks: [
    { id: 'arguments', event: 'pre_tool_use', run: redact },
    { id: 'results', event: 'tool_response_transform', run: redact },
    { id: 'messages', event: 'before_llm_call', run: redact },
    { id: 'reply', event: 'on_response_end', run: redact },
    { id: 'outgoing', event: 'on_outbound_message', run: redact },
    { id: 'large-results', event: 'tool_response_transform', stage: 100, run: limit },
    { id: 'large-results-cleanup', event: 'session_end', run: limit },
  ],
}
