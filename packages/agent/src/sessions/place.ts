import { join } from 'node:path'
import { HooklineError, note } from 'hookline/internal'

/** The file of a session in the directory of all of them. */
export function sessionFile(directory: string, id: string): string {
  if (!isSessionId(id)) throw new HooklineError(note('session-id', { id }))
  return join(directory, `${id}${extension}`)
}

/** Nothing that could lead out of the directory, or be hidden in it. */
export const isSessionId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(id)

export const extension = '.jsonl'
