import type { Option } from './command.ts'

/** Options of every command that runs hooks for real. */
export const recordingOptions = {
  journal: { value: 'file', doc: 'Record what happens in this journal, not in the usual one.' },
  'no-journal': { doc: 'Record nothing.' },
} as const satisfies Record<string, Option>

/** Options of every command that reads a journal. */
export const readingOptions = {
  journal: { value: 'file', doc: 'The journal to read. Default: the one in which dispatches are recorded.' },
} as const satisfies Record<string, Option>
