export {
  asDecision,
  columns,
  type Decision,
  type DecisionFilter,
  decisionsByIds,
  findDecisions,
  type Row,
  timesSeen,
} from './query.ts'
export { failedOpenSince, seriesOf, statsOf } from './stats.ts'
export { openTotals, type Totals } from './totals.ts'
