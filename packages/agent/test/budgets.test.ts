import { describe, expect, it } from 'vitest'
import { echo, makeTool, texts } from '../../hookline/test/support/agent.ts'
import { scratch } from '../../hookline/test/support/scratch.ts'
import { stages } from '../../hookline/test/support/stages.ts'
import { type Model, openAgent, openSessionStore, readTeam } from '../src/index.ts'

const stage = stages()
/** Every call costs $0.02 and 110 tokens. */
const bill = { usage: { input_tokens: 100, output_tokens: 10 }, cost: 0.02 }
const calls = { call: { tool: 'echo', input: { text: 'x' } }, ...bill, repeat: true as const }
const source = { file: 'a.yaml', locate: (path: readonly unknown[]) => ({ file: 'a.yaml', line: path.length }) }
const patient = { maxConsecutiveToolCalls: 99 }

describe('a budget', () => {
  it('stops a run at its first limit, says which, and is used up for the session, with nobody asked', async () => {
    const one = await stage({
      limits: { budget: { max_cost: 0.05, max_tokens: 9_000 } },
      spec: patient,
      tools: [echo],
      turns: [calls],
    })
    const end = await one.agent.prompt('go')
    const detail = 'Stopped: budget.max_cost of the agent file is reached ($0.0600 of $0.0500).'
    expect(end).toMatchObject({ reason: 'budget_exceeded', detail })
    expect(one.requests).toHaveLength(3)
    expect(texts(one.agent.messages, 'assistant').at(-1)).toBe(detail)
    expect(one.of('notification')).toMatchObject([{ notification_level: 'warning', notification_message: detail }])
    expect(one.happenings).toContainEqual(
      expect.objectContaining({
        type: 'budget_exceeded',
        budget: 'run',
        limit: 'max_cost',
        used: '$0.0600',
        max: '$0.0500',
        config_path: 'budget.max_cost',
      }),
    )
    expect(one.happenings.filter((each) => each.type === 'notice')).toMatchObject([{ text: detail }])
    expect(one.agent.budgets).toMatchObject([{ name: 'run', used: { max_cost: 0.06, max_tokens: 330 } }])
    expect(await one.agent.prompt('and now?')).toMatchObject({ reason: 'budget_exceeded' })
    expect(one.requests).toHaveLength(3)
  })

  it('by name is one pot for all who name it, and none for others', async () => {
    const transfer = (agent: string) => ({ call: { tool: 'transfer_task', input: { agent, task: 'go' } } })
    const one = await stage({
      limits: { budgets: { work: { max_tokens: 250 } } },
      spec: { ...patient, models: ['worker'] },
      agents: {
        root: { models: ['main'], subAgents: ['one', 'two'] },
        one: { budgets: ['work'] },
        two: { budgets: ['work'] },
      },
      tools: [echo],
      models: { worker: { turns: [calls] } },
      turns: [
        { ...transfer('one'), ...bill },
        { ...transfer('two'), ...bill },
        { say: 'Done.', ...bill },
      ],
    })
    expect(await one.agent.prompt('go')).toMatchObject({ reason: 'normal', response: 'Done.' })
    const answers = texts(one.agent.messages, 'tool')
    expect(answers[0]).toContain('budgets.work.max_tokens of the agent file is reached (330 tokens of 250 tokens)')
    expect(answers[1]).toContain('budget_exceeded')
    expect(one.agent.budgets).toMatchObject([{ name: 'work', used: { max_tokens: 330 } }])
  })

  it('of time counts the time that agents work, and all of it counts on when the session is resumed', async () => {
    const store = openSessionStore({ directory: scratch({}) })
    const slow = makeTool('echo', async () => {
      const since = performance.now()
      while (performance.now() - since < 100) await new Promise((resolve) => setTimeout(resolve, 10))
      return { content: 'slept' }
    })
    const setting = { limits: { budget: { max_time: '50ms' } }, spec: patient, tools: [slow], turns: [calls] }
    const one = await stage({ ...setting, sessionId: 'timed', openLog: async (id) => store.open(id) })
    expect(await one.agent.prompt('go')).toMatchObject({
      reason: 'budget_exceeded',
      detail: expect.stringMatching(/budget\.max_time/),
    })
    expect(one.requests).toHaveLength(1)
    await one.agent.end('other')
    const again = await stage({ ...setting, resume: await store.read('timed') })
    expect(await again.agent.prompt('go on')).toMatchObject({ reason: 'budget_exceeded' })
    expect(again.requests).toHaveLength(0)
  })

  it('that counts money warns once of a model whose price nobody knows', async () => {
    const model: Model = {
      id: 'home/made',
      contextLimit: 0,
      async *stream() {
        yield { type: 'text', text: 'Hello.' }
        yield { type: 'finish', usage: { input_tokens: 1, output_tokens: 1 } }
      },
    }
    const warnings: string[] = []
    const team = readTeam({ agents: { root: { model: 'rehearsal' } }, budget: { max_cost: 1 } }, source).team!
    const agent = await openAgent({
      team,
      cwd: scratch({}),
      raise: async (event, payload) => ({ event, payload, reports: [], notes: [] }) as never,
      openModel: async () => model,
      openTools: async () => ({ tools: [], close: async () => {} }),
      watch: (each) => each.type === 'notice' && warnings.push(each.text),
    })
    await agent.prompt('one')
    await agent.prompt('two')
    await agent.end('other')
    expect(warnings).toEqual([expect.stringMatching(/^Nobody knows what home\/made costs/)])
  })

  it('in an agent file has the three limits; a name that is not there is an error with its place', () => {
    const budgets = { work: { max_cost: 0.03, max_tokens: 8000 } }
    const budget = { max_time: '10m' }
    const root = { model: 'rehearsal', budgets: ['work'] }
    const { team, notes, problems } = readTeam({ agents: { root }, budget, budgets }, source)
    expect([notes, problems]).toEqual([[], []])
    expect(team).toMatchObject({ budget, budgets, agents: { root: { budgets: ['work'] } } })
    const wrong = readTeam({ agents: { root: { ...root, budgets: ['wrok'] } }, budgets }, source)
    expect(wrong.problems).toMatchObject([{ message: expect.stringMatching(/agents\.root\.budgets\[0\].*`wrok`/) }])
    const odd = readTeam({ agents: { root }, budgets: { work: { max_time: 'soon' } } }, source)
    expect(odd.problems).toHaveLength(1)
  })
})
