/**
 * The server as a library: start one beside a program of your own.
 * @module
 */

import type { TurnWorker, WorkerOptions } from './durable/index.ts'

export type {
  Answer,
  Opened,
  OpenQuestion,
  Question,
  Surviving,
  Turn,
  TurnWorker,
  WorkerOptions,
} from './durable/index.ts'
export type { Address, Tls } from './http/listen.ts'
export { type RunningServer, type ServerOptions, startServer } from './server.ts'

/** Runs turns of agents of your own as DBOS workflows, on a PostgreSQL. */
export const startWorker = async (options: WorkerOptions): Promise<TurnWorker> =>
  (await import('./durable/index.ts')).startWorker(options)
