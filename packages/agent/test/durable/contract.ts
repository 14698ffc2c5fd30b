import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createHooks } from '../../../hookline/src/hooks/index.ts'
import { makeTool, plainAgent, texts } from '../../../hookline/test/support/agent.ts'
import {
  type AgentOptions,
  type Boundary,
  createPermissions,
  type Durable,
  type Message,
  type Model,
  openAgent,
  type SessionRecord,
} from '../../src/index.ts'

/** One way to keep sessions. `open` may be called again for the same session, as another process would. */
export interface Keeping {
  open(id: string): Promise<Durable>
  /** What is kept of a session, read as another process would. */
  records(id: string): Promise<readonly SessionRecord[]>
}

interface Kind {
  /** It remembers what steps gave: a session that is run again from its beginning does none of them twice. */
  replays: boolean
  /** Each so manyth step is one to die at. */
  every?: number
}

/** What every `Durable` keeps, whatever it keeps it in. */
export function durableContract(name: string, keeping: () => Promise<Keeping>, { replays, every = 3 }: Kind): void {
  const boundary = (key: string, kind: Boundary['kind'] = 'tool'): Boundary => ({ kind, session: 's', key })

  describe(`${name}, a durable store`, () => {
    it('runs a step and gives what it gave', async () => {
      const log = await (await keeping()).open('s')
      expect(await log.step!(boundary('1/a/tool'), async () => ({ content: 'x' }))).toEqual({ content: 'x' })
    })

    it('hands the error of a step on, and runs it again the next time', async () => {
      const log = await (await keeping()).open('s')
      const failing = log.step!(boundary('1/a/tool'), () => Promise.reject(new Error('cut off')))
      await expect(failing).rejects.toThrow('cut off')
      expect(await log.step!(boundary('1/a/tool'), async () => 'done')).toBe('done')
    })

    it('runs steps of parallel calls side by side', async () => {
      const log = await (await keeping()).open('s')
      let release = (): void => {}
      const first = log.step!(boundary('1/a/tool'), () => new Promise<void>((resolve) => (release = resolve)))
      await log.step!(boundary('1/b/tool'), async () => release())
      await first
    })

    it('has kept a record when `append` returns, or what makes it again, and every record in order', async () => {
      const store = await keeping()
      const log = await store.open('s')
      const records: SessionRecord[] = [
        { type: 'session', version: 1, id: 's', started: '', cwd: '', agent: 'root' },
        { type: 'context', content: 'one' },
        { type: 'context', content: 'two' },
      ]
      for (const [at, record] of records.entries()) log.append(record, `0/${at}`)
      if (replays) await log.flush()
      expect(await store.records('s')).toEqual(records)
    })

    it('keeps a whole session: what it reads back goes on where it ended', async () => {
      const store = await keeping()
      const one = await playOnce(store)
      await one.end()
      const kept = await store.records('s')
      const again = await playOnce(store, { resume: kept, open: async () => silent })
      expect(texts(again.messages, 'tool')).toEqual(texts(one.messages, 'tool'))
      expect(again.totals.calls).toBeGreaterThanOrEqual(one.totals.calls)
      await again.end()
    })

    if (!replays) return

    it('gives back what a step gave, also to the next process', async () => {
      const store = await keeping()
      await (await store.open('s')).step!(boundary('1/a/tool'), async () => 1)
      expect(await (await store.open('s')).step!(boundary('1/a/tool'), async () => 2)).toBe(1)
    })

    it('keeps a record with a key that it has only once', async () => {
      const store = await keeping()
      for (let run = 0; run < 2; run += 1) {
        const log = await store.open('s')
        log.append({ type: 'context', content: 'one' }, '0/context')
        await log.flush()
      }
      expect(await store.records('s')).toHaveLength(1)
    })

    it('killed at any step and run again: nothing is done twice, and the session ends the same', async () => {
      const whole = await playOnce(await keeping())
      await whole.end()
      for (let last = 0; last < whole.steps.length; last += every) {
        const store = await keeping()
        const done: string[] = []
        await playUntil(store, last, done)
        const second = await playOnce(store, { done })
        await second.end()
        expect(second.messages).toEqual(whole.messages)
        expect(second.totals).toEqual(whole.totals)
        expect(second.activeAgent).toBe(whole.activeAgent)
        expect(new Set(second.steps)).toEqual(new Set(whole.steps))
        expect(done.toSorted()).toEqual(whole.done.toSorted())
        expect(normal(await store.records('s'))).toEqual(normal(whole.records()))
      }
    })
  })

  it('every step of a session has a key of its own, whatever order parallel calls end in', async () => {
    const [one, other] = [await playOnce(await keeping()), await playOnce(await keeping(), { slowest: 'first' })]
    await Promise.all([one.end(), other.end()])
    expect(new Set(one.steps).size).toBe(one.steps.length)
    expect(one.steps.toSorted()).toEqual(other.steps.toSorted())
    expect(one.steps).not.toEqual(other.steps)
    for (const kind of ['model', 'verdict', 'person', 'tool', 'result'])
      expect(one.steps.some((step) => step.startsWith(`${kind} `))).toBe(true)
    expect(one.contained).toEqual([])
    // The tools of the loop work in steps, so that they are none.
    expect(one.steps).not.toContain('tool s 2/root10/tool')
    expect(one.steps).toContain('verdict s 2/root10/tool/subagent_start')
  })
}

const silent: Durable = { append() {}, flush: async () => {}, close: async () => {} }

interface Playing {
  /** What a tool or a person does is added here when it is done. */
  done?: string[]
  resume?: readonly SessionRecord[]
  open?: Keeping['open']
  slowest?: 'first' | 'last'
}

/** Two calls at once, one of which needs approval; a sub-agent; another agent that takes over; one turn after another. */
async function play({ done = [], resume, open, slowest = 'last' }: Playing) {
  const hooks = await createHooks({ journal: false })
  const work =
    (after: number) =>
    async (_input: unknown, { id }: { id: string }) => {
      await wait(after)
      done.push(`tool ${id}`)
      return { content: `ran ${id}` }
    }
  // The other call waits for a person first, and for a store that may be far away.
  const [early, late] = [work(0), work(slowest === 'first' ? 500 : 10)]
  const tools = [
    makeTool('one', slowest === 'first' ? late : early),
    makeTool('two', slowest === 'first' ? early : late),
  ]
  const agent = await openAgent({
    team: {
      agents: {
        root: { ...plainAgent, name: 'root', subAgents: ['helper'], handoffs: ['other'] },
        helper: { ...plainAgent, name: 'helper' },
        other: { ...plainAgent, name: 'other' },
      },
      root: 'root',
      models: {},
      permissions: { allow: [], ask: [], deny: [] },
      snapshot: false,
    } as unknown as AgentOptions['team'],
    cwd: process.cwd(),
    permissions: createPermissions({ team: { allow: ['one', 'transfer_task', 'handoff'], ask: ['two'], deny: [] } }),
    raise: (event, payload, given) => hooks.raise(event, payload, given) as never,
    openModel: async () => scripted(done),
    openTools: async () => ({ tools, close: async () => {} }),
    person: {
      async approve({ call }) {
        done.push(`approve ${call.id}`)
        return { answer: 'once' }
      },
      answer: async () => '',
      goOn: async () => false,
    },
    sessionId: 's',
    ...(resume ? { resume } : {}),
    ...(open ? { openLog: open } : {}),
  })
  return { agent, hooks }
}

type Calls = readonly { name: string; input: Record<string, unknown> }[]

/** What it answers depends on nothing but the transcript. */
function scripted(done: string[]): Model {
  const both: Calls = [
    { name: 'one', input: {} },
    { name: 'two', input: {} },
  ]
  const parts: Record<string, readonly Calls[]> = {
    root: [
      both,
      [{ name: 'transfer_task', input: { agent: 'helper', task: 't' } }],
      [{ name: 'handoff', input: { agent: 'other' } }],
    ],
    helper: [both],
    other: [],
  }
  return {
    id: 'scripted/one',
    contextLimit: 0,
    async *stream({ messages, agent = '', session }) {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const calls = parts[agent]?.[turn] ?? []
      done.push(`model ${session} ${turn}`)
      yield { type: 'text', text: `${agent} ${turn}` }
      for (const [at, call] of calls.entries()) yield { type: 'tool_call', id: `${agent}${turn}${at}`, ...call }
      yield { type: 'finish', usage: { input_tokens: 1, output_tokens: 1 }, cost: 0.5 }
    },
  }
}

async function playOnce(store: Keeping, playing: Playing = {}) {
  const steps: string[] = []
  const contained: string[] = []
  const done = playing.done ?? []
  const records: SessionRecord[] = []
  const open = async (id: string): Promise<Durable> => {
    const log = await (playing.open ?? store.open)(id)
    let running = 0
    return {
      ...log,
      append(record, key) {
        if (id === 's') records.push(record)
        log.append(record, key)
      },
      step<T>(given: Boundary, run: () => Promise<T>): Promise<T> {
        steps.push(`${given.kind} ${given.session} ${given.key}`)
        return (log.step ?? ((_given, then) => then()))(given, async () => {
          running += 1
          if (given.kind === 'model' && running > 1) contained.push(given.key)
          return run().finally(() => (running -= 1))
        })
      },
    }
  }
  const { agent, hooks } = await play({ ...playing, done, open })
  await agent.prompt('go')
  return {
    messages: [...agent.messages] as Message[],
    totals: agent.totals,
    get activeAgent() {
      return agent.agentName
    },
    steps,
    contained,
    done,
    records: () => records,
    async end() {
      await agent.end('other')
      await hooks.close()
    },
  }
}

/** A process that dies between steps when so many have ended: the others end too, and nothing comes after. */
async function playUntil(store: Keeping, last: number, done: string[]): Promise<void> {
  let ended = 0
  let dead = (): void => {}
  const death = new Promise<void>((resolve) => (dead = resolve))
  const begun: Promise<unknown>[] = []
  const never = new Promise<never>(() => {})
  const open = async (id: string): Promise<Durable> => {
    const log = await store.open(id)
    return {
      append: (record, key) => void (ended < last && log.append(record, key)),
      async step<T>(boundary: Boundary, run: () => Promise<T>) {
        if (ended >= last) {
          dead()
          return never
        }
        const running = log.step!(boundary, run)
        begun.push(running)
        const given = await running
        ended += 1
        if (ended <= last) return given
        // What still runs may be all that the others wait for.
        dead()
        return never
      },
      flush: async () => {},
      close: async () => {},
    }
  }
  const playing = play({ done, open }).then(({ agent }) => agent.prompt('go'))
  await Promise.race([death, playing])
  await Promise.allSettled(begun)
}

/** Without what differs from one run to the next: the time, and the order in which parallel calls ended. */
const normal = (records: readonly SessionRecord[]): string[] =>
  records.map((record) => JSON.stringify(record, (key, value) => (isTime(key) ? '' : value))).toSorted()

const isTime = (key: string): boolean => key === 'started' || key === 'at' || key === 'ms'
