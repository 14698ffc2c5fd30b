import { defineBuiltin } from '../core/index.ts'
import { judgeShell } from './judge.ts'
import { ask, noArgs } from './parts.ts'

export const saferShell = defineBuiltin({
  name: 'safer_shell',
  doc: 'Asks the user about shell commands: always when one destroys something, never when one only reads, and to be sure about all others. Says how far the damage would reach.',
  events: ['pre_tool_use', 'tool_guard', 'permission_request'],
  args: noArgs,
  answer({ payload }, _args, kit) {
    const judged = judgeShell(payload, kit)
    if (!judged || judged.verdict === 'safe') return undefined
    if (judged.verdict === 'unknown')
      return {
        decision: ask('Shell command requires safer-mode confirmation.'),
        metadata: { blast_radius: judged.radius, category: judged.categories[0] ?? 'unknown', reason: judged.reason },
      }
    const { radius, categories, reason, blamed } = judged
    return {
      decision: ask(`${reason} The command: ${blamed}`),
      metadata: { blast_radius: radius, category: categories[0] ?? 'unknown', reason },
    }
  },
  does: [],
  examples: [
    {
      title: 'deleting what cannot come back',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { cmd: 'rm -fr /' } },
      expect: {
        decision: { ruling: 'ask', reason: 'It deletes the whole file system. The command: rm -fr /' },
        metadata: { blast_radius: 'high', category: 'fs-delete', reason: 'It deletes the whole file system.' },
      },
    },
    {
      title: 'only reading',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { cmd: 'git status && ls' } },
      expect: undefined,
    },
    {
      title: 'nobody knows',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { cmd: './deploy.sh' } },
      expect: {
        decision: { ruling: 'ask', reason: 'Shell command requires safer-mode confirmation.' },
        metadata: { blast_radius: 'unknown' } as never,
      },
    },
    {
      title: 'deleting what is made again',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { cmd: 'rm -rf build' } },
      expect: {
        decision: { ruling: 'ask', reason: 'Shell command requires safer-mode confirmation.' },
        metadata: { blast_radius: 'low', category: 'fs-delete', reason: 'It deletes scratch, or what is made again.' },
      },
    },
    {
      title: 'mentioning is not doing',
      event: 'pre_tool_use',
      payload: { tool_name: 'Bash', tool_input: { command: 'echo "rm -rf /"' } },
      expect: undefined,
    },
    {
      title: 'not a shell',
      event: 'pre_tool_use',
      payload: { tool_name: 'read_file', tool_input: { path: 'a.ts' } },
      expect: undefined,
    },
  ],
  canary: {
    title: 'a command that erases the machine',
    event: 'pre_tool_use',
    payload: { tool_name: 'shell', tool_input: { command: 'rm -rf / --no-preserve-root' } },
    expect: {
      decision: { ruling: 'ask', reason: 'It deletes the whole file system. The command: rm -rf / --no-preserve-root' },
    },
  },
})
