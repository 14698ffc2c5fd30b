import { builtins } from '../../src/builtins/index.ts'
import type { EventName, Opinion } from '../../src/core/index.ts'
import { makeWorld, play, type RealWorld } from './world.ts'

/** One question to one builtin, in an empty world unless one is given. */
export async function askBuiltin(
  name: string,
  event: EventName,
  payload: Record<string, unknown>,
  args?: unknown,
  world?: RealWorld,
): Promise<Opinion | undefined> {
  const own = world ?? makeWorld()
  try {
    const example = {
      title: '',
      event,
      payload: payload as never,
      expect: undefined,
      ...(args === undefined ? {} : { args }),
    }
    return await play(builtins[name]!, example, own)
  } finally {
    if (!world) own.remove()
  }
}
