import type { Audience, Profile } from '../core/index.ts'
import type { Radius } from '../guards/shell/index.ts'

/** `snapshot`: the files are kept first, then it passes; where they cannot be kept, it is refused. */
export type Answer = 'pass' | 'ask' | 'snapshot' | 'deny'

interface Row {
  /** What is at stake, for the documentation and for people. */
  doc: string
  answers: { readonly [A in Audience]: Answer }
  /** How far it reaches, for the badge of a question. */
  radius: Radius
  /** The profile `strict` refuses it. */
  strict?: true
}

const pass = { person: 'pass', waiting: 'pass', nobody: 'pass' } as const
// A question that can wait is asked: whoever carries it keeps it until somebody comes.
const asks = { person: 'ask', waiting: 'ask', nobody: 'deny' } as const
const never = { person: 'deny', waiting: 'deny', nobody: 'deny' } as const

/** What is at stake, and what follows, by who can be asked. From the mildest to the gravest. */
export const rows = {
  nothing: { doc: 'nothing that is there', answers: pass, radius: 'low' },
  scratch: { doc: 'scratch files, as under /tmp', answers: pass, radius: 'low' },
  regenerable: { doc: 'what is made again: node_modules, dist, caches', answers: pass, radius: 'low' },
  committed: { doc: 'files that are committed: git brings them back', answers: pass, radius: 'low' },
  lease: { doc: 'a branch of your own, pushed with --force-with-lease', answers: pass, radius: 'low' },
  uncommitted: {
    doc: 'files that are not tracked, or have changes that are not committed',
    answers: { person: 'ask', waiting: 'snapshot', nobody: 'snapshot' },
    radius: 'high',
  },
  ignored: {
    doc: 'ignored files that nothing makes again: .env.local, databases, keys',
    answers: asks,
    radius: 'high',
  },
  elsewhere: { doc: 'files outside the workspace', answers: asks, radius: 'high' },
  flagged: { doc: 'something else that the shell guard warns of', answers: asks, radius: 'medium' },
  history: { doc: 'history that may be nowhere else: forced pushes, branches, stashes', answers: asks, radius: 'high' },
  local: { doc: 'data on this machine: a database, volumes', answers: asks, radius: 'high' },
  shared: {
    doc: 'what others share: a protected branch, a remote database, cloud, cluster, registry',
    answers: asks,
    radius: 'high',
    strict: true,
  },
  unread: { doc: 'it could not be read, so anything', answers: asks, radius: 'unknown' },
  unseen: { doc: 'code that nobody has seen runs: downloaded, or hidden', answers: never, radius: 'high' },
  vital: { doc: 'the workspace as a whole, .git, a home directory, the system, disks', answers: never, radius: 'high' },
  credentials: { doc: 'credentials leave this machine', answers: never, radius: 'high' },
} as const satisfies Record<string, Row>

export type RowName = keyof typeof rows
export const rowNames = Object.keys(rows) as RowName[]

/** The default, by what is at stake. `watch` decides as `default` does; that it only watches is said where its hooks are. */
export function answerFor(name: RowName, audience: Audience, profile: Profile = 'default'): Answer {
  const { answers, strict }: Row = rows[name]
  if (profile === 'strict' && strict) return 'deny'
  return answers[profile === 'ci' ? 'nobody' : audience]
}
