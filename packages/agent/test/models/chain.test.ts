import { describe, expect, test } from 'vitest'
import { type Model, ModelError, type ModelErrorKind, modelErrorKinds } from '../../src/core/model.ts'
import { type CallOptions, callModel } from '../../src/models/chain.ts'
import { rehearse } from '../../src/models/rehearsal/play.ts'
import { collect, never, textOf, userRequest } from './collect.ts'

type Turns = NonNullable<Parameters<typeof rehearse>[0]['turns']>
const model = (name: string, turns: Turns) => rehearse({ name, turns, default: { say: `${name} answers` } })
const failing = (name: string, fail: NonNullable<Turns[number]['fail']>) => model(name, [{ fail, repeat: true }])

/** Calls the models and collects every retry and fallback report; waiting takes no time. */
async function ask(models: Model[], options: Partial<CallOptions> = {}) {
  const reports: string[] = []
  const call = callModel(models, userRequest('hi'), {
    signal: never,
    sleep: async () => {},
    onRetry: ({ model, delayMs, restarts }) =>
      void reports.push(`${model} again in ${delayMs}${restarts ? ', anew' : ''}`),
    onFallback: ({ primary, fallback, error }) => void reports.push(`${primary} → ${fallback}: ${error.kind}`),
    ...options,
  })
  const outcome = await collect(call).then(textOf, (error: unknown) => error)
  return { outcome, reports, answered: call.model.id }
}

describe('one model', () => {
  test('is called again after an outage, each time after a longer pause', async () => {
    const { outcome, reports } = await ask([model('a', [{ fail: 'unavailable', repeat: 2 }])])
    expect(outcome).toBe('a answers')
    expect(reports).toEqual(['rehearsal/a again in 500', 'rehearsal/a again in 1000'])
  })

  test('that let the time-out pass is called again once, not as often as one that is down', async () => {
    let calls = 0
    const silent: Model = {
      id: 'a/silent',
      contextLimit: 0,
      // biome-ignore lint/correctness/useYield: it never says anything
      async *stream() {
        calls++
        throw new ModelError('unavailable', 'a/silent did not answer for 120 s.', undefined, true)
      },
    }
    const { outcome } = await ask([silent])
    expect([calls, outcome]).toEqual([2, expect.objectContaining({ timedOut: true })])
  })

  test('is not called for ever', async () => {
    const { outcome, reports } = await ask([failing('a', 'unavailable')])
    expect(outcome).toMatchObject({ kind: 'unavailable' })
    expect(reports).toHaveLength(2)
  })

  test.each(['rate-limit', 'unavailable'] as const)(
    'is waited for as long as it says (%s), unless that is too long',
    async (kind) => {
      const soon = { kind, retry_after_ms: 7 }
      expect((await ask([model('a', [{ fail: soon }])])).reports).toEqual(['rehearsal/a again in 7'])
      const { outcome, reports } = await ask([failing('a', { kind, retry_after_ms: 3_600_000 })])
      expect(outcome).toMatchObject({ kind })
      expect(reports).toEqual([])
    },
  )

  test.each(['overflow', 'refused', 'auth', 'invalid'] as const)('is not called again after: %s', async (kind) => {
    const { outcome, reports } = await ask([failing('a', kind)])
    expect(outcome).toMatchObject({ kind })
    expect(reports).toEqual([])
  })

  test('a stream that breaks off restarts, and the caller is notified', async () => {
    const { outcome, reports } = await ask([model('a', [{ say: 'half', fail: 'unavailable' }])])
    expect(reports).toEqual(['rehearsal/a again in 500, anew'])
    expect(outcome).toBe('halfa answers')
  })

  test('a stream that ends without its last part has broken off', async () => {
    const model: Model = {
      id: 'x/y',
      contextLimit: 0,
      async *stream() {
        yield { type: 'text', text: 'so' }
      },
    }
    expect((await ask([model])).outcome).toMatchObject({ kind: 'unavailable' })
  })
})

describe('a chain', () => {
  test.each(modelErrorKinds.filter((kind) => kind !== 'overflow'))('goes on to the next after: %s', async (kind) => {
    const { outcome, reports, answered } = await ask([failing('a', kind), model('b', [])], { retries: 0 })
    expect(outcome).toBe('b answers')
    expect(reports).toEqual([`rehearsal/a → rehearsal/b: ${kind}`])
    expect(answered).toBe('rehearsal/b')
  })

  test('does not wait for a rate limit while another model is there', async () => {
    const { reports } = await ask([failing('a', 'rate-limit'), model('b', [])])
    expect(reports).toEqual(['rehearsal/a → rehearsal/b: rate-limit'])
  })

  test('what is too long for the first is not sent on', async () => {
    const { outcome, reports } = await ask([failing('a', 'overflow'), model('b', [])])
    expect(outcome).toMatchObject({ kind: 'overflow' })
    expect(reports).toEqual([])
  })

  test('ends with the error of the last', async () => {
    const { outcome, reports } = await ask([failing('a', 'auth'), failing('b', 'rate-limit'), failing('c', 'invalid')])
    expect(outcome).toMatchObject({ kind: 'invalid' })
    expect(reports).toEqual(['rehearsal/a → rehearsal/b: auth', 'rehearsal/b → rehearsal/c: rate-limit'])
  })
})

test('it ends without an error when the signal aborts, also while it waits', async () => {
  const stop = new AbortController()
  const waiting = ask([failing('a', 'unavailable')], { signal: stop.signal, sleep: async () => stop.abort() })
  expect((await waiting).outcome).toBe('')
  const kind: ModelErrorKind = 'unavailable'
  const late = new AbortController()
  const thrower: Model = {
    id: 'x/y',
    contextLimit: 0,
    // biome-ignore lint/correctness/useYield: it fails before it can say anything
    async *stream() {
      late.abort()
      throw new ModelError(kind, 'gone')
    },
  }
  expect((await ask([thrower], { signal: late.signal })).outcome).toBe('')
})

test('what is no error of a model is not retried', async () => {
  const broken: Model = {
    id: 'x/y',
    contextLimit: 0,
    // biome-ignore lint/correctness/useYield: it fails before it can say anything
    async *stream() {
      throw new TypeError('a mistake')
    },
  }
  expect((await ask([broken, model('b', [])])).outcome).toBeInstanceOf(TypeError)
})
