import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { HooklineError, isAlive, note } from 'hookline/internal'
import { makeDirectory, sessionFile } from './place.ts'

/** Keeps a session to this process while it goes on: two that append to one file would talk past each other. Gives back what lets it go. */
export function holdSession(directory: string, id: string): () => void {
  const file = `${sessionFile(directory, id)}.lock`
  makeDirectory(directory)
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = Number(readFileSync(file, 'utf8'))
      if (attempt > 0 || isAlive(holder)) throw new HooklineError(note('session-in-use', { id, pid: holder, file }))
      // Its process was killed.
      rmSync(file, { force: true })
    }
  }
}
