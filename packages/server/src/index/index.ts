export { type IndexState, type JournalIndex, openIndex } from './follow.ts'
export { asOcsf } from './ocsf.ts'
export { rowsFor } from './row.ts'
export { type WholeDecision, wholeDecision } from './whole.ts'
