/**
 * A guard in front of any MCP server. `hookline mcp -- npx some-server` is this with a command line.
 * @module
 */
export { guardMcp, type McpGuard, type McpGuardOptions } from './guard.ts'
export { lineLink } from './lines.ts'
export type { Id, Link, Message, RpcError } from './message.ts'
export { memoryPins, type Pin, type PinStore, type Pins } from './pins.ts'
