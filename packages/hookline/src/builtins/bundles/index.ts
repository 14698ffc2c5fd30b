import type { Bundle } from '../../core/index.ts'
import { starters } from './starters.ts'

export { type Bundle, type BundleHook, expandBundle, isMuted } from '../../core/index.ts'
export { starters, usualStarters } from './starters.ts'

const guardArguments = {
  mode: '$mode',
  allowed_write_roots: '$allowed_write_roots',
  blocked_commands: ['@at_stake'],
  profile: '$profile',
}

const security: Bundle = {
  name: 'security',
  doc: 'Decides about commands by what is at stake, refuses files that do harm, and keeps the agent from changing its own guards.',
  parameters: {
    mode: { doc: '`warn` to try it out.', default: 'deny', example: 'warn' },
    allowed_write_roots: { doc: 'Directories outside of which nothing may be written.', example: ['/srv/work'] },
    protected_files: {
      doc: 'More files the agent must not change, such as the scripts of your hooks.',
      default: [],
      example: ['scripts/hooks/**'],
    },
  },
  hooks: [
    {
      id: 'commands-and-files',
      event: 'pre_tool_use',
      run: { type: 'builtin', name: 'security', args: guardArguments },
    },
    { id: 'final-check', event: 'tool_guard', run: { type: 'builtin', name: 'security', args: guardArguments } },
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

const redact = { type: 'builtin', name: 'redact_secrets' }
const limitResults = { type: 'builtin', name: 'limit_large_tool_results' }

const secrets: Bundle = {
  name: 'secrets',
  doc: 'Redacts secrets wherever they could pass: arguments, results, messages to the model, replies and outgoing messages. Large results are put aside after that.',
  parameters: {},
  hooks: [
    { id: 'arguments', event: 'pre_tool_use', run: redact },
    { id: 'results', event: 'tool_response_transform', run: redact },
    { id: 'messages', event: 'before_llm_call', run: redact },
    { id: 'reply', event: 'on_response_end', run: redact },
    { id: 'outgoing', event: 'on_outbound_message', run: redact },
    { id: 'large-results', event: 'tool_response_transform', stage: 100, run: limitResults },
    { id: 'large-results-cleanup', event: 'session_end', run: limitResults },
  ],
}

const logCall = { type: 'builtin', name: 'tool_audit_log', args: { file: '$file' } }
const watchBudget = { type: 'builtin', name: 'budget_alert', args: { session_usd: '$session_usd' } }

const audit: Bundle = {
  name: 'audit',
  doc: 'Writes down every tool call and every approval, and tells you when a session gets expensive.',
  parameters: {
    file: { doc: 'Where to write. Left out: in the data directory.', example: 'audit.jsonl' },
    session_usd: { doc: 'Tell me when a session has cost this much.', example: 5 },
  },
  hooks: [
    { id: 'calls', event: 'post_tool_use', background: true, run: logCall },
    { id: 'failures', event: 'post_tool_use_failure', background: true, run: logCall },
    { id: 'approvals', event: 'on_tool_approval_decision', background: true, run: logCall },
    { id: 'budget', event: 'after_llm_call', needs: ['session_usd'], run: watchBudget },
  ],
}

const watchChanges = { type: 'builtin', name: 'verify_code_changes' }
const runTests = { type: 'builtin', name: 'require_tests_on_stop', args: { command: '$tests' } }

const quality: Bundle = {
  name: 'quality',
  doc: 'Formats what is written, and lets the agent stop only when what it edited was run, and your tests pass.',
  parameters: {
    formatters: {
      doc: 'The program that formats, and its arguments, by file name.',
      example: { '*.ts': ['npx', 'prettier', '--write'] },
    },
    tests: { doc: 'The program that runs your tests, and its arguments.', example: ['npm', 'test'] },
    test_timeout: { doc: 'How long they may take.', default: '10m', example: '2m' },
  },
  hooks: [
    { id: 'note-work', event: 'post_tool_use', run: watchChanges },
    { id: 'run-what-you-edit', event: 'stop', run: watchChanges },
    {
      id: 'format',
      event: 'post_tool_use',
      needs: ['formatters'],
      run: { type: 'builtin', name: 'format_on_write', args: { formatters: '$formatters' } },
    },
    { id: 'tests-baseline', event: 'session_start', needs: ['tests'], run: runTests },
    { id: 'tests', event: 'stop', needs: ['tests'], timeout: '$test_timeout', run: runTests },
  ],
}

const checkPublishing = { type: 'builtin', name: 'verify_publish_claims', args: { registries: '$registries' } }
const checkPromises = { type: 'builtin', name: 'verify_commitments' }

const claims: Bundle = {
  name: 'claims',
  doc: 'Holds the agent to its word: what it says it published, posted or scheduled must have happened, and what it promises must be scheduled.',
  parameters: {
    registries: { doc: 'Where the truth is kept.', default: [], example: [{ json: 'previews.json' }] },
  },
  hooks: [
    { id: 'begin-publish', event: 'session_start', run: checkPublishing },
    { id: 'note-publish', event: 'post_tool_use', run: checkPublishing },
    { id: 'publish', event: 'stop', run: checkPublishing },
    { id: 'publish-goal', event: 'on_completion_claim', run: checkPublishing },
    { id: 'begin-promises', event: 'session_start', run: checkPromises },
    { id: 'note-promises', event: 'post_tool_use', run: checkPromises },
    { id: 'promises', event: 'stop', run: checkPromises },
    { id: 'promises-goal', event: 'on_completion_claim', run: checkPromises },
  ],
}

/** The registry of bundles: one line each. */
const all: readonly Bundle[] = [security, secrets, audit, quality, claims, ...starters]

export const bundles: Readonly<Record<string, Bundle>> = Object.fromEntries(all.map((bundle) => [bundle.name, bundle]))
