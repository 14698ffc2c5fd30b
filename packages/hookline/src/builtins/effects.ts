import type { Decision, Rewrite } from '../core/index.ts'

export const allow = (reason: string): Decision => ({ ruling: 'allow', reason })
export const ask = (reason: string): Decision => ({ ruling: 'ask', reason })
export const deny = (reason: string): Decision => ({ ruling: 'deny', reason })

export const replaceBy = (value: unknown): Rewrite => ({ mode: 'replace', value })
export const change = (keys: Record<string, unknown>): Rewrite => ({ mode: 'merge', value: keys })
