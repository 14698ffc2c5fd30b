export { type IndexState, type JournalIndex, openIndex } from './follow.ts'
export { asOcsf } from './ocsf.ts'
export {
  type Decision,
  type DecisionFilter,
  decisionsByIds,
  findDecisions,
  type WholeDecision,
  wholeDecision,
} from './query.ts'
export { rowsFor } from './row.ts'
export { failedOpenSince, seriesOf, statsOf } from './stats.ts'
