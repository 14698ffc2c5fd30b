/**
 * A guard in front of any MCP server. `hookline mcp -- npx some-server` is this with a command line.
 * @module
 */

export type { Link, RpcError, RpcId as Id, RpcMessage as Message } from 'hookline/internal'
export { lineLink } from 'hookline/internal'
export { guardMcp, type McpGuard, type McpGuardOptions } from './guard.ts'
export { memoryPins, type Pin, type PinStore, type Pins } from './pins.ts'
