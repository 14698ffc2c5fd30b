import { join } from 'node:path'
import { dataDirectory } from 'hookline/internal'

/** Where the agent's sessions are kept, for this person. */
export const sessionsDirectory = (): string => join(dataDirectory(), 'sessions')
