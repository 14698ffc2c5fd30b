export {
  asDecision,
  columns,
  type Decision,
  type DecisionFilter,
  decisionsByIds,
  findDecisions,
  type Row,
} from './query.ts'
export { failedOpenSince, seriesOf, statsOf } from './stats.ts'
