import { afterEach, expect } from 'vitest'
import type { Executor, Layer, WireReply } from '../../src/core/index.ts'
import { createHttpExecutor, type HttpSpec } from '../../src/executors/http/index.ts'
import { type CallOptions, makeCall } from '../support/call.ts'

export const json = { 'content-type': 'application/json' }
export const deny = '{"decision":"deny","reason":"no"}'
/** An address that is public as far as anyone can tell, and where nobody is. */
export const nobody = '192.88.98.1'

export const local = (port: number, path = '/', more: Partial<HttpSpec> = {}): HttpSpec => ({
  url: `http://127.0.0.1:${port}${path}`,
  allow_local: true,
  ...more,
})

const open: Executor<HttpSpec>[] = []
afterEach(async () => {
  for (const executor of open.splice(0)) await executor.close?.()
})

type Resolve = NonNullable<Parameters<typeof createHttpExecutor>[0]>['resolve']

export function make(resolve?: Resolve): Executor<HttpSpec> {
  const executor = createHttpExecutor(resolve ? { resolve } : {})
  open.push(executor)
  return executor
}

export async function ask(
  spec: HttpSpec,
  options: CallOptions & { layer?: Layer } = {},
  executor = make(),
): Promise<WireReply> {
  const call = makeCall({ type: 'http', ...spec }, options)
  const hook = { ...call.hook, origin: { layer: options.layer ?? ('code' as const) } }
  return (await executor.run(spec, { ...call, hook })) as WireReply
}

export const failure = (kind: string, message?: RegExp) => ({
  name: 'HookFailure',
  kind,
  ...(message ? { message: expect.stringMatching(message) } : {}),
})
