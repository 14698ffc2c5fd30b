import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HooklineError, isRecord, note, readPrivate, withFileLock, writePrivate } from 'hookline/internal'
import type { PinStore, Pins } from './pins.ts'

/** Pins of every server of the user, a file each, where only the user writes. */
export function filePins(directory: string): PinStore {
  const fileOf = (server: string) => join(directory, `${encodeURIComponent(server)}.json`)
  const read = (server: string): Pins => {
    const text = readPrivate(fileOf(server))
    return text === undefined ? {} : decode(text, fileOf(server))
  }
  return {
    read: async (server) => read(server),
    update: (server, change) =>
      withFileLock(join(directory, 'lock'), () =>
        writePrivate(directory, fileOf(server), `${JSON.stringify({ version: 1, tools: change(read(server)) })}\n`),
      ),
    async servers() {
      try {
        return readdirSync(directory)
          .filter((name) => name.endsWith('.json'))
          .map((name) => decodeURIComponent(name.slice(0, -'.json'.length)))
      } catch {
        return []
      }
    },
  }
}

function decode(text: string, file: string): Pins {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value) && isRecord(value['tools'])) return value['tools'] as Pins
  } catch {
    // Said below: what is damaged is never taken for "nothing was pinned".
  }
  throw new HooklineError(note('mcp-pins-damaged', { file }))
}
