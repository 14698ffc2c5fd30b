export {
  type Decision,
  type DecisionFilter,
  decisionsByIds,
  findDecisions,
  timesSeen,
} from './query.ts'
export { runsOfHooks } from './runs.ts'
export { failedOpenSince, seriesOf, statsOf } from './stats.ts'
export { openTotals, type Totals } from './totals.ts'
