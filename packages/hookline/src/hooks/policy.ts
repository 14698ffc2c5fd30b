import { type HookIndex, identityOf } from '../engine/index.ts'
import { sha256 } from '../seam/index.ts'

const known = new WeakMap<HookIndex, Promise<string>>()

/**
 * A digest of the hooks and rules that count, in their order: what an approval holds for. The same config gives the same
 * digest on every machine; of a function it holds the source.
 */
export function policyOf(index: HookIndex): Promise<string> {
  const found = known.get(index)
  if (found) return found
  const parts = index.hooks.flatMap(({ hook, position, executor }) =>
    hook.enabled ? [hook.id, identityOf(hook, position, executor), ...sourcesIn(hook.run)] : [],
  )
  const digest = sha256(JSON.stringify(parts))
  known.set(index, digest)
  return digest
}

const sourcesIn = (run: object): string[] =>
  Object.values(run).flatMap((value) => (typeof value === 'function' ? [String(value)] : []))
