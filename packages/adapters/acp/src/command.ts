import {
  configOptions,
  defineCommand,
  lineLink,
  onInterrupt,
  recordingOptions,
  standBetween,
  startBehind,
  trustOption,
  UsageError,
} from 'hookline/internal'
import { guardAcp } from './guard.ts'

export const command = defineCommand({
  name: 'acp',
  summary: 'Stand between an editor and an ACP agent: your rules and hooks judge what it asks of the editor.',
  usage: 'acp [options] -- <command …>',
  doc: [
    'Starts the agent, and speaks the Agent Client Protocol on its own standard input and output. Put it into the settings of',
    'an editor in place of the agent. Permission requests, files and terminals are judged as `shell`, `read_file`, `write_file` …;',
    'a question is a permission request in the editor. Everything else goes through unchanged.',
  ].join('\n'),
  options: {
    always: {
      doc: 'Offer the answer "always" of the agent. Who gives it is asked no more, and hooks see no more of such calls.',
    },
    ...configOptions,
    trust: trustOption,
    ...recordingOptions,
  },
  examples: [
    'hookline acp -- gemini --acp',
    'hookline acp --config team.yaml -- npx -y @agentclientprotocol/claude-agent-acp',
  ],
  readByHosts: true,
  exits: { 1: 'Hooks could not be loaded.', 64: 'Wrong usage, or the agent could not be started.' },
  async run(invocation) {
    if (invocation.positionals.length === 0) throw new UsageError('Name an agent: `hookline acp -- some-agent --acp`.')
    const { hooks, settings, warn } = await standBetween(invocation, 'acp', [
      'user_prompt_submit',
      'before_llm_call',
      'stop',
    ])
    const interrupt = onInterrupt()
    try {
      const guard = await guardAcp({
        hooks,
        toAgent: await startBehind('The agent', invocation, settings.cwd),
        toEditor: lineLink(process.stdin, process.stdout),
        cwd: settings.cwd,
        always: invocation.values['always'] === true,
        warn,
      })
      interrupt.signal.addEventListener('abort', () => void guard.close())
      await guard.closed
      return 0
    } finally {
      interrupt.release()
      await hooks.close()
    }
  },
})
