import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { files } from './files.ts'
import { exclusive } from './lock.ts'

/** What builtins remember, by builtin and session. */
export interface State {
  recall(shelf: string, key: string): Promise<unknown>
  update(shelf: string, key: string, change: (current: unknown) => unknown): Promise<unknown>
}

/** As many sessions as one process is likely to see at once; the one not touched for longest is forgotten. */
const mostShelves = 1_000

/** For a process that lives as long as its sessions. */
export function memoryState(): State {
  const shelves = new Map<string, Map<string, unknown>>()
  const shelfOf = (name: string): Map<string, unknown> => {
    const shelf = shelves.get(name) ?? new Map<string, unknown>()
    shelves.delete(name)
    shelves.set(name, shelf)
    if (shelves.size > mostShelves) shelves.delete(shelves.keys().next().value as string)
    return shelf
  }
  return {
    recall: async (shelf, key) => shelfOf(shelf).get(key),
    async update(shelf, key, change) {
      const value = change(shelfOf(shelf).get(key))
      shelfOf(shelf).set(key, value)
      return value
    },
  }
}

/** For processes that live for one event each: files in a directory, changed under a lock. */
export function fileState(directory: string): State {
  const pathOf = (shelf: string, key: string) => join(directory, `${digest(`${shelf}\0${key}`)}.json`)
  const read = async (path: string): Promise<unknown> => {
    const text = await files.read(path, 16 * 1024 * 1024)
    try {
      return text === undefined ? undefined : (JSON.parse(text) as unknown)
    } catch {
      return undefined
    }
  }
  return {
    recall: (shelf, key) => read(pathOf(shelf, key)),
    async update(shelf, key, change) {
      const path = pathOf(shelf, key)
      return exclusive(path, async () => {
        const value = change(await read(path))
        await files.write(path, JSON.stringify(value))
        return value
      })
    },
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
