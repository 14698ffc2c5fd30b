import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { Command, MemorySaver } from '@langchain/langgraph'
import type { Hooks } from 'hookline'
import { createAgent, tool } from 'langchain'
import * as z from 'zod'
import { hookline } from '../../langchain/src/index.ts'
import { type Driver, quiet, type Result, type Scenario, type Turn } from './driver.ts'

export const langchain: Driver = {
  name: 'LangChain',
  cannot: {
    'the answer is streamed, with a secret in it':
      'Tokens are out before hooks see the answer: a note when the agent is made. Stream `updates`, which hooks have seen.',
  },
  run,
}

async function run(scenario: Scenario): Promise<Result> {
  return play(scenario, scenario.hooks, [], [...scenario.turns], new MemorySaver(), {
    messages: [{ role: 'user', content: scenario.prompt }],
  })
}

async function play(
  scenario: Scenario,
  hooks: Hooks,
  seen: string[],
  script: Turn[],
  checkpointer: MemorySaver,
  input: object,
): Promise<Result> {
  const { ask, shadow = false, session = 'thread', subagent, signal } = scenario
  const middleware = hookline(hooks, {
    ...{ about: { session }, shadow, onNote: quiet },
    ask: ask === undefined ? 'sdk' : ask === 'nobody' ? 'nobody' : async () => ask === 'yes',
    ...(subagent !== undefined && { subagent: { name: subagent, parent: 'parent' } }),
  })
  const tools = Object.entries(scenario.tools).map(([name, execute]) =>
    tool(async (given, config) => execute(given as Record<string, unknown>, config.signal) as string, {
      name,
      description: name,
      schema: z.object({ text: z.string() }),
    }),
  )
  const agent = createAgent({ model: new Scripted(seen, script), tools, middleware: [middleware], checkpointer })
  const config = { configurable: { thread_id: session }, ...(signal && { signal }) }
  const result = (await agent.invoke(input as never, config)) as { messages: BaseMessage[]; __interrupt__?: unknown[] }
  const text = result.messages.at(-1)?.text ?? ''
  if (!result.__interrupt__?.length) return { text, streamed: '', seen }
  const answer = (other: Hooks, approved: boolean) => {
    const resume = { decisions: [{ type: approved ? 'approve' : 'reject' }] }
    return play(scenario, other, seen, [...script], checkpointer, new Command({ resume }))
  }
  return { text, streamed: '', seen, waiting: { answer } }
}

/** A chat model that plays its turns and writes down what it gets. */
class Scripted extends BaseChatModel {
  #calls = 0
  readonly #seen: string[]
  readonly #script: Turn[]

  constructor(seen: string[], script: Turn[]) {
    super({})
    this.#seen = seen
    this.#script = script
  }

  _llmType() {
    return 'scripted'
  }

  override bindTools() {
    return this
  }

  async _generate(messages: BaseMessage[]) {
    this.#seen.push(JSON.stringify(messages.map(({ content }) => content)))
    const turn = this.#script.shift() ?? { say: 'Done.' }
    const message =
      'say' in turn
        ? new AIMessage(turn.say)
        : new AIMessage({
            content: '',
            tool_calls: turn.calls.map(({ tool: name, input: args }) => ({ id: `call-${++this.#calls}`, name, args })),
          })
    return { generations: [{ text: message.text, message }] }
  }
}
