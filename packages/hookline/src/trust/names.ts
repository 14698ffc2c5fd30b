import type { Run } from '../core/index.ts'

/** What a hook runs is a name for it too, as in Starchild: its command or its URL stands for every hook that runs it. */
export const isCalled = (name: string, id: string, run: Partial<Run>): boolean =>
  name === id || name === run['command'] || name === run['url']
