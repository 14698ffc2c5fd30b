import type { Look } from '../rules/index.ts'

const look: Look = { home: '/' }

/** Nothing can be looked at: what depends on it stays unknown, and unknown is never milder. */
export const lookDuring = (_event: object): Look => look
