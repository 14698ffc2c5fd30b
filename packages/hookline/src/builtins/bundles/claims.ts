import type { Bundle } from '../../core/bundle.ts'

const publish = { type: 'builtin', name: 'verify_publish_claims', args: { registries: '$registries' } }
const promises = { type: 'builtin', name: 'verify_commitments' }

export const claims: Bundle = {
  name: 'claims',
  doc: 'Holds the agent to its word: what it says it published, posted or scheduled must have happened, and what it promises must be scheduled.',
  parameters: {
    registries: { doc: 'Where the truth is kept: `[{"json": "previews.json"}]`.', default: [] },
  },
  hooks: [
    { id: 'begin-publish', event: 'session_start', run: publish },
    { id: 'note-publish', event: 'post_tool_use', run: publish },
    { id: 'publish', event: 'stop', run: publish },
    { id: 'publish-goal', event: 'on_completion_claim', run: publish },
    { id: 'begin-promises', event: 'session_start', run: promises },
    { id: 'note-promises', event: 'post_tool_use', run: promises },
    { id: 'promises', event: 'stop', run: promises },
    { id: 'promises-goal', event: 'on_completion_claim', run: promises },
  ],
}
