import { describe, expect, test } from 'vitest'
import { kindNames, maskPersonal } from '../../src/builtins/pii-redactor.ts'
import fc from '../support/property.ts'
import { soon } from '../support/soon.ts'

const mask = (text: string) => maskPersonal(text, kindNames).masked

describe('personal data', () => {
  test.each([
    ['mail ada.lovelace+x@engine.co.uk now', 'mail [email removed] now'],
    ['call +1 (415) 555-2671', 'call [phone removed]'],
    ['call (415) 555-2671.', 'call [phone removed].'],
    ['call 415-555-2671', 'call [phone removed]'],
    ['call +49 30 901820', 'call [phone removed]'],
    ['card 4111 1111 1111 1111', 'card [card removed]'],
    ['card 378282246310005', 'card [card removed]'],
    ['IBAN DE89 3704 0044 0532 0130 00', 'IBAN [iban removed]'],
    ['ssn 123-45-6789', 'ssn [ssn removed]'],
  ])('%s becomes %s', (text, expected) => expect(mask(text)).toBe(expected))

  test.each([
    'git@github.com:a/b.git',
    'user@example.com',
    '2026-03-09 12:30:45',
    'v1.2.3.4000 and 10.0.0.1',
    'order 4111 1111 1111 1112',
    'DE89 3704 0044 0532 0130 01',
    'uuid 123e4567-e89b-12d3-a456-426614174000',
    'sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'timestamp 1767225600000',
    'lines 100-200-3000 of 5,000',
    '@scope/package@1.2.3',
  ])('%s stays', (text) => expect(mask(text)).toBe(text))

  test('masking again changes nothing', () => {
    const piece = fc.constantFrom('a@b.io', '+1 415 555 2671', '4111111111111111', ' ', 'x', '-', '1', '@', '.', '+')
    fc.assert(fc.property(fc.array(piece), (pieces) => mask(mask(pieces.join(''))) === mask(pieces.join(''))))
  })

  test('long text takes linear time', () => {
    const started = performance.now()
    for (const piece of ['1', '1 ', 'a.', '+1', 'A1', 'a@', '1-']) mask(piece.repeat(100_000))
    expect(performance.now() - started).toBeLessThan(soon)
  })
})
