import { Agent, type Model, Runner, RunState, setTracingDisabled, tool, Usage } from '@openai/agents-core'
import type { Hooks } from 'hookline'
import { hookline } from '../../openai-agents/src/index.ts'
import { type Driver, quiet, type Result, type Scenario, type Turn } from './driver.ts'

setTracingDisabled(true)

export const openaiAgents: Driver = { name: 'OpenAI Agents', cannot: {}, run }

async function run(scenario: Scenario): Promise<Result> {
  return play(scenario, scenario.hooks, [], [...scenario.turns])
}

async function play(
  scenario: Scenario,
  hooks: Hooks,
  seen: string[],
  script: Turn[],
  resumed?: { state: string; approved: boolean },
): Promise<Result> {
  const { ask, shadow = false, session, subagent, stream, signal, prompt } = scenario
  const top = hookline(hooks, {
    ...{ about: { session }, shadow, onNote: quiet },
    ask: ask === undefined ? 'sdk' : ask === 'nobody' ? 'nobody' : async () => ask === 'yes',
  })
  const guarded = subagent === undefined ? top : top.subagent(subagent)
  const tools = Object.entries(scenario.tools).map(([name, execute]) =>
    tool({
      name,
      description: name,
      strict: false,
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
      execute: async (input, _context, details) => execute(input as Record<string, unknown>, details?.signal) as string,
    }),
  )
  const agent = guarded.agent(new Agent({ name: 'agent', model: scripted(seen, script), tools }))
  const runner = new Runner({ tracingDisabled: true })
  let input: string | RunState<unknown, typeof agent> = prompt
  if (resumed) {
    input = await RunState.fromString(agent, resumed.state)
    for (const item of input.getInterruptions()) {
      if (resumed.approved) input.approve(item)
      else input.reject(item)
    }
  }
  let streamed = ''
  let result: { finalOutput?: unknown; interruptions: unknown[]; state: { toString(): string } }
  if (stream) {
    const made = await runner.run(agent, input as string, { stream: true, ...(signal && { signal }) })
    for await (const part of made.toTextStream()) streamed += part
    await made.completed
    result = made
  } else result = await runner.run(agent, input as string, signal && { signal })
  const text = String(result.finalOutput ?? '')
  if (result.interruptions.length === 0) return { text, streamed, seen }
  const state = result.state.toString()
  const answer = (other: Hooks, approved: boolean) => play(scenario, other, seen, [...script], { state, approved })
  return { text, streamed, seen, waiting: { answer } }
}

/** A model of the SDK that plays its turns and writes down what it gets. */
function scripted(seen: string[], script: Turn[]): Model {
  let calls = 0
  function next(input: unknown) {
    seen.push(JSON.stringify(input))
    const turn = script.shift() ?? { say: 'Done.' }
    const output =
      'say' in turn
        ? [
            {
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: turn.say }],
            },
          ]
        : turn.calls.map(({ tool: name, input: given }) => ({
            ...{ type: 'function_call', callId: `call-${++calls}`, name, status: 'completed' },
            arguments: JSON.stringify(given),
          }))
    return { output: output as never, text: 'say' in turn ? turn.say : '' }
  }
  return {
    async getResponse({ input }) {
      return { usage: new Usage(), output: next(input).output }
    },
    async *getStreamedResponse({ input }) {
      const { output, text } = next(input)
      for (const delta of text.match(/.{1,7}/gs) ?? []) yield { type: 'output_text_delta', delta } as never
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      yield { type: 'response_done', response: { id: 'r1', usage, output } } as never
    },
  }
}
