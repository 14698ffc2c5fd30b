import { randomBytes } from 'node:crypto'

/** When it began, so that people and file lists can sort it; and a part that is short enough to type. */
export function newSessionId(now = new Date()): string {
  const [date = '', time = ''] = now.toISOString().split('T')
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${randomBytes(3).toString('hex')}`
}
