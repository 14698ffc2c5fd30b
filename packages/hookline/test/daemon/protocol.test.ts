import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeAnswer,
  decodeCall,
  encodeAnswer,
  encodeCall,
  encodeFrame,
  FrameError,
  frameReader,
} from '../../src/daemon/index.ts'

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))

describe('frames', () => {
  it('arrive whole and in order, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 40 })), (bodies, cuts) => {
        const stream = Buffer.concat(bodies.map((body) => encodeFrame('message', body)))
        const read = frameReader()
        const found: Buffer[] = []
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const step = cuts[turn % Math.max(1, cuts.length)] ?? stream.length
          found.push(...read(stream.subarray(at, at + step)).map(({ body }) => body))
          at += step
        }
        expect(found.map(String)).toEqual(bodies.map(String))
      }),
      { numRuns: 50 },
    )
  })

  it('a call comes back as it was sent', () => {
    const variables = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), fc.stringMatching(/^[^\0]{0,20}$/u))
    fc.assert(
      fc.property(variables, bytes, (env, payload) => {
        const call = {
          ...{ engine: '0.2.0-a', host: 'claude', event: 'pre_tool_use', deadlineMs: 50_000 },
          ...{ cwd: '/a b', directory: '1:2', umask: 0o022, env: { ...env }, payload },
        }
        const got = decodeCall(encodeCall(call))
        expect({ ...got, env: { ...got.env } }).toEqual(call)
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    ['another beginning', 'XX\x01\x05\0\0\0\0'],
    ['another version', 'HL\x02\x05\0\0\0\0'],
    ['a kind nobody knows', 'HL\x01\x63\0\0\0\0'],
    ['more than anybody sends', 'HL\x01\x05\xff\xff\xff\xff'],
  ])('%s is no frame', (_what, text) => {
    expect(() => frameReader()(Buffer.from(text, 'latin1'))).toThrow(FrameError)
  })

  it('an answer that is cut off is none', () => {
    const whole = encodeAnswer({ exit: 0, stdout: '{}', stderr: '' })
    for (let length = 0; length < whole.length; length++)
      expect(() => decodeAnswer(whole.subarray(0, length))).toThrow(FrameError)
    expect(decodeAnswer(whole)).toEqual({ exit: 0, stdout: '{}', stderr: '' })
  })
})
