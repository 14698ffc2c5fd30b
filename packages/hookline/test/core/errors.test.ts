import { expect, it } from 'vitest'
import { formatNote, note } from '../../src/core/index.ts'

it('a note that quotes a sentence ends once', () => {
  const message = (detail: string) => note('journal-failed', { detail, lost: 0 }).message
  expect(message('No space is left.')).toBe('The journal could not be written: No space is left.')
  expect(message('no space')).toBe('The journal could not be written: no space.')
})

it('a note that is shown does nothing to the terminal that shows it', () => {
  const message = formatNote(note('config-missing', { file: 'a\u001b[2Jb' }, { hook: 'c\u009bd' }))
  expect(message).toContain('hook "c\\u{9b}d": There is no config file at a\\u{1b}[2Jb.')
})
