import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { DirectReply, Executor, Run, WireReply } from '../../src/core/index.ts'
import { failureKinds, HookFailure } from '../../src/core/index.ts'
import { answerOf, type CallOptions, makeCall } from '../support/call.ts'
import { soon } from '../support/soon.ts'

/** What every executor promises the gate. A member that cannot keep a promise says why in `cannot`. */
export const laws = {
  allow: 'an allow arrives',
  deny: 'a deny arrives with its reason',
  'deny-by-exit': 'an exit code and stderr arrive',
  empty: 'an empty reply arrives as one',
  plain: 'plain text arrives as it was written',
  payload: 'the payload arrives exactly, whatever its alphabet and size',
  concurrent: 'concurrent calls do not mix',
  'abort-before': 'a call that was aborted before its start does nothing',
  'abort-midway': 'an abort in the middle settles at once and leaves nothing behind',
  deadline: 'the deadline is kept by a hook that hangs',
  'output-limit': 'more output than the limit is the failure output-limit',
  crash: 'a crash is a failure with a name',
  close: 'close() in the middle of a call ends it and leaves no handle',
} as const
export type Law = keyof typeof laws

export interface WantedReply {
  exit?: number
  stdout?: string
  stderr?: string
}

/** How to make one executor behave in each way. A fixture that is missing needs its laws named in `cannot`. */
export interface Harness<S> {
  make(): Executor<S>
  /** A spec whose hook gives this reply. Executors with direct replies give the opinion that the reply's JSON says. */
  answers(reply: WantedReply): S
  hangs?(): S
  /** Writes this many bytes, or tries to. */
  floods?(bytes: number): S
  crashes?(): S
  /** Replies with the very payload it was given. */
  echoesPayload?(): S
  /** Law → the reason why it does not hold here. */
  cannot?: Partial<Record<Law, string>>
}

export function executorContract<S extends object>(name: string, harness: Harness<S>): void {
  describe(`${name} keeps the contract of executors`, () => {
    const open: Executor<S>[] = []
    afterEach(async () => {
      for (const executor of open.splice(0)) await executor.close?.()
    })

    const start = (): Executor<S> => {
      const executor = harness.make()
      open.push(executor)
      return executor
    }
    const ask = (executor: Executor<S>, spec: S, options: CallOptions = {}) => {
      const call = makeCall({ ...spec, type: executor.type } as Run, options)
      return answerOf(executor, spec, call)
    }
    const law = (key: Law, body: () => Promise<void>) => {
      const reason = harness.cannot?.[key]
      if (reason === undefined) test(laws[key], body)
      else test.skip(`${laws[key]}: cannot, because ${reason}`, body)
    }
    const fixture = <K extends 'hangs' | 'floods' | 'crashes' | 'echoesPayload'>(
      key: K,
    ): NonNullable<Harness<S>[K]> => {
      const found = harness[key]
      if (found === undefined) throw new Error(`give the harness \`${key}\`, or name the law in \`cannot\``)
      return found.bind(harness) as NonNullable<Harness<S>[K]>
    }

    law('allow', async () => {
      const reply = await ask(start(), harness.answers({ stdout: '{"decision":"allow"}' }))
      expectRuling(reply, 'allow')
    })

    law('deny', async () => {
      const reply = await ask(start(), harness.answers({ stdout: '{"decision":"deny","reason":"it\'s not safe"}' }))
      expectRuling(reply, 'deny')
      expect(JSON.stringify(reply)).toContain("it's not safe")
    })

    law('deny-by-exit', async () => {
      const reply = await ask(start(), harness.answers({ exit: 2, stderr: 'not today' }))
      expect(reply).toMatchObject({ kind: 'wire', exit: 2 })
      expect((reply as WireReply).stderr.trim()).toBe('not today')
    })

    law('empty', async () => {
      const reply = await ask(start(), harness.answers({}))
      if (reply.kind === 'wire')
        expect({ exit: reply.exit, stdout: reply.stdout.trim() }).toEqual({ exit: 0, stdout: '' })
      else expect(Object.keys(reply.opinion ?? {})).toEqual([])
    })

    law('plain', async () => {
      const reply = await ask(start(), harness.answers({ stdout: 'today is Tuesday: $HOME, "quotes", €' }))
      expect(reply).toMatchObject({ kind: 'wire', exit: 0 })
      expect((reply as WireReply).stdout.trim()).toBe('today is Tuesday: $HOME, "quotes", €')
    })

    law('payload', async () => {
      const executor = start()
      const echo = fixture('echoesPayload')()
      for (const text of ['naïve €, 漢字, 🙂, \u2028, \u0000, \\n "quoted"', 'é'.repeat(512 * 1024)]) {
        const payload = { session_id: 's1', tool_name: 'shell', tool_input: { text } }
        const reply = await ask(executor, echo, { payload, outputLimit: 8 * 1024 * 1024 })
        expect(JSON.parse((reply as WireReply).stdout)).toMatchObject(payload)
      }
    })

    law('concurrent', async () => {
      const executor = start()
      const reasons = Array.from({ length: 16 }, (_, index) => `reason-${index}`)
      const replies = await Promise.all(
        reasons.map((reason) =>
          ask(executor, harness.answers({ stdout: JSON.stringify({ decision: 'deny', reason }) }), {
            timeoutMs: 20_000,
          }),
        ),
      )
      for (const [index, reply] of replies.entries()) expect(reasonOf(reply)).toBe(reasons[index])
    })

    law('abort-before', async () => {
      const mark = randomUUID()
      const spec = harness.hangs?.() ?? harness.answers({})
      const started = performance.now()
      const run = ask(start(), spec, { signal: AbortSignal.abort(), env: { [markName]: mark } })
      await expectFailure(run)
      expect(performance.now() - started).toBeLessThan(soon)
      expect(processesMarked(mark)).toEqual([])
    })

    law('abort-midway', async () => {
      const mark = randomUUID()
      const executor = start()
      const controller = new AbortController()
      const spec = fixture('hangs')()
      const run = ask(executor, spec, { signal: controller.signal, timeoutMs: 20_000, env: { [markName]: mark } })
      setTimeout(() => controller.abort(), 200)
      const started = performance.now()
      await expectFailure(run)
      expect(performance.now() - started).toBeLessThan(soon)
      await executor.close?.()
      await expect.poll(() => processesMarked(mark)).toEqual([])
    })

    law('deadline', async () => {
      const started = performance.now()
      await expectFailure(ask(start(), fixture('hangs')(), { timeoutMs: 300 }))
      expect(performance.now() - started).toBeLessThan(soon)
    })

    law('output-limit', async () => {
      const run = ask(start(), fixture('floods')(4 * 1024 * 1024), { outputLimit: 64 * 1024 })
      await expect(run).rejects.toMatchObject({ name: 'HookFailure', kind: 'output-limit' })
    })

    law('crash', async () => {
      const failure = await expectFailure(ask(start(), fixture('crashes')()))
      expect(failure).toBeInstanceOf(HookFailure)
      expect(failureKinds).toContain((failure as HookFailure).kind)
      expect((failure as HookFailure).message).not.toBe('')
    })

    law('close', async () => {
      const mark = randomUUID()
      const before = activeResources()
      const executor = start()
      await ask(executor, harness.answers({ stdout: '{}' }), { env: { [markName]: mark } })
      const hanging = harness.hangs && ask(executor, harness.hangs(), { timeoutMs: 20_000, env: { [markName]: mark } })
      const ended = hanging && expectFailure(hanging)
      await new Promise((resolve) => setTimeout(resolve, 200))
      await executor.close?.()
      await ended
      await executor.close?.()
      await expect.poll(() => processesMarked(mark)).toEqual([])
      await expect.poll(() => moreThan(before, activeResources())).toEqual({})
    })
  })
}

/** Put into a hook's environment, it is found again in every process that descends from the hook. */
export const markName = 'HOOKLINE_TEST_MARK'

/** Processes that carry the mark, zombies apart. Empty where there is no /proc to look at. */
export function processesMarked(mark: string): number[] {
  if (!existsSync('/proc/self/environ')) return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => isMarked(pid, mark)).map(Number)
}

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${markName}=${mark}`)
  } catch {
    return false
  }
}

async function expectFailure(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    (reply) => expect.fail(`expected a failure, but it answered ${JSON.stringify(reply)}`),
    (error) => error,
  )
}

function expectRuling(reply: WireReply | DirectReply, ruling: string): void {
  if (reply.kind === 'opinion') return void expect(reply.opinion?.decision?.ruling).toBe(ruling)
  expect(reply.exit).toBe(0)
  expect(JSON.parse(reply.stdout)).toMatchObject({ decision: ruling })
}

function reasonOf(reply: WireReply | DirectReply): unknown {
  if (reply.kind === 'wire') return JSON.parse(reply.stdout).reason
  return reply.opinion?.decision?.reason
}

type Counts = Record<string, number>

/** Timers are left out: the test runner and the deadlines of the calls themselves have some. */
function activeResources(): Counts {
  const counts: Counts = {}
  for (const kind of process.getActiveResourcesInfo())
    if (kind !== 'Timeout' && kind !== 'Immediate') counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function moreThan(before: Counts, after: Counts): Counts {
  return Object.fromEntries(Object.entries(after).filter(([kind, count]) => count > (before[kind] ?? 0)))
}
