export { type IndexState, type JournalIndex, openIndex } from './follow.ts'
export { asOcsf } from './ocsf.ts'
export { type EntryRows, makeRows } from './row.ts'
export { type WholeDecision, wholeDecision } from './whole.ts'
