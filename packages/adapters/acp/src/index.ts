/**
 * A guard between an editor and an ACP agent. `hookline acp -- some-agent` is this with a command line.
 * @module
 */

export { type Link, lineLink } from 'hookline/internal'
export { type AcpGuard, type AcpGuardOptions, guardAcp } from './guard.ts'
