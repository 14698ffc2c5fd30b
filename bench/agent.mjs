import { setTimeout as pause } from 'node:timers/promises'
import { createPermissions, openAgent, openTools, rehearse } from '@hookline/agent'
import { createHooks } from 'hookline'
import { interleave } from './kit/measure.mjs'
import { atMost, number, row, time } from './kit/row.mjs'

const calls = 20

/** Guards, a mask, a limit, a log of sorts: what a careful user has on every call. */
const fiveHooks = [
  { id: 'guard', event: 'pre_tool_use', run: { type: 'builtin', name: 'security' } },
  { id: 'final', event: 'tool_guard', run: { type: 'builtin', name: 'self_protection' } },
  { id: 'mask', event: 'tool_response_transform', run: { type: 'builtin', name: 'redact_secrets' } },
  { id: 'limit', event: 'before_llm_call', run: { type: 'builtin', name: 'max_iterations', args: { limit: 1000 } } },
  { id: 'date', event: 'turn_start', run: { type: 'builtin', name: 'add_date' } },
]

const agentOf = {
  name: 'root',
  description: '',
  instruction: 'You help.',
  models: ['rehearsal'],
  toolsets: [{ type: 'shell' }],
  subAgents: [],
  handoffs: [],
  maxConsecutiveToolCalls: 0,
  hooks: {},
}
const team = {
  agents: { root: agentOf },
  root: 'root',
  models: {},
  permissions: { allow: ['*'], ask: [], deny: [] },
  snapshot: false,
}
const nothing = { reports: [], notes: [] }

/** One answer of the model, with that many shell calls, and then the end of the turn. */
const script = {
  turns: [
    {
      when: { user: 'go', not: { tool: '.*' } },
      call: Array.from({ length: calls }, (_, index) => ({ tool: 'shell', input: { command: `echo ${index}` } })),
      repeat: true,
    },
  ],
  default: { say: 'Done.' },
}

export default async function ({ quick }) {
  return [await overhead(quick, 250), await overhead(quick, 0), await perCall(quick), await idle(quick)]
}

/**
 * `latency`: how long the model takes for each of its two answers; a model that takes no time at all is the hardest case.
 * The first turns of a process pay for what Node compiles, whose cost has nothing to do with the length of a turn: they are
 * shown by themselves, and the rest is measured when that is done, which takes turns, not time.
 */
async function overhead(quick, latency) {
  const hooks = await createHooks({ hooks: fiveHooks, journal: false })
  const none = (event, payload) => Promise.resolve({ event, payload, ...nothing })
  const turn = (raise, model) => async () => {
    const agent = await begin(raise, model)
    const { reason } = await agent.prompt('go')
    if (reason !== 'normal') throw new Error(`The turn ended as ${reason}.`)
    await agent.end('other')
  }
  const both = (model) => ({
    ours: turn((event, payload, options) => hooks.raise(event, payload, options), model),
    other: turn(none, model),
  })
  const slow = both(rehearse({ ...script, latency_ms: latency }))
  const first = await interleave(slow, { rounds: 10, warmUp: 0 })
  await interleave(both(rehearse(script)), { rounds: quick ? 60 : 100, warmUp: 0 })
  const { ours, other } = await interleave(slow, { rounds: quick ? 10 : 60, warmUp: 0 })
  await hooks.close()
  const added = ({ ours, other }, at) => (ours[at] / other[at] - 1) * 100
  const then = { ours, other }
  return row({
    what: `a turn with ${calls} shell calls and 5 builtin hooks: what hooks add, ${latency === 0 ? 'the model answering at once' : `the model taking ${latency} ms`}`,
    ours: time(ours),
    other: `the same without hooks: ${time(other)}`,
    ratio: ours.p50 / other.p50,
    // A model that takes no time is no model: that row shows where the time goes, and the bar is about a turn.
    ...(latency > 0 ? { bar: atMost(2, ' %'), value: added(then, 'p50') } : {}),
    note: `adds ${number(added(then, 'p50'))} %, by the minima ${number(added(then, 'min'))} %; in ten turns before, ${number(added(first, 'p50'))} %`,
  })
}

/** The events of one such turn, raised again without the agent and its processes: what is left is the work of the hooks alone. */
async function perCall(quick) {
  const hooks = await createHooks({ hooks: fiveHooks, journal: false })
  const raised = []
  const agent = await begin((event, payload, options) => {
    raised.push([event, payload, options])
    return Promise.resolve({ event, payload, ...nothing })
  }, rehearse(script))
  await agent.prompt('go')
  await agent.end('other')
  const turn = async () => {
    for (const [event, payload, options] of raised) await hooks.raise(event, payload, options)
  }
  const { ours } = await interleave({ ours: turn }, { rounds: quick ? 50 : 300, warmUp: 60 })
  await hooks.close()
  return row({
    what: `the ${raised.length} events of such a turn and its 5 builtin hooks, without agent and processes: time per tool call`,
    ours: time({ p50: ours.p50 / calls, min: ours.min / calls }),
    other: `${raised.length / calls} events a call`,
  })
}

async function idle(quick) {
  const count = quick ? 200 : 1_000
  const hooks = await createHooks({ hooks: fiveHooks, journal: false })
  const model = rehearse({ default: { say: 'Hello, and good-bye for now.' } })
  const raise = (event, payload, options) => hooks.raise(event, payload, options)
  const greet = async () => {
    const agent = await begin(raise, model)
    await agent.prompt('Hello.')
    return agent
  }
  await (await greet()).end('other')
  const before = await heap()
  const agents = await Promise.all(Array.from({ length: count }, greet))
  const each = ((await heap()) - before) / count / 1024
  await Promise.all(agents.map((agent) => agent.end('other')))
  await hooks.close()
  return row({
    what: `memory of a session that waits, of ${count.toLocaleString('en')} in one process`,
    ours: `${number(each)} KB`,
    other: 'each has answered one message',
    bar: atMost(150, ' KB'),
    value: each,
  })
}

function begin(raise, model) {
  return openAgent({
    team,
    raise,
    cwd: process.cwd(),
    permissions: createPermissions({ team: team.permissions }),
    openModel: async () => model,
    openTools: (spec) => openTools(spec, { cwd: process.cwd() }),
  })
}

async function heap() {
  for (let round = 0; round < 5; round++) {
    await pause(50)
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}
