/**
 * The server as a library: start one beside a program of your own.
 * @module
 */
export type { Address, Tls } from './http/listen.ts'
export { type RunningServer, type ServerOptions, startServer } from './server.ts'
