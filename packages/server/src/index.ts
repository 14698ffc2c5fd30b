/**
 * The server as a library: start one beside a program of your own.
 * @module
 */

export {
  type Answer,
  type Opened,
  type OpenQuestion,
  type Question,
  type Surviving,
  startWorker,
  type Turn,
  type TurnWorker,
  type WorkerOptions,
} from './durable/index.ts'
export type { Address, Tls } from './http/listen.ts'
export { type RunningServer, type ServerOptions, startServer } from './server.ts'
