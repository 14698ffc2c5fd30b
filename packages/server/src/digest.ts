import { createHash } from 'node:crypto'

/** What is kept of a secret, or of anything long: enough to know it again. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
