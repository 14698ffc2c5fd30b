import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { echo } from '../../../hookline/test/support/agent.ts'
import fc from '../../../hookline/test/support/property.ts'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import { stages } from '../../../hookline/test/support/stages.ts'
import type { Message } from '../../src/core/model.ts'
import type { SessionRecord } from '../../src/core/session.ts'
import {
  exportMarkdown,
  findSession,
  holdSession,
  listSessions,
  openSessionLog,
  readSession,
  removeSession,
  transcriptOf,
} from '../../src/sessions/index.ts'

const stage = stages()
const begun = (id: string, more: Partial<Extract<SessionRecord, { type: 'session' }>> = {}): SessionRecord => ({
  type: 'session',
  id,
  started: '2026-01-01T00:00:00.000Z',
  cwd: '/work',
  agent: 'root',
  version: 1,
  ...more,
})
const messageRecord = (message: Message): SessionRecord => ({ type: 'message', message })
const user = (content: string) => messageRecord({ role: 'user', content })
const calls = (...ids: string[]) =>
  messageRecord({ role: 'assistant', content: '', tool_calls: ids.map((id) => ({ id, name: 'shell', input: {} })) })
const result = (id: string) =>
  messageRecord({ role: 'tool', tool_call_id: id, tool_name: 'shell', content: `result of ${id}` })

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\nb', '\u2028', '\r', '{"type":"ended"}', '𝒳'),
)
const anyRecord = fc.oneof(
  anyText.map(user),
  anyText.map((content): SessionRecord => ({ type: 'context', content })),
  fc.constant<SessionRecord>({ type: 'usage', model: 'm', usage: { input_tokens: 1 }, cost: 0.5 }),
)

/** Writes a session and gives back its file. */
function write(directory: string, id: string, records: readonly SessionRecord[]): string {
  const log = openSessionLog(directory, id)
  for (const record of records) log.append(record)
  return join(directory, `${id}.jsonl`)
}

describe('the store', () => {
  it('an empty lock file, left by a process that died while it made it, does not block a session', () => {
    const directory = scratch()
    write(directory, 's1', [begun('s1')])
    writeFileSync(join(directory, 's1.jsonl.lock'), '')
    holdSession(directory, 's1')()
  })

  it('arguments of a call are kept as hooks left them, and never as the model wrote them', async () => {
    const directory = scratch()
    const one = await stage({
      turns: [{ call: { tool: 'echo', input: { text: 'hunter2' } } }],
      tools: [echo],
      sessionId: 's1',
      openLog: async (id) => openSessionLog(directory, id),
      prepare: (hooks) =>
        void hooks.on('pre_tool_use', () => ({ rewrite: { mode: 'merge', value: { text: '[REDACTED]' } } })),
    })
    await one.agent.prompt('go')
    expect(readFileSync(join(directory, 's1.jsonl'), 'utf8')).not.toContain('hunter2')
    const { messages } = transcriptOf(await readSession(directory, 's1'))
    expect(messages.find(({ role }) => role === 'assistant')).toMatchObject({
      tool_calls: [{ name: 'echo', input: { text: '[REDACTED]' } }],
    })
    expect(exportMarkdown(await readSession(directory, 's1'))).toContain('[REDACTED]')
  })

  it('thoughts of the model are kept without secrets: no hook has seen them', async () => {
    const directory = scratch()
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const one = await stage({
      turns: [{ think: `The token is ${secret}, so I use it.`, call: { tool: 'echo', input: { text: 'x' } } }],
      tools: [echo],
      sessionId: 's1',
      openLog: async (id) => openSessionLog(directory, id),
    })
    await one.agent.prompt('go')
    const kept = readFileSync(join(directory, 's1.jsonl'), 'utf8')
    expect(kept).toContain('so I use it')
    expect(kept).not.toContain(secret)
  })

  it('what a provider wants back is kept whole, or not at all where a secret is in it', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const records: SessionRecord[] = []
    const signed = (text: string) => ({ google: { thoughtSignature: 'CiQB0e2Kb5xw', text } })
    let calls = 0
    const one = await stage({
      tools: [echo],
      sessionId: 's1',
      openLog: async () => ({
        append: (record) => void records.push(record),
        flush: async () => {},
        close: async () => {},
      }),
      through: (model) => ({
        ...model,
        async *stream(request, signal) {
          calls += 1
          if (calls > 1) return yield* model.stream(request, signal)
          yield { type: 'tool_call', id: 'a', name: 'echo', input: { text: 'x' }, provider: signed('nothing') }
          yield { type: 'tool_call', id: 'b', name: 'echo', input: { text: 'y' }, provider: signed(secret) }
          yield { type: 'finish' }
        },
      }),
    })
    await one.agent.prompt('go')
    const message = records.flatMap((record) => (record.type === 'message' ? [record.message] : []))
    expect(message.find(({ role }) => role === 'assistant')).toMatchObject({
      tool_calls: [{ id: 'a', provider: signed('nothing') }, { id: 'b' }],
    })
    expect(JSON.stringify(records)).not.toContain(secret)
  })

  it('arguments that cannot be read are not kept: no hook has seen them', async () => {
    const directory = scratch()
    const one = await stage({
      turns: [{ call: { tool: 'echo', invalid: '{"text": "hunter2' } }],
      tools: [echo],
      sessionId: 's1',
      openLog: async (id) => openSessionLog(directory, id),
      prepare: (hooks) => void hooks.on('post_tool_use', () => ({ rewrite: { mode: 'replace', value: 'unreadable' } })),
    })
    await one.agent.prompt('go')
    expect(readFileSync(join(directory, 's1.jsonl'), 'utf8')).not.toContain('hunter2')
  })

  it('what is appended is read back, whatever its text', async () => {
    const directory = scratch()
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { maxLength: 8 }), async (records) => {
        const id = `s${++count}`
        write(directory, id, [begun(id), ...records])
        expect(await readSession(directory, id)).toEqual([begun(id), ...records])
      }),
      { numRuns: 60 },
    )
  })

  it('a session cut at any byte keeps every record before the cut, and goes on', async () => {
    const directory = scratch()
    const records = [begun('cut'), user('Größe 𝒳'), calls('a'), result('a')]
    const size = statSync(write(directory, 'cut', records)).size
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: JSON.stringify(records[0]).length, max: size }), async (at) => {
        await removeSession(directory, 'cut')
        const file = write(directory, 'cut', records)
        const text = readFileSync(file)
        truncateSync(file, at)
        const whole = text.subarray(0, at).toString('utf8').split('\n')
        const kept = text[at] === 0x0a ? whole.length : whole.length - 1
        write(directory, 'cut', [user('again')])
        expect(await readSession(directory, 'cut')).toEqual([...records.slice(0, kept), user('again')])
      }),
      { numRuns: 60 },
    )
  })

  it('only its owner can read a session', () => {
    const directory = join(scratch(), 'sessions')
    const file = write(directory, 's', [begun('s')])
    expect([statSync(file).mode & 0o777, statSync(directory).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it('an id cannot lead out of the directory', async () => {
    const directory = scratch()
    for (const id of ['../s', '/s', '.s', '', 'a/b', 'a\0b', 'x'.repeat(200)]) {
      expect(() => openSessionLog(directory, id)).toThrow('cannot be the id of a session')
      await expect(readSession(directory, id)).rejects.toThrow()
    }
  })

  it('a session that cannot be kept is one error, and delays nothing', async () => {
    const directory = scratch({ file: '' })
    const errors: Error[] = []
    const log = openSessionLog(join(directory, 'file'), 's', { onError: (error) => errors.push(error) })
    for (const _ of [1, 2, 3]) log.append(begun('s'))
    await log.flush()
    expect(errors).toHaveLength(1)
  })

  it('only one process goes on with a session; one that was killed does not count', () => {
    const directory = join(scratch(), 'sessions')
    const release = holdSession(directory, 's')
    expect(() => holdSession(directory, 's')).toThrow('is going on in another process')
    release()
    holdSession(directory, 's')()
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeFileSync(join(directory, 's.jsonl.lock'), String(pid))
    holdSession(directory, 's')()
    expect(readdirSync(directory)).toEqual([])
  })

  it.runIf(process.platform === 'linux')('a thousand open sessions hold no file open', () => {
    const directory = scratch()
    const before = readdirSync('/proc/self/fd').length
    const logs = Array.from({ length: 1000 }, (_, at) => openSessionLog(directory, `s${at}`))
    for (const [at, log] of logs.entries()) log.append(begun(`s${at}`))
    expect(readdirSync('/proc/self/fd').length - before).toBeLessThan(20)
  })
})

describe('the list', () => {
  it('is of the latest, with title, end and place; sub-agents only when asked for', async () => {
    const directory = scratch()
    const times = { one: 1000, two: 3000, child: 2000 }
    write(directory, 'one', [
      begun('one', { cwd: '/other' }),
      user('  Fix\n the   build '),
      { type: 'ended', at: 'x', reason: 'other' },
    ])
    write(directory, 'two', [begun('two'), user('x'.repeat(100_000))])
    write(directory, 'child', [begun('child', { parent: 'one' })])
    for (const [id, time] of Object.entries(times)) utimesSync(join(directory, `${id}.jsonl`), time, time)
    const ids = async (options = {}) => (await listSessions(directory, options)).map(({ id }) => id)

    expect(await ids()).toEqual(['two', 'one'])
    expect(await ids({ children: true })).toEqual(['two', 'child', 'one'])
    expect(await ids({ limit: 1 })).toEqual(['two'])
    expect(await ids({ cwd: '/other' })).toEqual(['one'])
    const [two, one] = await listSessions(directory)
    expect(one).toMatchObject({ title: 'Fix the build', ended: 'other', cwd: '/other', agent: 'root' })
    expect(two).not.toHaveProperty('ended')
  })

  it('leaves out what is not a session', async () => {
    const directory = scratch({ 'a.jsonl': 'nonsense\n', 'b.jsonl': '', '.c.jsonl': '{}', 'note.txt': 'x' })
    mkdirSync(join(directory, 'd.jsonl'))
    expect(await listSessions(directory)).toEqual([])
    expect(await listSessions(join(directory, 'nowhere'))).toEqual([])
  })

  it('a session is found by the beginning or the last part of its id, if only one is meant', async () => {
    const directory = scratch()
    for (const id of ['abc1', 'abd2-7f', 'ab']) write(directory, id, [begun(id)])
    expect(await findSession(directory, 'abc')).toBe('abc1')
    expect(await findSession(directory, '7f')).toBe('abd2-7f')
    expect(await findSession(directory, 'ab')).toBe('ab')
    await expect(findSession(directory, 'a')).rejects.toThrow('`a` could be several sessions')
    await expect(findSession(directory, 'x')).rejects.toThrow('There is no session `x`')
    await expect(findSession(directory, '')).rejects.toThrow('There is no session')
    await removeSession(directory, 'abc1')
    await expect(readSession(directory, 'abc1')).rejects.toThrow('There is no session `abc1`')
  })
})

describe('what records add up to', () => {
  it('messages since the last summary, context, the active agent and what it cost', () => {
    const records: SessionRecord[] = [
      begun('s'),
      { type: 'context', content: 'Be kind.' },
      user('one'),
      { type: 'usage', model: 'm', usage: { input_tokens: 2, output_tokens: 1 }, cost: 1 },
      user('two'),
      user('three'),
      { type: 'compacted', summary: 'One and two.', kept: 1, reason: 'manual' },
      { type: 'agent', agent: 'writer' },
      { type: 'usage', model: 'm', usage: { input_tokens: 3 } },
      { type: 'ended', at: 'x', reason: 'other' },
      { type: 'resumed', at: 'y' },
    ]
    expect(transcriptOf(records)).toEqual({
      resumed: 1,
      attachments: [],
      session: records[0],
      messages: [{ role: 'user', content: 'three' }],
      summary: 'One and two.',
      context: ['Be kind.'],
      agent: 'writer',
      totals: { usage: { input_tokens: 5, output_tokens: 1 }, cost: 1, calls: 2 },
      ended: undefined,
    })
  })

  it('calls that were cut off are answered honestly, in their place', () => {
    const cut = transcriptOf([begun('s'), calls('a', 'b'), result('a'), user('go on'), calls('c')]).messages
    expect(
      cut.map((message) => (message.role === 'tool' ? [message.tool_call_id, message.error] : message.role)),
    ).toEqual(['assistant', ['a', undefined], ['b', true], 'user', 'assistant', ['c', true]])
  })

  it('every call is followed by exactly one result, and every result by its call, wherever it was cut', () => {
    const anyPart = fc.constantFrom(calls('a'), calls('a', 'b'), result('a'), result('b'), user('x'), {
      type: 'compacted',
      summary: 's',
      kept: 1,
      reason: 'manual',
    } satisfies SessionRecord)
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 12 }), (records) => {
        const open = new Set<string>()
        for (const message of transcriptOf([begun('s'), ...records]).messages) {
          if (message.role === 'tool') expect(open.delete(message.tool_call_id)).toBe(true)
          else expect([...open]).toEqual([])
          if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) open.add(id)
        }
        expect([...open]).toEqual([])
      }),
    )
  })

  it('damaged lines are left out, and the rest is read', async () => {
    const directory = scratch()
    const file = write(directory, 's', [begun('s')])
    const damaged = [
      ...[null, [], 5, {}, { type: 'constructor' }, { type: '__proto__' }],
      { type: 'session' },
      ...[undefined, null, { role: 'weird', content: 'x' }, { role: 'user', content: 5 }].map((message) => ({
        type: 'message',
        message,
      })),
      ...['no', [5], [{ id: 'a' }]].map((tool_calls) =>
        messageRecord({ role: 'assistant', content: '', tool_calls } as never),
      ),
      { type: 'context', content: {} },
      { type: 'usage', usage: null },
      { type: 'usage', usage: { input_tokens: 'many' } },
      { type: 'compacted', summary: 's', kept: '1' },
      { type: 'agent' },
    ]
    appendFileSync(file, damaged.map((each) => `${JSON.stringify(each)}\n`).join(''))
    openSessionLog(directory, 's').append(user('still here'))
    const records = await readSession(directory, 's')
    expect(records).toEqual([begun('s'), user('still here')])
    expect(exportMarkdown(records)).toContain('still here')
    expect(await listSessions(directory)).toMatchObject([{ id: 's', title: 'still here' }])
  })

  it('of a later version, what is known counts', async () => {
    const directory = scratch()
    appendFileSync(write(directory, 's', [begun('s')]), '{"type":"unheard-of"}\n')
    expect(transcriptOf(await readSession(directory, 's')).session?.id).toBe('s')
  })
})

describe('the export', () => {
  it('contains everything in order, and no result can end its own fence', () => {
    const text = exportMarkdown([
      begun('s', { title: 'A title' }),
      user('Do it.'),
      calls('a'),
      messageRecord({ role: 'tool', tool_call_id: 'a', tool_name: 'shell', content: '```\n# not a heading\n```' }),
      messageRecord({ role: 'assistant', content: 'Done.', agent: 'root' }),
      { type: 'ended', at: '2026-01-01', reason: 'other' },
    ])
    expect(text).toContain('````\n```\n# not a heading\n```\n````')
    const order = ['# A title', '## User', 'Do it.', '**shell** returned', '## root', 'Done.', '*Ended'].map((part) =>
      text.indexOf(part),
    )
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order).not.toContain(-1)
  })
})
