/**
 * An agent whose model, tools and hooks are functions, for turns in any process: built files and sources are used alike, so the
 * library is handed in.
 */

/** What the model calls, by what the user wants: one list of calls for each of its answers. */
const scripts = {
  work: [[call('a', 'act'), call('b', 'act')], [call('c', 'act')]],
  short: [[call('a', 'act')]],
  again: [[call('a', 'same')]],
  approve: [[call('a', 'risky')]],
  both: [[call('a', 'risky'), call('b', 'act')]],
  ask: [[call('a', 'ask_user', { question: 'Which colour?' })]],
  delegate: [[call('a', 'transfer_task', { agent: 'helper', task: 'short' })]],
  reach: [[call('a', 'act')], [call('b', 'claim_completion', { summary: 'done' })]],
  slow: [[call('a', 'slow')]],
}

function call(id, name, input = {}) {
  return { type: 'tool_call', id, name, input }
}

const plain = { description: '', instruction: '', models: ['m'], toolsets: [], handoffs: [], hooks: {} }

/**
 * `at(point, turn)` is called wherever a process could die. `act(name, turn, call)`: a tool does what it does.
 */
export function scripted(
  { openAgent, createPermissions },
  { at = async () => {}, act = async () => {}, slowMs = 60_000 } = {},
) {
  return async function open(turn, surviving) {
    await at('open', turn)
    const tool = (name, more = {}) => ({
      name,
      description: '',
      category: 'test',
      parameters: {},
      parse: (input) => ({ ok: true, input }),
      async run(_input, { id, sessionId, signal }) {
        const which = sessionId === turn.session ? id : `helper ${id}`
        await at(`tool ${which} begins`, turn)
        await act(name, turn, which)
        if (name === 'slow')
          await new Promise((resolve, reject) => {
            const timer = setTimeout(resolve, slowMs)
            const stop = () => {
              clearTimeout(timer)
              reject(new Error('stopped'))
            }
            signal.addEventListener('abort', stop, { once: true })
          })
        await at(`tool ${which} ends`, turn)
        return { content: `did ${which}` }
      },
      ...more,
    })
    const tools = [tool('act'), tool('same', { idempotent: true }), tool('risky'), tool('slow')]
    const agent = await openAgent({
      team: {
        agents: {
          root: { ...plain, name: 'root', subAgents: ['helper'], maxConsecutiveToolCalls: 5 },
          helper: { ...plain, name: 'helper', subAgents: [], maxConsecutiveToolCalls: 5 },
        },
        ...{ root: 'root', models: {}, permissions: { allow: [], ask: [], deny: [] }, snapshot: false },
      },
      cwd: process.cwd(),
      permissions: createPermissions({
        team: { allow: ['act', 'same', 'slow', 'transfer_task'], ask: ['risky'], deny: [] },
      }),
      async raise(event, payload) {
        const which = `${event} ${payload.tool_use_id ?? ''}`.trim()
        await at(`${which} is judged`, turn)
        await act('verdict', turn, `${payload.session_id === turn.session ? '' : 'helper '}${which}`)
        return { payload, notes: [], reports: [] }
      },
      openModel: async () => model(turn, at),
      openTools: async () => ({ tools, close: async () => {} }),
      person: surviving.person,
      sessionId: surviving.session,
      ...(surviving.records.length > 0 ? { resume: surviving.records, continues: surviving.continues } : {}),
      openLog: surviving.openLog,
    })
    return { agent, leave: () => agent.leave() }
  }
}

function model(turn, at) {
  return {
    ...{ id: 'scripted/one', contextLimit: 0 },
    async *stream({ messages }) {
      const asked = messages.findLastIndex(({ role, content }) => role === 'user' && wanted(content) !== undefined)
      const answers = messages.slice(asked).filter(({ role }) => role === 'assistant').length
      await at(`model ${answers} begins`, turn)
      const calls = scripts[wanted(messages[asked]?.content)]?.[answers] ?? []
      const steered = messages
        .slice(asked + 1)
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content)
      yield { type: 'text', text: calls.length > 0 ? `answer ${answers}` : ['finished', ...steered].join(' ') }
      for (const each of calls) yield { ...each, id: `${turn.id}.${each.id}` }
      yield { type: 'finish', usage: { input_tokens: 1, output_tokens: 1 }, cost: 0.5 }
      await at(`model ${answers} ends`, turn)
    },
  }
}

const wanted = (text = '') => Object.keys(scripts).find((name) => text.split(/\s/).includes(name))
