import { createHooks, fileState, type HooksOptions } from 'hookline'
import { expect } from 'vitest'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import type { Driver, Result, Scenario } from './driver.ts'

/** The same situation in every SDK: what hooks there are, what the model does, and what must come of it. */
export interface Situation {
  name: string
  play(driver: Driver): Promise<void>
}

const key = `AKIA${'IOSFODNN7ABCDEFG'}`
const work = { tool: 'work', input: { text: 'a' } }
const once = [{ calls: [work] }, { say: 'Done.' }]

interface Played extends Result {
  /** What the tool got, in order. */
  ran: Record<string, unknown>[]
}

/** Opens hooks, plays the scenario with a tool that writes down what it gets, and closes them. */
async function play(
  driver: Driver,
  options: HooksOptions,
  scenario: Partial<Scenario> = {},
  tool: (input: Record<string, unknown>, signal: AbortSignal | undefined) => unknown = () => 'The result.',
): Promise<Played> {
  const hooks = await createHooks(options)
  const ran: Record<string, unknown>[] = []
  const tools = {
    work(input: Record<string, unknown>, signal: AbortSignal | undefined) {
      ran.push(input)
      return tool(input, signal)
    },
  }
  try {
    const result = await driver.run({ hooks, prompt: 'Begin.', turns: once, tools, ask: 'nobody', ...scenario })
    return { ...result, ran }
  } finally {
    await hooks.close()
  }
}

/** What a function hook gets, whatever its event. */
interface Told {
  payload: unknown
}

type CodeHook = NonNullable<HooksOptions['hooks']>[number]
/** The types of answers are those of events; here every hook answers what its situation wants. */
type Run = (told: Told) => unknown
const pre = (run: Run, more: Partial<CodeHook> = {}): CodeHook => ({
  ...{ id: 'h', event: 'pre_tool_use', run: run as never },
  ...more,
})
const post = (run: Run): CodeHook => ({ id: 'p', event: 'post_tool_use', run: run as never })
const asks = pre(() => ({ decision: { ruling: 'ask', reason: 'Is this right?' } }))

export const situations: readonly Situation[] = [
  {
    name: 'a hook denies',
    async play(driver) {
      const hook = pre(() => ({ decision: { ruling: 'deny', reason: 'Not on Fridays.' } }))
      const { ran, seen } = await play(driver, { hooks: [hook] })
      expect(ran).toEqual([])
      expect(seen).toHaveLength(2)
      expect(seen[1]).toContain('Not on Fridays.')
    },
  },
  {
    name: 'a hook asks, the person says yes',
    async play(driver) {
      const { ran, text } = await play(driver, { hooks: [asks] }, { ask: 'yes' })
      expect(ran).toEqual([{ text: 'a' }])
      expect(text).toBe('Done.')
    },
  },
  {
    name: 'a hook asks, the person says no',
    async play(driver) {
      const { ran, seen } = await play(driver, { hooks: [asks] }, { ask: 'no' })
      expect(ran).toEqual([])
      expect(seen[1]).toMatch(/said no|rejected|denied/i)
    },
  },
  {
    name: 'a hook asks, nobody is there',
    async play(driver) {
      const { ran, seen } = await play(driver, { hooks: [asks] }, { ask: 'nobody' })
      expect(ran).toEqual([])
      expect(seen[1]).toMatch(/Is this right\?|said no/)
    },
  },
  {
    name: 'a hook rewrites the input',
    async play(driver) {
      const { ran } = await play(driver, { hooks: [pre(() => ({ rewrite: { mode: 'merge', value: { text: 'b' } } }))] })
      expect(ran).toEqual([{ text: 'b' }])
    },
  },
  {
    name: 'a hook rewrites the result',
    async play(driver) {
      const { ran, seen } = await play(driver, {
        hooks: [post(() => ({ rewrite: { mode: 'replace', value: 'Another result.' } }))],
      })
      expect(ran).toHaveLength(1)
      expect(seen[1]).toContain('Another result.')
      expect(seen[1]).not.toContain('The result.')
    },
  },
  {
    name: 'a hook adds context',
    async play(driver) {
      const { seen } = await play(driver, { hooks: [post(() => ({ context: ['Mind the gap.'] }))] })
      expect(seen[1]).toContain('The result.')
      expect(seen[1]).toContain('Mind the gap.')
    },
  },
  {
    name: 'a hook ends the run',
    async play(driver) {
      const { ran, seen, text } = await play(driver, { hooks: [pre(() => ({ halt: { reason: 'Enough.' } }))] })
      expect(ran).toEqual([])
      expect(seen).toHaveLength(1)
      expect(text).toContain('Enough.')
    },
  },
  {
    name: 'a guard fails',
    async play(driver) {
      const { ran, seen } = await play(driver, { hooks: [pre(fails)] })
      expect(ran).toEqual([])
      expect(seen[1]).toContain('The guard is broken.')
    },
  },
  {
    name: 'a guard fails, and may',
    async play(driver) {
      const { ran, text } = await play(driver, { hooks: [pre(fails, { on_failure: 'open' })] })
      expect(ran).toHaveLength(1)
      expect(text).toBe('Done.')
    },
  },
  {
    name: 'a guard times out',
    async play(driver) {
      const { ran, seen } = await play(driver, { hooks: [pre(() => new Promise(() => {}), { timeout: '50ms' })] })
      expect(ran).toEqual([])
      expect(seen[1]).toContain('50 ms')
    },
  },
  {
    name: 'calls run side by side',
    async play(driver) {
      const calls = ['a', 'no', 'b'].map((text) => ({ tool: 'work', input: { text } }))
      const hook = pre(({ payload }: Told) =>
        (payload as { tool_input: { text: string } }).tool_input.text === 'no'
          ? { decision: { ruling: 'deny', reason: 'Not that one.' } }
          : undefined,
      )
      const { ran, seen } = await play(driver, { hooks: [hook] }, { turns: [{ calls }, { say: 'Done.' }] })
      expect(ran.map(({ text }) => text).sort()).toEqual(['a', 'b'])
      expect(seen[1]).toContain('Not that one.')
    },
  },
  {
    name: 'the answer is streamed, with a secret in it',
    async play(driver) {
      const turns = [{ say: `The key is ${key}, and that is all.` }]
      for (const options of [{ use: ['secrets'] }, { hooks: [redactsAnswers] }]) {
        const { streamed, text } = await play(driver, options, { stream: true, turns })
        expect(streamed + text).not.toContain(key)
        expect(streamed).toContain('and that is all.')
      }
    },
  },
  {
    name: 'a sub-agent makes the call',
    async play(driver) {
      const seen: unknown[] = []
      const hook = pre(({ payload }: Told) => {
        const { sub_agent, agent_name } = payload as Record<string, unknown>
        seen.push({ sub_agent, agent_name })
        return { decision: { ruling: 'deny' as const, reason: 'Not for sub-agents.' } }
      })
      const { ran } = await play(driver, { hooks: [hook] }, { subagent: 'helper' })
      expect(ran).toEqual([])
      expect(seen).toEqual([{ sub_agent: true, agent_name: 'helper' }])
    },
  },
  {
    name: 'the run is cancelled while a tool runs',
    async play(driver) {
      const stop = new AbortController()
      const closed: unknown[] = []
      const hook = post(({ payload }: Told) => void closed.push((payload as { tool_error: boolean }).tool_error))
      const waits = (_input: unknown, signal: AbortSignal | undefined) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
          stop.abort(new Error('The person pressed a key.'))
        })
      const hooks = await createHooks({ hooks: [hook] })
      const scenario = { hooks, prompt: 'Begin.', turns: once, ask: 'nobody', signal: stop.signal } as const
      await driver.run({ ...scenario, tools: { work: waits } }).catch(() => {})
      await expect.poll(() => closed).toHaveLength(1)
      await hooks.close()
    },
  },
  {
    name: 'a secret is in the prompt',
    async play(driver) {
      const { seen, text } = await play(
        driver,
        { hooks: [redactsPrompts] },
        { prompt: `Use ${key} for it.`, turns: [{ say: 'Done.' }] },
      )
      expect(seen.join()).not.toContain(key)
      expect(text).toBe('Done.')
    },
  },
  {
    name: 'a secret is in the result',
    async play(driver) {
      const { seen } = await play(driver, { use: ['secrets'] }, {}, () => `key = ${key}`)
      expect(seen[1]).toContain('key = ')
      expect(seen.join()).not.toContain(key)
    },
  },
  {
    name: 'hooks are in shadow mode',
    async play(driver) {
      const hook = pre(() => ({ decision: { ruling: 'deny', reason: 'Not on Fridays.' } }))
      const hooks = await createHooks({ hooks: [hook] })
      const ran: unknown[] = []
      await driver.run({
        ...{ hooks, prompt: 'Begin.', turns: once, ask: 'nobody', shadow: true },
        tools: { work: (input) => ran.push(input) },
      })
      expect(ran).toHaveLength(1)
      const entries: unknown[] = []
      for await (const entry of hooks.journal.entries()) entries.push(entry)
      expect(JSON.stringify(entries)).toContain('Not on Fridays.')
      await hooks.close()
    },
  },
  {
    name: 'a hook runs in the background',
    async play(driver) {
      let finish = () => {}
      let ended = false
      const hook = pre(
        () =>
          new Promise((resolve) => {
            finish = () => {
              ended = true
              resolve({ decision: { ruling: 'deny', reason: 'Too late.' } })
            }
          }),
        { background: true },
      )
      const { ran, text } = await play(driver, { hooks: [hook] }, {}, () => {
        finish()
        return 'The result.'
      })
      expect(ran).toHaveLength(1)
      expect(text).toBe('Done.')
      expect(ended).toBe(true)
    },
  },
  {
    name: 'the approval comes in another process',
    async play(driver) {
      const state = scratch()
      const open = () => createHooks({ hooks: [asks], state: fileState(state) })
      const [first, second] = [await open(), await open()]
      const ran: unknown[] = []
      const tools = { work: (input: object) => String(ran.push(input)) }
      const scenario = { hooks: first, prompt: 'Begin.', turns: once, tools, session: 's1' }
      const asked = await driver.run(scenario)
      expect(ran).toEqual([])
      expect(asked.waiting).toBeDefined()
      await first.close()
      const answered = await asked.waiting!.answer(second, true)
      expect(ran).toEqual([{ text: 'a' }])
      expect(answered.text).toBe('Done.')
      // The same answer a second time is no answer.
      await asked.waiting!.answer(second, true).catch(() => {})
      expect(ran).toHaveLength(1)
      await second.close()
    },
  },
]

function fails(): never {
  throw new Error('The guard is broken.')
}

const masked = (text: string) => text.replaceAll(key, '[redacted]')
const redacts = (event: 'user_prompt_submit' | 'after_llm_call', field: string): CodeHook => ({
  id: field,
  event,
  run: (({ payload }: Told) => ({
    rewrite: { mode: 'replace', value: masked(String((payload as Record<string, unknown>)[field])) },
  })) as never,
})
const redactsPrompts = redacts('user_prompt_submit', 'prompt')
const redactsAnswers = redacts('after_llm_call', 'response')
