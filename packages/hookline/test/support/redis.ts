/** As much of a Redis client as the guide uses; the one script it runs is read for what it does. */
export function standInRedis() {
  const values = new Map<string, { text: string; until: number }>()
  const streams = new Map<string, { id: string; message: Record<string, string> }[]>()
  const current = (key: string) => {
    const found = values.get(key)
    return found && found.until > Date.now() ? found.text : undefined
  }
  return {
    get: async (key: string) => current(key) ?? null,
    async eval(_swap: string, { keys, arguments: given }: { keys: string[]; arguments: string[] }) {
      const [key, [before, next, forMs]] = [keys[0]!, given as [string, string, string]]
      if ((current(key) ?? '') !== before) return 0
      if (next === '') values.delete(key)
      else values.set(key, { text: next, until: Date.now() + Number(forMs) })
      return 1
    },
    async xAdd(key: string, _id: string, message: Record<string, string>) {
      const stream = streams.get(key) ?? []
      streams.set(key, stream)
      const id = `${stream.length + 1}-0`
      stream.push({ id, message })
      return id
    },
    async xRange(key: string, start: string, _end: string, { COUNT = 10 }: { COUNT?: number } = {}) {
      const after = start.startsWith('(') ? Number.parseInt(start.slice(1), 10) : 0
      return (streams.get(key) ?? []).filter(({ id }) => Number.parseInt(id, 10) > after).slice(0, COUNT)
    },
  }
}
