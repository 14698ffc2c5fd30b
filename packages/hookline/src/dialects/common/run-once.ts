import { type Hook, stringifyJson } from '../../core/index.ts'

/**
 * Some systems run a command once for an event, however many of its entries match. So hooks of one event that differ
 * only in when they are asked, or in what they are called, get one key; a hook without such a twin needs none.
 */
export function runTwinsOnce(hooks: readonly Hook[]): Hook[] {
  const keys = hooks.map(keyOf)
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return hooks.map((hook, index) => {
    const key = keys[index]!
    return counts.get(key)! > 1 ? { ...hook, dedupe: key } : hook
  })
}

function keyOf(hook: Hook): string {
  const { id: _id, description: _name, origin: _origin, matcher: _matcher, stage: _stage, ...rest } = hook
  return stringifyJson(Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1)))
}
