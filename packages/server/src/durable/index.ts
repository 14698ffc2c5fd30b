export type { Answer, OpenQuestion, Question } from './questions.ts'
export type { SessionRecord } from './tables.ts'
export type { Opened, Surviving, Turn } from './turn.ts'
export { startWorker, type TurnWorker, turnFormat, type WorkerOptions } from './worker.ts'
