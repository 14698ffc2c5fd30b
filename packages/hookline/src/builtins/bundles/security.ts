import type { Bundle } from '../../core/bundle.ts'

const args = { mode: '$mode', allowed_write_roots: '$allowed_write_roots' }

export const security: Bundle = {
  name: 'security',
  doc: 'Refuses commands and files that do harm, asks about destructive commands, and keeps the agent from changing its own guards.',
  parameters: {
    mode: { doc: '`warn` to try it out.', default: 'deny' },
    allowed_write_roots: { doc: 'Directories outside of which nothing may be written.' },
    protected_files: { doc: 'More files the agent must not change, such as the scripts of your hooks.', default: [] },
  },
  hooks: [
    { id: 'commands-and-files', event: 'pre_tool_use', run: { type: 'builtin', name: 'security', args } },
    { id: 'final-check', event: 'tool_guard', run: { type: 'builtin', name: 'security', args } },
    {
      id: 'self-protection',
      event: 'pre_tool_use',
      run: { type: 'builtin', name: 'self_protection', args: { files: '$protected_files' } },
    },
    {
      id: 'self-protection-final',
      event: 'tool_guard',
      run: { type: 'builtin', name: 'self_protection', args: { files: '$protected_files' } },
    },
    { id: 'pasted-secrets', event: 'user_prompt_submit', run: { type: 'builtin', name: 'security_guard' } },
  ],
}
