import { expect, test } from 'vitest'
import { printable, sanitise } from '../../src/core/index.ts'
import fc from '../support/property.ts'

test.each([
  ['plain\ttext\n', 'plain\ttext\n'],
  ['a\r\nb', 'a\nb'],
  ['safe\rrm -rf /', 'saferm -rf /'],
  ['\u001b[1;31mred\u001b[0m', 'red'],
  ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u0007', 'link'],
  ['\u009b31mred\u009d0;t\u009c!', 'red!'],
  ['\u001bPq#0\u001b\\x\u001b(By\u001bcz', 'xyz'],
  ['\u001b]0;never ends', '0;never ends'],
  ['a\u0000b\u0007c\u007fd\u0085e', 'abcde'],
  ['\u202etxt.exe\u202c', 'txt.exe'],
  ['héllo 世界 👩‍👩‍👧', 'héllo 世界 👩‍👩‍👧'],
])('%j becomes %j', (text, clean) => {
  expect(sanitise(text)).toBe(clean)
})

test.each([
  ['family 👩‍👩‍👧 and 🧑🏽‍🚀 and 🏳️‍🌈', 'family 👩‍👩‍👧 and 🧑🏽‍🚀 and 🏳️‍🌈'],
  ['rm\u200d -rf', 'rm\\u{200d} -rf'],
  ['👩\u200d rm', '👩\\u{200d} rm'],
  ['a\u200b\u202eb\u001b[2J\tc', 'a\\u{200b}\\u{202e}b\\u{1b}[2J\tc'],
])('%j is shown as %j: a joiner hides nothing between two pictures, and is seen elsewhere', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('nothing that controls a terminal is left, and cleaning twice changes nothing', () => {
  const piece = fc.oneof(
    fc.constantFrom('\u001b', '[', ']', '\u0007', '\u009b', '\\', '\r', '\n', '2J', '\u202e'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const clean = sanitise(pieces.join(''))
      expect(clean).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(sanitise(clean)).toBe(clean)
    }),
  )
})

test('time is linear in the text, however it is made up', () => {
  for (const piece of ['\u001b]', '\u001b[', '\u001b[0;', '\u009d', '\u001b]x\u001b'])
    expect(sanitise(piece.repeat(200_000)).length).toBeLessThan(1_000_000)
})
