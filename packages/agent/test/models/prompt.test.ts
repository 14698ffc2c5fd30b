import { describe, expect, test } from 'vitest'
import fc from '../../../hookline/test/support/property.ts'
import type { Message } from '../../src/core/model.ts'
import { makePrompt } from '../../src/models/prompt.ts'

const call = (id: string) => ({ id, name: 'shell', input: { cmd: id } })
const result = (id: string, content = `result of ${id}`): Message => ({
  ...{ role: 'tool', tool_call_id: id, tool_name: 'shell' },
  content,
})

const ids = fc.constantFrom('a', 'b', 'c')
const text = fc.string({ maxLength: 5 })
const message: fc.Arbitrary<Message> = fc.oneof(
  text.map((content): Message => ({ role: 'system', content })),
  text.map((content): Message => ({ role: 'user', content })),
  fc
    .record({ content: text, calls: fc.uniqueArray(ids, { maxLength: 3 }) })
    .map(({ content, calls }): Message => ({ role: 'assistant', content, tool_calls: calls.map(call) })),
  ids.map((id) => result(id)),
)

describe('any transcript', () => {
  const transcripts = fc.array(message, { maxLength: 14 })

  test('begins with a user message, and never has two user messages in a row', () =>
    fc.assert(
      fc.property(transcripts, (transcript) => {
        const roles = makePrompt('s', transcript, 'x').messages.map(({ role }) => role)
        expect(roles[0]).toBe('user')
        expect(roles.some((role, index) => role === 'user' && roles[index + 1] === 'user')).toBe(false)
        expect(roles).not.toContain('system')
      }),
    ))

  test('every call is followed at once by its one result, and every result has a call', () =>
    fc.assert(
      fc.property(transcripts, (transcript) => {
        const { messages } = makePrompt('s', transcript, 'x')
        messages.forEach((each, index) => {
          const called = each.role === 'assistant' ? partIds(each.content, 'tool-call') : []
          const next = messages[index + 1]
          const answered = next?.role === 'tool' ? partIds(next.content, 'tool-result') : []
          expect(answered.toSorted()).toEqual(called.toSorted())
        })
      }),
    ))

  test('no message is lost', () =>
    fc.assert(
      fc.property(transcripts, (transcript) => {
        const { instructions, messages } = makePrompt('s', transcript, 'x')
        const all = `${instructions}${JSON.stringify(messages)}`
        for (const { content } of transcript)
          expect(all.includes(content) || all.includes(JSON.stringify(content).slice(1, -1))).toBe(true)
      }),
    ))
})

const partIds = (content: unknown, type: string): string[] =>
  Array.isArray(content)
    ? content.filter((part) => part.type === type).map((part: { toolCallId: string }) => part.toolCallId)
    : []

test('context at the beginning is part of the instructions; later it keeps its place, marked', () => {
  const { instructions, messages } = makePrompt(
    'Be brief.',
    [
      { role: 'system', content: 'A rainy day.' },
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'It is late.' },
    ],
    'x',
  )
  expect(instructions).toBe('Be brief.\n\nA rainy day.')
  expect(messages).toEqual([{ role: 'user', content: 'hi\n\n<context>\nIt is late.\n</context>' }])
})

test('context between a call and its result waits for the result', () => {
  const { messages } = makePrompt(
    '',
    [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
      result('a'),
      { role: 'system', content: 'Hurry.' },
      result('b'),
    ],
    'x',
  )
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('a call without a result gets one that says it was interrupted', () => {
  const { messages } = makePrompt('', [{ role: 'assistant', content: '', tool_calls: [call('a')] }], 'x')
  expect(JSON.stringify(messages.at(-1))).toContain('interrupted')
})

test('what one provider signed is not sent to another', () => {
  const signed = { ...call('a'), provider: { google: { call: { google: { thoughtSignature: 'signed' } } } } }
  const transcript: Message[] = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: '', tool_calls: [signed] },
    result('a'),
  ]
  expect(JSON.stringify(makePrompt('', transcript, 'google'))).toContain('signed')
  expect(JSON.stringify(makePrompt('', transcript, 'anthropic'))).not.toContain('signed')
})

test('pictures of a result go to the model with it; an error is text alone', () => {
  const picture = { name: 'a.png', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  const outputOf = (more: object) => {
    const transcript = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: '', tool_calls: [call('a')] },
      { ...result('a', 'a.png'), attachments: [picture], ...more },
    ] as Message[]
    return makePrompt('', transcript, 'x').messages.at(-1)
  }
  const file = { type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: picture.data } }
  expect(outputOf({})).toMatchObject({
    content: [{ toolCallId: 'a', output: { type: 'content', value: [{ type: 'text', text: 'a.png' }, file] } }],
  })
  expect(outputOf({ error: true })).toMatchObject({ content: [{ output: { type: 'error-text', value: 'a.png' } }] })
})
