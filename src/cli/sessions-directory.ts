import { join } from 'node:path'
import { defaultDataDir } from '../executors/kit/index.ts'

/** Where the agent's sessions are kept, for this person. */
export const sessionsDirectory = (): string => join(defaultDataDir(), 'sessions')
