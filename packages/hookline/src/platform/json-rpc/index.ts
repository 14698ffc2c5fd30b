/** JSON-RPC 2.0 for guards that stand between two programs: messages, lines, and requests that wait for their response. */
export { lineLink } from './lines.ts'
export * from './message.ts'
export { makePeer, type Peer } from './peer.ts'
export { startLinked } from './program.ts'
