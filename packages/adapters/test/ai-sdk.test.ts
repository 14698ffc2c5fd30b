import { generateText, isStepCount, streamText, ToolLoopAgent, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { createHooks } from 'hookline'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { makeHookline } from '../ai-sdk/src/hookline.ts'
import { hookline } from '../ai-sdk/src/index.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const stop = { unified: 'stop' as const, raw: 'stop' }
const say = (text: string) => ({ content: [{ type: 'text' as const, text }], finishReason: stop, usage, warnings: [] })
const quiet = { onNote() {} }

it('an `ai` without the seams is refused, with what to install', async () => {
  const hooks = await createHooks()
  const old = makeHookline({ version: '5.0.0', gateway: () => undefined as never })
  expect(() => old(hooks)).toThrow(/cannot guard ai 5\.0\.0/)
  await hooks.close()
})

it('hooks on events that the SDK does not have are named when it is opened', async () => {
  const hooks = await createHooks({ hooks: [{ id: 'late', event: 'before_compaction', run: () => undefined }] })
  const notes: string[] = []
  hookline(hooks, { onNote: ({ message, remedy }) => notes.push(`${message} ${remedy}`) })
  expect(notes).toHaveLength(1)
  expect(notes[0]).toMatch(/never raises `before_compaction`.*`late`.*hooks\.raise/)
  await hooks.close()
})

it('a prompt that hooks refuse never reaches the model, and the person reads why', async () => {
  const hooks = await createHooks({ rules: [{ deny: { prompt: '/salary/' }, because: 'Salaries are private.' }] })
  const model = new MockLanguageModelV4({ doGenerate: say('Hello.') })
  const guarded = hookline(hooks, quiet)
  const { text, finishReason } = await generateText(guarded.call({ model, prompt: 'What is her salary?' }))
  expect(text).toContain('Salaries are private.')
  expect(finishReason).toBe('other')
  expect(model.doGenerateCalls).toHaveLength(0)
  await hooks.close()
})

it('a hook at stop sends the agent back, and the model reads why', async () => {
  const hooks = await createHooks()
  hooks.on('stop', ({ payload }) =>
    payload.response === 'Half.' ? { decision: { ruling: 'deny', reason: 'Finish it.' } } : undefined,
  )
  const answers = [say('Half.'), say('Whole.')]
  const model = new MockLanguageModelV4({ doGenerate: async () => answers.shift()! })
  const { text } = await generateText(hookline(hooks, quiet).call({ model, prompt: 'Work.' }))
  expect(text).toBe('Whole.')
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toMatch(/Half\..*Finish it\./)
  await hooks.close()
})

it('an answer is streamed as it comes when no hook can rewrite it', async () => {
  const hooks = await createHooks()
  let go = () => {}
  const wait = new Promise<void>((resolve) => {
    go = resolve
  })
  const stream = new ReadableStream({
    async start(controller) {
      controller.enqueue({ type: 'text-start', id: '1' })
      controller.enqueue({ type: 'text-delta', id: '1', delta: 'first' })
      await wait
      controller.enqueue({ type: 'text-end', id: '1' })
      controller.enqueue({ type: 'finish', finishReason: stop, usage })
      controller.close()
    },
  })
  const model = new MockLanguageModelV4({ doStream: { stream } })
  const { textStream } = streamText(hookline(hooks, quiet).call({ model, prompt: 'Go.' }))
  const parts: string[] = []
  for await (const part of textStream) {
    parts.push(part)
    go()
  }
  expect(parts).toEqual(['first'])
  await hooks.close()
})

it('hooks run once per call, and MCP tools have the name of their server', async () => {
  const hooks = await createHooks()
  const seen: string[] = []
  hooks.on('pre_tool_use', ({ payload }) => void seen.push(payload.tool_name))
  const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'search', input: '{"q":"x"}' }
  const calls = { unified: 'tool-calls' as const, raw: 'tool-calls' }
  const answers = [{ ...say(''), content: [call], finishReason: calls }, say('Done.')]
  const model = new MockLanguageModelV4({ doGenerate: async () => answers.shift()! })
  const search = tool({ inputSchema: z.object({ q: z.string() }), execute: async () => 'found' })
  const guarded = hookline(hooks, quiet)
  const tools = guarded.tools({ search }, { server: 'github' })
  await generateText(guarded.call({ model, tools, prompt: 'Go.', stopWhen: isStepCount(3) }))
  expect(seen).toEqual(['mcp__github__search'])
  await hooks.close()
})

it('who a run belongs to comes from its call, and from nothing before it', async () => {
  const hooks = await createHooks()
  const seen: unknown[] = []
  hooks.on('before_llm_call', ({ payload }) => void seen.push([payload.session_id, payload.tenant]))
  const about = (call: Record<string, unknown>) => call['options'] as { session: string; tenant: string }
  const guarded = hookline(hooks, {
    ...quiet,
    about: (call) => ({ session: about(call).session, tenant: about(call).tenant }),
  })
  const callOptionsSchema = z.object({ session: z.string(), tenant: z.string() })
  const settings = { model: new MockLanguageModelV4({ doGenerate: async () => say('Done.') }), callOptionsSchema }
  const agent = new ToolLoopAgent(guarded.agent(settings))
  const helper = new ToolLoopAgent(guarded.subagent('helper').agent(settings))
  await Promise.all(
    ['acme', 'other'].map((tenant) => agent.generate({ prompt: 'Go.', options: { session: `of ${tenant}`, tenant } })),
  )
  await helper.generate({ prompt: 'Help.', options: { session: 'of acme', tenant: 'acme' } })
  expect(seen.slice(0, 2).sort()).toEqual([
    ['of acme', 'acme'],
    ['of other', 'other'],
  ])
  expect(seen[2]).toEqual([expect.not.stringContaining('of acme'), 'acme'])
  await hooks.close()
})

it('in shadow mode a watcher reads what each rule would have done, and stops nothing when it fails', async () => {
  const hooks = await createHooks({ rules: [{ id: 'no', deny: { tool: 'refund' }, because: 'Never.' }] })
  const would: unknown[] = []
  const guarded = hookline(hooks, {
    ...quiet,
    shadow: true,
    async onVerdict({ event, reports }) {
      for (const { rules, opinion } of reports)
        if (opinion?.decision) would.push([event, rules, opinion.decision.ruling, opinion.decision.reason])
      throw new Error('no log today')
    },
  })
  const unheard: unknown[] = []
  const listen = (error: unknown) => unheard.push(error)
  process.on('unhandledRejection', listen)
  const refund = tool({ inputSchema: z.object({}), execute: async () => 'paid' })
  const run = guarded.tools({ refund }).refund.execute?.({}, { toolCallId: 'c1', messages: [], context: {} } as never)
  expect(await run).toBe('paid')
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', listen)
  expect(would).toEqual([['pre_tool_use', ['no'], 'deny', expect.stringContaining('Never.')]])
  expect(unheard).toEqual([])
  await hooks.close()
})
