/** What the shell guard warns of, by what is at stake. */
import type { Category, Finding } from '../guards/shell/index.ts'
import type { RowName } from './rows.ts'
import type { Stake } from './types.ts'

/** Undefined: nothing is at stake that the table knows. */
type ToRow = (finding: Finding, line: string) => RowName | undefined

const always =
  (row: RowName): ToRow =>
  () =>
    row
const ifHigh =
  (high: RowName, otherwise: RowName | undefined): ToRow =>
  ({ radius }) =>
    radius === 'high' ? high : otherwise

/** Files that are deleted, and what git throws away, are judged by what is there; what that cannot say stands here. */
const table: Readonly<Record<Category, ToRow>> = {
  'fs-delete': ({ at }) => {
    if (at === 'home-child' || at === 'outside') return 'elsewhere'
    return at === undefined || at === 'inside' || at === 'unknown' || at === 'artefact' ? 'unread' : 'vital'
  },
  'fs-overwrite': ifHigh('vital', undefined),
  'fs-modify': () => undefined,
  'fs-permissions': ifHigh('vital', 'flagged'),
  'block-device': always('vital'),
  'git-destroy': always('history'),
  'remote-exec': ifHigh('unseen', 'flagged'),
  'hidden-exec': ifHigh('unseen', 'flagged'),
  exfiltration: ifHigh('credentials', 'flagged'),
  // What may be read and written is a list of its own in `security`; here they are only not forgotten.
  'secret-read': always('flagged'),
  persistence: always('flagged'),
  'self-protection': always('flagged'),
  privilege: ifHigh('flagged', undefined),
  container: (_finding, line) => (isRemote(line) ? 'shared' : 'local'),
  database: (_finding, line) => (isRemote(line) ? 'shared' : 'local'),
  cloud: always('shared'),
  publish: always('shared'),
  process: ifHigh('vital', 'flagged'),
  system: always('flagged'),
  limit: always('unread'),
  unresolved: always('unread'),
}

export function judgeFinding(finding: Finding, line: string): Stake | undefined {
  const row = table[finding.category](finding, line)
  return row && { row, about: finding.category, reason: finding.reason, blamed: finding.blamed }
}

const local =
  /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|0\.0\.0\.0|host\.docker\.internal|\/.*|db|postgres|mysql|redis|mongo)$/i

/** Whether it names a host that is not this machine, or says so in a word. */
function isRemote(line: string): boolean {
  const named = [
    ...line.matchAll(/(?:^|\s)(?:-h\s*|--host(?:name)?[= ]|-H\s*|(?:PG|MYSQL_|REDIS_)HOST=)['"]?([\w.:[\]/-]+)/g),
    ...line.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/(?:[^@\s/'"]*@)?(\[[^\]]+\]|[\w.-]+)/gi),
  ].map((match) => (match[1] as string).replace(/^tcp:\/\//, '').replace(/:\d+$/, ''))
  if (named.some((host) => !local.test(host))) return true
  return /(?:^|[\s_=-])(?:--remote|--linked|prod(?:uction)?|staging)\b/i.test(line)
}
