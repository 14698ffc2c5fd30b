import { afterAll } from 'vitest'
import type { Executor, WireReply } from '../../src/core/index.ts'
import { createSandboxExecutor, type SandboxSpec } from '../../src/executors/sandbox/index.ts'
import { type CallOptions, makeCall } from '../support/call.ts'

/** Bounds that only the deadline can beat. */
export const endless = { commands: 1_000_000_000, loop_iterations: 1_000_000_000 }

export const executor = createSandboxExecutor()
executor.warm?.([])
afterAll(async () => {
  await executor.close?.()
})

export async function ask(spec: string | SandboxSpec, options: CallOptions = {}, on: Executor<SandboxSpec> = executor) {
  const whole = typeof spec === 'string' ? { command: spec } : spec
  const call = makeCall({ type: 'sandbox', ...whole }, options)
  const reply = (await on.run(whole, call)) as WireReply
  return { ...reply, notes: call.notes, bytes: call.bytes }
}
export const session = (session_id: string): CallOptions => ({ payload: { session_id, tool_name: 'shell' } })
