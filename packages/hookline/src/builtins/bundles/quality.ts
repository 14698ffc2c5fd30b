import type { Bundle } from '../../core/bundle.ts'

const changes = { type: 'builtin', name: 'verify_code_changes' }
const tests = { type: 'builtin', name: 'require_tests_on_stop', args: { command: '$tests' } }

export const quality: Bundle = {
  name: 'quality',
  doc: 'Formats what is written, and lets the agent stop only when what it edited was run, and your tests pass.',
  parameters: {
    formatters: { doc: 'By file name: `{"*.ts": ["npx", "prettier", "--write"]}`.' },
    tests: { doc: 'The program that runs your tests, and its arguments.' },
    test_timeout: { doc: 'How long they may take.', default: '10m' },
  },
  hooks: [
    { id: 'note-work', event: 'post_tool_use', run: changes },
    { id: 'run-what-you-edit', event: 'stop', run: changes },
    {
      id: 'format',
      event: 'post_tool_use',
      needs: ['formatters'],
      run: { type: 'builtin', name: 'format_on_write', args: { formatters: '$formatters' } },
    },
    { id: 'tests-baseline', event: 'session_start', needs: ['tests'], run: tests },
    { id: 'tests', event: 'stop', needs: ['tests'], timeout: '$test_timeout', run: tests },
  ],
}
