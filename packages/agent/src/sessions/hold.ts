import { HooklineError, LockedError, note, takeFileLock } from 'hookline/internal'
import { sessionFile } from './place.ts'

/** Keeps a session to this process while it goes on: two that append to one file would overwrite each other. Returns what releases it. */
export function holdSession(directory: string, id: string): () => void {
  const file = `${sessionFile(directory, id)}.lock`
  try {
    return takeFileLock(file).release
  } catch (error) {
    if (!(error instanceof LockedError)) throw error
    throw new HooklineError(note('session-in-use', { id, pid: error.pid ?? 0, file }))
  }
}
