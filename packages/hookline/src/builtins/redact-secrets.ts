import { defineBuiltin, eventRow, isRecord, isThenable, type Rewrite, someText } from '../core/index.ts'
import { type KnownSecret, redactValue, standsOut } from '../guards/secrets/index.ts'
import { maskedText } from './canary.ts'
import { eventsHonouring, markerOf, noArgs, sampleToken } from './parts.ts'

export const redactSecrets = defineBuiltin({
  name: 'redact_secrets',
  liveOutput: true,
  doc: 'Replaces API keys, tokens, private keys and passwords by a marker that says what was there: in arguments of tools, messages to the model, results, prompts, replies and outgoing messages. Of results, also the values in `.env` and other secrets files of the workspace, whichever command printed them.',
  events: eventsHonouring('rewrite', 'pre_tool_use'),
  args: noArgs,
  answer(event, _args, kit) {
    const field = eventRow(event.name).rewrites as string
    const before = event.payload[field]
    const without = (known?: readonly KnownSecret[]) => {
      const { value: after, found } = redactValue(before, markerOf(kit), known)
      if (found === 0) return undefined
      const tool = event.payload['tool_name']
      const where = field === 'tool_input' ? `arguments of tool "${tool}"` : field.replaceAll('_', ' ')
      return {
        rewrite: rewriteOf(before, after),
        message: [`redact_secrets: redacted secret material from ${where}`],
      }
    }
    if (field !== 'tool_response' || !kit.knownSecrets || !someText(before, standsOut)) return without()
    const known = kit.knownSecrets(projectOf(event.payload['project_dir'], kit.cwd))
    return isThenable<readonly KnownSecret[]>(known) ? known.then(without) : without(known)
  },
  does: [],
  examples: [
    {
      title: 'in an argument; the others stay',
      event: 'pre_tool_use',
      payload: {
        tool_name: 'shell',
        tool_input: { cmd: `curl -H "Authorization: Bearer ${sampleToken}" x`, cwd: '.' },
      },
      expect: {
        rewrite: { mode: 'merge', value: { cmd: 'curl -H "Authorization: Bearer [REDACTED:github-token]" x' } },
        message: ['redact_secrets: redacted secret material from arguments of tool "shell"'],
      },
    },
    {
      title: 'in a result',
      event: 'tool_response_transform',
      payload: { tool_name: 'read_file', tool_input: {}, tool_response: `TOKEN=${sampleToken}\nPORT=80` },
      expect: { rewrite: { mode: 'replace', value: 'TOKEN=[REDACTED:github-token]\nPORT=80' } },
    },
    {
      title: 'a value of the workspace, wherever it is printed',
      given: { files: { '.env': 'SESSION_KEY=Zk4v9QmX2tLr7\n' } },
      event: 'tool_response_transform',
      payload: { tool_name: 'shell', tool_input: {}, tool_response: 'cookies are signed with Zk4v9QmX2tLr7 here' },
      expect: { rewrite: { mode: 'replace', value: 'cookies are signed with [REDACTED:api-key] here' } },
    },
    {
      title: 'in the messages to the model',
      event: 'before_llm_call',
      payload: { messages: [{ role: 'user', content: `use ${sampleToken}` }] },
      expect: { rewrite: { mode: 'replace', value: [{ role: 'user', content: 'use [REDACTED:github-token]' }] } },
    },
    {
      title: 'nothing to hide',
      event: 'pre_tool_use',
      payload: { tool_name: 'shell', tool_input: { cmd: 'ls' } },
      expect: undefined,
    },
  ],
  canary: (_args, event) => maskedText(event, 'a key', `use ${sampleToken}`),
})

/** A session in a directory of the project can read all of it. */
const projectOf = (project: unknown, cwd: string): string =>
  typeof project === 'string' && cwd.startsWith(`${project}/`) ? project : cwd

/** Only what changed, where keys can say it; a key that was itself a secret must go, so everything is replaced. */
function rewriteOf(before: unknown, after: unknown): Rewrite {
  if (!isRecord(before) || !isRecord(after)) return { mode: 'replace', value: after }
  const keys = Object.keys(after)
  if (keys.some((key) => !Object.hasOwn(before, key))) return { mode: 'replace', value: after }
  return {
    mode: 'merge',
    value: Object.fromEntries(keys.filter((key) => after[key] !== before[key]).map((key) => [key, after[key]])),
  }
}
