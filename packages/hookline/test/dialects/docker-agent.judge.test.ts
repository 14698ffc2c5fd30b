import { expect, it, onTestFinished } from 'vitest'
import { createHooks } from '../../src/hooks/index.ts'
import { providers } from '../../src/platform/providers.ts'
import { chatServer, say } from '../support/chat-server.ts'

/** docker-agent names no server in a hook: a provider of that name is one, for as long as the test runs. */
async function judgedBy(prompt: string) {
  const server = await chatServer((_, response) => say(response, '{"decision":"deny","reason":"It prints customers."}'))
  providers['judges-of-test'] = { baseURL: server.url }
  const judge = { type: 'model', model: 'judges-of-test/small', schema: 'pre_tool_use_decision', prompt }
  const text = JSON.stringify({
    agents: { root: { hooks: { pre_tool_use: [{ matcher: 'shell|edit_file', hooks: [judge] }] } } },
  })
  const hooks = await createHooks({
    files: [{ file: 'agent.yaml', layer: 'code', dialect: 'docker-agent', text }],
    journal: false,
  })
  onTestFinished(async () => {
    await hooks.close()
    await server.close()
    delete providers['judges-of-test']
  })
  return { hooks, shown: () => server.requests.map(({ body }) => body.messages.at(-1)?.content) }
}

const session = { session_id: 's1', agent_name: 'root', cwd: '/work' }

it.each([
  ['ours', 'Runs: {{ .ToolInput.cmd }} with {{ .ToolInput | toJSON }}'],
  ['Go', 'Runs: {{ index .ToolInput "cmd" }} with {{ if .ToolInput }}{{ .ToolInput | toJSON }}{{ end }}'],
])(
  'a judge of docker-agent reads the call in its own words and refuses it: a template that is %s',
  async (_, prompt) => {
    const { hooks, shown } = await judgedBy(prompt)
    const { decision } = await hooks.raise('pre_tool_use', {
      ...session,
      tool_name: 'shell',
      tool_use_id: 'c1',
      tool_input: { command: 'cat customers.csv' },
    })
    expect(decision).toMatchObject({ ruling: 'deny', reason: 'It prints customers.' })
    expect(shown()).toEqual(['Runs: cat customers.csv with {"cmd":"cat customers.csv"}'])
  },
)
