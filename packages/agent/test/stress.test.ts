import { expect, it } from 'vitest'
import { createHooks } from '../../hookline/src/hooks/index.ts'
import { makeTool, plainAgent } from '../../hookline/test/support/agent.ts'
import { type Agent, createPermissions, openAgent, rehearse } from '../src/index.ts'

/** One process, one set of hooks, one model, many people. */
it('a thousand sessions at once: every event exactly once in each, and none in another', async () => {
  const sessions = 1_000
  const eventsBySession = new Map<string, string[]>()
  const hooks = await createHooks({ journal: false })
  hooks.on('user_prompt_submit', ({ payload }) => ({ context: [`for ${payload.session_id}`] }))
  hooks.on('pre_tool_use', ({ payload }) => ({ rewrite: { mode: 'merge', value: { from: payload.session_id } } }))
  const model = rehearse({
    turns: [{ call: { tool: 'whoami', input: { text: '{{ user }}' } } }, { say: '{{ result }}' }],
  })
  const whoami = makeTool('whoami', async ({ text, from }, { sessionId }) => {
    await new Promise((resolve) => setImmediate(resolve))
    return { content: `${String(text)}/${String(from)}/${sessionId}` }
  })
  const contextBySession = new Map<string, string[]>()
  const open = (id: string): Promise<Agent> =>
    openAgent({
      team: {
        agents: {
          root: { name: 'root', ...plainAgent },
        },
        root: 'root',
        models: {},
        permissions: { allow: ['*'], ask: [], deny: [] },
        snapshot: false,
      } as never,
      sessionId: id,
      cwd: process.cwd(),
      permissions: createPermissions({ yolo: true }),
      raise(event, payload, options) {
        const own = payload as { session_id: string }
        eventsBySession.set(own.session_id, [...(eventsBySession.get(own.session_id) ?? []), event])
        return hooks.raise(event, payload, options)
      },
      openModel: async () => ({
        ...model,
        stream(request, signal) {
          const system = request.messages.filter(({ role }) => role === 'system').map(({ content }) => content)
          contextBySession.set(request.session!, [...(contextBySession.get(request.session!) ?? []), ...system])
          return model.stream(request, signal)
        },
      }),
      openTools: async () => ({ tools: [whoami], close: async () => {} }),
    })
  const ids = Array.from({ length: sessions }, (_, index) => `s${index}`)
  const agents = await Promise.all(ids.map(open))
  const ends = await Promise.all(agents.map((agent) => agent.prompt(`I am ${agent.sessionId}`)))
  await Promise.all(agents.map((agent) => agent.end('other')))
  await hooks.close()

  const expected = [
    ...['session_start', 'user_prompt_submit', 'before_run'],
    ...['turn_start', 'before_llm_call', 'after_llm_call', 'pre_tool_use', 'tool_guard', 'on_tool_approval_decision'],
    ...['tool_response_transform', 'post_tool_use', 'turn_end'],
    ...['turn_start', 'before_llm_call', 'after_llm_call', 'on_response_end', 'stop', 'turn_end', 'after_run'],
    'session_end',
  ]
  ids.forEach((id, index) => {
    expect(eventsBySession.get(id)).toEqual(expected)
    expect(ends[index]?.response).toBe(`I am ${id}/${id}/${id}`)
    expect(contextBySession.get(id)).toEqual([`for ${id}`, `for ${id}`])
  })
})
