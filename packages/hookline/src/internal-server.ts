/**
 * The part of the door that only @hookline/server goes through: it brings half the command line along, and starts once.
 * @module
 */
export { caseShapes } from './cli/cases/schema.ts'
export { command as doctorCommand } from './cli/commands/doctor.ts'
export { editorFor } from './cli/edit/save.ts'
export { explanationAsJson, foldAsJson, foreseenSteps } from './cli/explain-event.ts'
export { harmless, masked, refusalOf } from './cli/questions/show.ts'
export { replayAsJson } from './cli/replay/show.ts'
export { ruleLine } from './cli/rules/line.ts'
export { hostIn, rowOf } from './cli/watch/rows.ts'
export { answerWords, openQuestions as openBroker } from './daemon/index.ts'
export { startDaemon } from './install/index.ts'
export { hasPassphrase, personAtPage } from './person/index.ts'
