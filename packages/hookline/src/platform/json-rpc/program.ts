import type { Writable } from 'node:stream'
import { type ServerCommand, startServer } from '../server-process.ts'
import { lineLink } from './lines.ts'
import type { Link } from './message.ts'

/** Starts a program that speaks JSON-RPC in lines. What it says on standard error goes to `errors`. */
export async function startLinked(command: ServerCommand, errors: Writable): Promise<Link> {
  const child = await startServer(command)
  child.stderr.pipe(errors, { end: false })
  return lineLink(child.stdout, child.stdin, () => child.stop())
}
