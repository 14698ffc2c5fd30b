import { homeDirectory } from '../platform/index.ts'
import { machineLook } from '../platform/look/index.ts'
import type { Look } from '../rules/index.ts'

const looks = new WeakMap<object, Look>()

/**
 * The machine, as it is while one event is judged: rules and builtins see one state of it, and what a call does is found
 * out once for all of them.
 */
export function lookDuring(event: object, home = homeDirectory()): Look {
  const known = looks.get(event)
  if (known && known.home === home) return known
  const look = machineLook({ home })
  looks.set(event, look)
  return look
}
