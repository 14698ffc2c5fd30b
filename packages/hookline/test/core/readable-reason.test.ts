import { describe, expect, it } from 'vitest'
import { readableReason } from '../../src/core/index.ts'
import fc from '../support/property.ts'

describe('a readable reason', () => {
  it.each([
    [
      '[security] this command would erase the disk: mkfs.ext4 /dev/sda1',
      { explanation: 'This command would erase the disk', payload: 'mkfs.ext4 /dev/sda1' },
    ],
    ['a seed phrase was pasted', { explanation: 'A seed phrase was pasted' }],
    ['not now: later', { explanation: 'Not now: later' }],
    ['one file only: config.production.yaml', { explanation: 'One file only', payload: 'config.production.yaml' }],
    ['mkfs /dev/sda1', { explanation: 'Mkfs /dev/sda1' }],
    ['see https://example.com', { explanation: 'See https://example.com' }],
    ['blocked: curl x: y', { explanation: 'Blocked', payload: 'curl x: y' }],
    ['[a] [b] no', { explanation: 'No' }],
    ['[security]', { explanation: '[security]' }],
    ['', { explanation: '' }],
    [': rm -rf /', { explanation: ': rm -rf /' }],
    ['éteint : nothing here', { explanation: 'Éteint', payload: 'nothing here' }],
  ])('%j', (reason, readable) => expect(readableReason(reason)).toEqual(readable))

  it('loses nothing but a tag and blanks', () => {
    fc.assert(
      fc.property(fc.string(), (reason) => {
        const { explanation, payload } = readableReason(`[tag] x${reason}`)
        const whole = payload === undefined ? explanation : `${explanation}: ${payload}`
        expect(whole.replace(/\s/g, '')).toBe(`X${reason}`.replace(/\s/g, ''))
      }),
    )
  })
})
