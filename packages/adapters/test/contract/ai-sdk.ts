import * as ai7 from 'ai'
import about7 from 'ai/package.json' with { type: 'json' }
import * as ai6 from 'ai-6'
import about6 from 'ai-6/package.json' with { type: 'json' }
import type { Hooks } from 'hookline'
import * as z from 'zod'
import { makeHookline } from '../../ai-sdk/src/hookline.ts'
import { type Driver, quiet, type Result, type Scenario, type Turn } from './driver.ts'

export const aiSdk7 = driverFor('AI SDK 7', ai7 as never, about7.version, 'v4')
export const aiSdk6 = driverFor('AI SDK 6', ai6 as never, about6.version, 'v3')

function driverFor(name: string, ai: typeof ai7, version: string, specification: string): Driver {
  const hookline = makeHookline({ version, gateway: () => Promise.reject(new Error('no gateway')) as never })

  async function run(scenario: Scenario): Promise<Result> {
    const seen: string[] = []
    const script = [...scenario.turns]
    return play(scenario, scenario.hooks, [{ role: 'user', content: scenario.prompt }], seen, script)
  }

  async function play(
    scenario: Scenario,
    hooks: Hooks,
    messages: unknown[],
    seen: string[],
    script: Turn[],
  ): Promise<Result> {
    const { ask, shadow = false, session, subagent, stream, signal } = scenario
    const top = hookline(hooks, {
      ...{ about: { session }, shadow, onNote: quiet },
      ask: ask === undefined ? 'sdk' : ask === 'nobody' ? 'nobody' : async () => ask === 'yes',
    })
    const guarded = subagent === undefined ? top : top.subagent(subagent)
    const tools = Object.fromEntries(
      Object.entries(scenario.tools).map(([tool, execute]) => [
        tool,
        ai.tool({
          inputSchema: z.object({ text: z.string() }),
          execute: async (input, options) => execute(input, options.abortSignal) as string,
        }),
      ]),
    )
    const model = scripted(specification, seen, script)
    const agent = new ai.ToolLoopAgent(guarded.agent({ model: model as never, tools }))
    const given = { messages: messages as never, ...(signal && { abortSignal: signal }) }
    let streamed = ''
    let result: { text: string; responseMessages: readonly { role: string; content: unknown }[] }
    if (stream) {
      const made = await agent.stream(given)
      for await (const part of made.textStream) streamed += part
      result = { text: await made.text, responseMessages: (await made.response).messages }
    } else {
      const made = await agent.generate(given)
      result = { text: made.text, responseMessages: made.response.messages }
    }
    const requests = result.responseMessages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool-approval-request')
    if (requests.length === 0 || ask !== undefined) return { text: result.text, streamed, seen }
    const answer = (other: Hooks, approved: boolean) => {
      const responses = requests.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved }))
      const transcript = [...messages, ...result.responseMessages, { role: 'tool', content: responses }]
      return play(scenario, other, JSON.parse(JSON.stringify(transcript)), seen, [...script])
    }
    return { text: result.text, streamed, seen, waiting: { answer } }
  }

  return { name, cannot: {}, run }
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model of the SDK that plays its turns and writes down what it gets. */
function scripted(specificationVersion: string, seen: string[], script: Turn[]) {
  let calls = 0
  function next(prompt: unknown) {
    seen.push(JSON.stringify(prompt))
    const turn = script.shift() ?? { say: 'Done.' }
    if ('say' in turn) return { content: [{ type: 'text', text: turn.say }], reason: 'stop' }
    const content = turn.calls.map(({ tool: toolName, input }) => ({
      ...{ type: 'tool-call', toolCallId: `call-${++calls}`, toolName, input: JSON.stringify(input) },
    }))
    return { content, reason: 'tool-calls' }
  }
  const finish = (unified: string) => ({ unified, raw: unified })
  return {
    ...{ specificationVersion, provider: 'scripted', modelId: 'scripted', supportedUrls: {} },
    async doGenerate({ prompt }: { prompt: unknown }) {
      const { content, reason } = next(prompt)
      return { content, finishReason: finish(reason), usage, warnings: [] }
    },
    async doStream({ prompt }: { prompt: unknown }) {
      const { content, reason } = next(prompt)
      const parts = content.flatMap((part): object[] => ('text' in part ? textParts(part.text) : [part]))
      const all = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', finishReason: finish(reason), usage },
      ]
      const stream = new ReadableStream({
        start(controller) {
          for (const part of all) controller.enqueue(part)
          controller.close()
        },
      })
      return { stream }
    },
  }
}

const textParts = (text: string) => [
  { type: 'text-start', id: '1' },
  ...(text.match(/.{1,7}/gs) ?? []).map((delta) => ({ type: 'text-delta', id: '1', delta })),
  { type: 'text-end', id: '1' },
]
