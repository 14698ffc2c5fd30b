import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../hookline/src/config/index.ts'
import fc from '../../../hookline/test/support/property.ts'
import type { Message } from '../../src/core/model.ts'
import { ModelError } from '../../src/core/model.ts'
import { playRehearsal, rehearse } from '../../src/models/rehearsal/play.ts'
import { readRehearsal } from '../../src/models/rehearsal/read.ts'
import { defaultScript } from '../../src/models/rehearsal/script.ts'
import { callsOf, collect, finishOf, never, replyText, userRequest } from './collect.ts'

const shell = { name: 'shell', description: 'Runs a command.', parameters: { type: 'object' } }
const result = (content: string, error?: true): Message => ({
  role: 'tool',
  tool_call_id: 'call_1',
  tool_name: 'shell',
  content,
  ...(error ? { error } : {}),
})
const called: Message = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'call_1', name: 'shell', input: { cmd: 'ls' } }],
}

describe('turns', () => {
  test('are played in their order, each once, then the default', async () => {
    const model = rehearse({ turns: [{ say: 'one' }, { say: 'two' }], default: { say: 'no more' } })
    expect([
      await replyText(model, userRequest('a')),
      await replyText(model, userRequest('b')),
      await replyText(model, userRequest('c')),
    ]).toEqual(['one', 'two', 'no more'])
  })

  test('the first turn whose conditions hold is played; the others wait', async () => {
    const model = rehearse({
      turns: [
        { when: { user: '(?i)delete' }, say: 'deleting' },
        { when: { result: 'denied' }, say: 'so I may not' },
        { say: 'hello' },
      ],
    })
    expect(await replyText(model, userRequest('hi'))).toBe('hello')
    expect(await replyText(model, userRequest('Delete it'))).toBe('deleting')
    expect(await replyText(model, userRequest('x', { messages: [called, result('denied by a hook', true)] }))).toBe(
      'so I may not',
    )
  })

  test('a result is answered until the user writes again, as after a canceled call', async () => {
    const play = (...later: Message[]) => {
      const messages = [userRequest('run one').messages[0]!, called, result('Canceled by the user.', true), ...later]
      return collect(rehearse(defaultScript).stream(userRequest('', { messages, tools: [shell] }), never))
    }
    expect(callsOf(await play())).toEqual([])
    expect(callsOf(await play({ role: 'user', content: 'run two' }))).toMatchObject([{ input: { command: 'two' } }])
  })

  test('`repeat` says how often', async () => {
    const model = rehearse({ turns: [{ say: 'again', repeat: 2 }], default: { say: 'done' } })
    expect([
      await replyText(model, userRequest('')),
      await replyText(model, userRequest('')),
      await replyText(model, userRequest('')),
    ]).toEqual(['again', 'again', 'done'])
    const always = rehearse({ turns: [{ say: 'ever', repeat: true }] })
    for (let round = 0; round < 5; round++) expect(await replyText(always, userRequest(''))).toBe('ever')
  })

  test('every condition looks at its own', async () => {
    const request = userRequest('question', {
      system: 'You are a pirate.',
      messages: [
        { role: 'system', content: "Today's date: 2026-11-15" },
        { role: 'user', content: 'question' },
        called,
        result('42 files'),
        { role: 'system', content: 'Try again: the tests fail.' },
      ],
      tools: [shell],
      agent: 'root',
    })
    const holds = async (when: object) =>
      (await replyText(rehearse({ turns: [{ when, say: 'yes' }], default: { say: 'no' } }), request)) === 'yes'
    for (const when of [
      { user: 'quest' },
      { last: 'tests fail' },
      { system: 'pirate' },
      { system: 'date: 2026' },
      { anywhere: '42' },
      { tool: 'sh.*' },
      { result: '^42' },
      { failed: false },
      { offered: 'shell' },
      { user: 'q', not: { result: 'denied' } },
    ])
      expect([when, await holds(when)]).toEqual([when, true])
    for (const when of [
      { user: 'tests' },
      { last: 'question' },
      { system: 'question' },
      { tool: 'she' },
      { failed: true },
      { offered: 'fetch' },
      { user: 'question', result: 'denied' },
      { not: { anywhere: 'pirate' } },
      { purpose: 'compaction' },
    ])
      expect([when, await holds(when)]).toEqual([when, false])
  })

  test('a call for another purpose uses up no turn of the conversation', async () => {
    const model = rehearse({ turns: [{ say: 'first' }, { when: { purpose: 'compaction' }, say: 'a summary' }] })
    expect(await replyText(model, userRequest('long story', { purpose: 'compaction' }))).toBe('a summary')
    expect(await replyText(model, userRequest('long story', { purpose: 'compaction' }))).toContain('long story')
    expect(await replyText(model, userRequest('hi'))).toBe('first')
  })

  test('agents have parts of their own, sessions their own course', async () => {
    const model = rehearse({ turns: [{ say: 'I am root' }], agents: { reviewer: { turns: [{ say: 'I review' }] } } })
    expect(await replyText(model, userRequest('', { agent: 'reviewer', session: 'a' }))).toBe('I review')
    expect(await replyText(model, userRequest('', { agent: 'root', session: 'a' }))).toBe('I am root')
    expect(await replyText(model, userRequest('', { agent: 'root', session: 'b' }))).toBe('I am root')
  })

  test('named groups and parts of the request can be used in the answer, and are not filled in twice', async () => {
    const model = rehearse({
      turns: [
        {
          when: { user: 'run (?P<command>.+)' },
          say: 'You said "{{ user }}".',
          call: { tool: 'shell', input: { cmd: '{{ command }}', options: ['{{agent}}'] } },
        },
      ],
    })
    const parts = await collect(model.stream(userRequest('run echo {{ agent }}', { agent: 'root' }), never))
    expect(callsOf(parts)).toEqual([
      { type: 'tool_call', id: 'call_1', name: 'shell', input: { cmd: 'echo {{ agent }}', options: ['root'] } },
    ])
  })

  test('ids of calls never repeat in a session, also one that is resumed', async () => {
    const model = rehearse({ turns: [{ call: [{ tool: 'a' }, { tool: 'b' }], repeat: true }] })
    const ids = async (messages: Message[]) =>
      callsOf(await collect(model.stream(userRequest('', { messages }), never))).map((call) => call.id)
    expect(await ids([])).toEqual(['call_1', 'call_2'])
    expect(await ids([])).toEqual(['call_3', 'call_4'])
    expect(await ids(Array.from({ length: 9 }, () => called))).toEqual(['call_10', 'call_11'])
  })
})

describe('streaming', () => {
  test('the pieces together are the text, whatever it is', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        fc.pre(!text.includes('{{'))
        expect(await replyText(rehearse({ turns: [{ say: text }] }), userRequest('hi'))).toBe(text)
      }),
      { numRuns: 50 },
    ))

  test('the same requests give the same parts', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('run ls', 'read x', 'hello'), { maxLength: 8 }), async (prompts) => {
        const play = async () => {
          const model = rehearse(defaultScript)
          const all = []
          for (const prompt of prompts)
            all.push(await collect(model.stream(userRequest(prompt, { tools: [shell] }), never)))
          return all
        }
        expect(await play()).toEqual(await play())
      }),
      { numRuns: 20 },
    ))

  test('it stops when the signal aborts, also while it waits', async () => {
    const model = rehearse({ turns: [{ say: 'word '.repeat(100) }, { say: 'late', latency_ms: 60_000 }] })
    const stop = new AbortController()
    let pieces = 0
    for await (const part of model.stream(userRequest(''), stop.signal)) {
      expect(part.type).toBe('text')
      if (++pieces === 2) stop.abort()
    }
    expect(pieces).toBe(2)
    const waiting = new AbortController()
    const parts = collect(model.stream(userRequest(''), waiting.signal))
    setImmediate(() => waiting.abort())
    expect(await parts).toEqual([])
  })

  test('a thousand sessions at once do not mix', async () => {
    const model = rehearse({ turns: [{ say: '1 {{ user }}' }, { say: '2 {{ user }}' }, { say: '3 {{ user }}' }] })
    const course = async (session: string) => {
      const all = []
      for (let turn = 0; turn < 3; turn++) all.push(await replyText(model, userRequest(session, { session })))
      return all
    }
    const sessions = Array.from({ length: 1_000 }, (_, index) => `session ${index}`)
    const courses = await Promise.all(sessions.map(course))
    expect(courses).toEqual(sessions.map((name) => [`1 ${name}`, `2 ${name}`, `3 ${name}`]))
  })
})

describe('what it costs and how it fails', () => {
  test('it is free unless it has a price, and reports an estimate unless the script sets usage', async () => {
    const free = finishOf(await collect(rehearse({ turns: [{ say: 'hello' }] }).stream(userRequest('hi'), never)))
    expect(free).toMatchObject({ usage: { input_tokens: 5, output_tokens: 2 }, cost: 0 })
    const turns = [
      { usage: { input_tokens: 1_000_000, output_tokens: 100_000 } },
      { usage: false as const },
      { cost: 7 },
    ]
    const priced = rehearse({ price: { input: 3, output: 15 }, turns })
    expect(finishOf(await collect(priced.stream(userRequest(''), never)))).toMatchObject({ cost: 4.5 })
    expect(finishOf(await collect(priced.stream(userRequest(''), never)))).toEqual({ type: 'finish' })
    expect(finishOf(await collect(priced.stream(userRequest(''), never)))).toMatchObject({ cost: 7 })
  })

  test('what does not fit is an overflow, without a word in the script', async () => {
    const model = rehearse({ context_limit: 100, turns: [{ say: 'fits' }] })
    await expect(replyText(model, userRequest('x'.repeat(500)))).rejects.toMatchObject({ kind: 'overflow' })
    expect(await replyText(model, userRequest('short'))).toBe('fits')
  })

  test('it fails as scripted, at once or after some text', async () => {
    const model = rehearse({
      turns: [{ fail: { kind: 'rate-limit', retry_after_ms: 20 } }, { say: 'half an ', fail: 'unavailable' }],
    })
    const failed = await replyText(model, userRequest('')).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ModelError)
    expect(failed).toMatchObject({ kind: 'rate-limit', retryAfterMs: 20 })
    const received: unknown[] = []
    const broken = (async () => {
      for await (const part of model.stream(userRequest(''), never)) received.push(part)
    })()
    await expect(broken).rejects.toMatchObject({ kind: 'unavailable' })
    expect(received).toEqual([{ type: 'text', text: 'half an ' }])
  })
})

describe('a script in a file', () => {
  const read = async (yaml: string) => {
    const parsed = await parseConfig(yaml, 'tour.yaml')
    if (!parsed.ok) throw new Error(parsed.problem.message)
    return readRehearsal(parsed.document, parsed)
  }

  test('is played like one in code', async () => {
    const { rehearsal } = await read(
      'rehearsal: 1\nname: tour\nturns:\n  - when: { user: hello }\n    say: Hi!\n    call: { tool: think, input: { thought: hm } }\n',
    )
    const model = playRehearsal(rehearsal!)
    expect(model.id).toBe('rehearsal/tour')
    expect(await replyText(model, userRequest('hello'))).toBe('Hi!')
  })

  test.each([
    ['rehearsal: 2\n', 'tour.yaml:1:1', 'must be'],
    ['turns: []\n', 'tour.yaml:1:1', 'Write `rehearsal: 1`.'],
    ['rehearsal: 1\nturns:\n  - says: hi\n', 'tour.yaml:3:5', 'Did you mean `say`'],
    ['rehearsal: 1\nturns:\n  - when: { user: "(?=x)" }\n', 'tour.yaml:3:13', 'look-ahead'],
    ['rehearsal: 1\nturns:\n  - when: { usr: x }\n', 'tour.yaml:3:13', 'Did you mean `user`'],
    ['rehearsal: 1\nturns:\n  - say: "{{ usr }}"\n', 'tour.yaml:3:5', 'Did you mean `user`'],
    ['rehearsal: 1\nturns:\n  - fail: ratelimit\n', 'tour.yaml:3:5', 'rate-limit'],
    ['rehearsal: 1\nturns:\n  - repeat: 0\n', 'tour.yaml:3:5', 'repeat'],
  ])('%j is refused at its place', async (yaml, place, words) => {
    const { rehearsal, problems } = await read(yaml)
    expect(rehearsal).toBeUndefined()
    const [{ where, message, remedy }] = problems as [(typeof problems)[number]]
    expect(`${where!.file}:${where!.line}:${where!.column}`).toBe(place)
    expect(`${message} ${remedy}`).toContain(words)
  })
})

test('the default script introduces itself, calls the offered tools, and shows their results', async () => {
  const model = rehearse(defaultScript)
  expect(await replyText(model, userRequest('hello'))).toContain('rehearsal model')
  const parts = await collect(model.stream(userRequest('run rm -rf build', { tools: [shell] }), never))
  expect(callsOf(parts)).toMatchObject([{ name: 'shell', input: { command: 'rm -rf build' } }])
  expect(await replyText(model, userRequest('run ls'))).toContain('rehearsal model')
  const refused = userRequest('', { messages: [called, result('Blocked: it deletes files.', true)], tools: [shell] })
  expect(await replyText(model, refused)).toContain('Blocked: it deletes files.')
})
