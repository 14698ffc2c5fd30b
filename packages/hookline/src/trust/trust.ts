import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  type Dialect,
  type Event,
  type Hook,
  HooklineError,
  isRecord,
  type Note,
  note,
  type Run,
} from '../core/index.ts'
import { homeDirectory, isRootsAlone, realPath, stateDirectory } from '../platform/index.ts'
import { type Approval, type Approvals, type ApprovedBy, openApprovals } from './approvals.ts'
import { changesBetween } from './changes.ts'
import { copiesOf, dropCopies } from './copies.ts'
import { type Approvable, digestOf, isCalled, isDigest, type Subject, subjectOf } from './digest.ts'
import { isRedirected, sha256Of, untrustedWriter } from './files.ts'
import { type PinnedRun, pinnedBy } from './pinned.ts'
import type { Place, UnapprovedPart } from './pins.ts'
import { isOfProject, isTyped, placeOf, type TrustedExecutor } from './place.ts'

/**
 * `vouched`: trusted without an approval, by the program that passed the hook in code, by the administrator of the machine, or by the keys of the fleet.
 * `holds`: nobody has approved it, and it holds all the same, because it only tightens; see `part`.
 */
export type TrustState = 'vouched' | 'approved' | 'holds' | 'changed' | 'not-approved' | 'refused'

/** Everything there is to know about one hook before it may run; or about something else that is approved like one. */
export interface Inspection<T extends Approvable = Hook> {
  hook: T
  state: TrustState
  digest: string
  subject: Subject
  pinned: PinnedRun
  /** The approval that holds. */
  approval?: Approval
  /** The approval of an earlier form of this hook. */
  earlier?: Approval
  /** What has changed since, in words and lines. */
  changes: string[]
  /** What of it holds without an approval. */
  part?: UnapprovedPart
}

export interface TrustOptions {
  home?: string
  /** The directory of the approvals. Default: `$XDG_STATE_HOME/hookline`, else `~/.local/state/hookline`. */
  store?: string
  /** Digests that whoever starts this run trusts, beside what is approved. */
  digests?: readonly string[]
}

/** The answer of the gate's question, see engine/run.ts. */
export type Answer =
  | { trusted: true; run?: Readonly<Record<string, unknown>>; copies?: string; restricted?: true }
  | { trusted: false; detail: string; remedy: string }

export interface Approver {
  readonly store: Approvals
  /** Whether this hook, with the bytes that are there now, may run. Never throws: in doubt, it may not. */
  check(hook: Approvable, place: Place): Answer
  /** The same for the gate, with copies of what it will run: `createHooks({ trust: openTrust().gate })`. */
  gate(hook: Hook, event: Event, dialect: Dialect, executor: TrustedExecutor): Answer
  /** The same in full, for showing. Throws when the approvals cannot be relied on. */
  inspect<T extends Approvable>(hook: T, place: Place): Inspection<T>
  /** The same for many at one moment: the approvals and each config file are looked at once. */
  inspectAll<T extends Approvable>(hooks: readonly { hook: T; place: Place }[]): Inspection<T>[]
  /** Approves these, exactly as they were inspected. `all` are the hooks that are there now. */
  approve(
    inspections: readonly Inspection<Approvable>[],
    all?: readonly Inspection<Approvable>[],
    by?: ApprovedBy,
  ): Promise<void>
  /** Takes approvals back, by id, command or URL (in this file, if one is named) or all. Gives back those that were. */
  revoke(which: 'all' | { ids?: readonly string[]; files?: readonly string[] }): Promise<readonly Approval[]>
  list(): readonly Approval[]
}

export function openTrust({ home, store, digests = [] }: TrustOptions = {}): Approver {
  const usual = home ?? homeDirectory()
  const approvals = openApprovals(store ?? stateDirectory(home))
  const trustedDigests = new Set(digests.filter(isDigest))
  /** A hook that runs nothing but its definition is checked again only when the approvals change. */
  const settled = new WeakMap<Approvable, { stamp: string; answer: Answer }>()

  function inspect<T extends Approvable>(hook: T, place: Place, now = lookNow()): Inspection<T> {
    const pinned = pinnedBy(hook, place)
    const written = hook.origin.where?.file
    const { file, foreign } = written === undefined ? { file: null } : now.configAt(written)
    if (foreign !== undefined) pinned.refused.push(`the config file: ${foreign}`)
    const found = new Found(hook, file, pinned)
    if (needsNoApproval(hook, file)) return found.as('vouched')
    if (hook.origin.layer === 'fleet') {
      pinned.refused.push(...unsigned(hook, pinned))
      return found.as(pinned.refused.length > 0 ? 'refused' : 'vouched')
    }
    if (pinned.refused.length > 0) return found.as('refused')
    if (trustedDigests.size > 0 && trustedDigests.has(found.digest)) return found.as('vouched')
    const known = now.approvals()
    const approval = known.byDigest.size > 0 ? known.byDigest.get(found.digest) : undefined
    if (approval) return found.as('approved', { approval })
    const earlier = known.byId.get(hook.id)?.findLast(({ subject }) => subject.file === file)
    const since = earlier && { earlier, changes: changesBetween(earlier.subject, found.subject, approvals.kept) }
    const part = isOfProject(hook) ? place.withoutApproval?.(hook.run) : undefined
    if (part) return found.as('holds', { ...since, part })
    return since ? found.as('changed', since) : found.as('not-approved')
  }

  /** What many hooks share, read when the first of them needs it. */
  function lookNow() {
    const configs = new Map<string, { file: string; foreign?: string | undefined }>()
    let known: ReturnType<typeof indexed> | undefined
    return {
      configAt(written: string) {
        const seen = configs.get(written)
        if (seen) return seen
        const file = realPath(resolve(written))
        const config = { file, foreign: untrustedWriter(file) }
        configs.set(written, config)
        return config
      },
      approvals() {
        known ??= indexed(approvals.read())
        return known
      },
    }
  }

  function redirected(hook: Approvable, place: Place): boolean {
    const config = hook.origin.where && dirname(resolve(hook.origin.where.file))
    return [place.directory, config].some(
      (each) => each !== undefined && isRedirected(approvals.directory, each, usual),
    )
  }

  function answer(hook: Approvable, place: Place, make: typeof fromCopies): Answer {
    try {
      if (needsNoApproval(hook, null)) return { trusted: true }
      if (redirected(hook, place)) return refusal(note('approvals-inside', { directory: approvals.directory }))
      const stamp = approvals.stamp()
      const known = settled.get(hook)
      if (known && stamp !== undefined && known.stamp === stamp) return known.answer
      const inspection = inspect(hook, place)
      const answer = make(approvals.directory, inspection, answerOf(inspection))
      const { files, programs } = inspection.pinned
      if (stamp !== undefined && files.length + programs.length === 0) settled.set(hook, { stamp, answer })
      return answer
    } catch (error) {
      if (error instanceof HooklineError) return refusal(error.notes[0]!)
      return refusal(note('trust-failed', { detail: error instanceof Error ? error.message : String(error) }))
    }
  }

  return {
    store: approvals,
    check: (hook, place) => answer(hook, place, (_store, _inspection, given) => given),
    gate: (hook, event, dialect, executor) => answer(hook, placeOf(hook, event, dialect, executor), fromCopies),
    inspect: (hook, place) => inspect(hook, place),
    inspectAll(hooks) {
      const now = lookNow()
      return hooks.map(({ hook, place }) => inspect(hook, place, now))
    },
    async approve(inspections, all = inspections, by = 'person') {
      const refused = inspections.find(({ state }) => state === 'refused')
      if (refused)
        throw new HooklineError(
          note('hook-refused', { id: refused.hook.id, detail: refused.pinned.refused.join('; ') }),
        )
      const at = new Date().toISOString()
      const current = new Set(all.map(({ digest }) => digest))
      const added = inspections.map(({ digest, hook, subject }) => ({ digest, id: hook.id, at, by, subject }))
      const digests = new Set(added.map(({ digest }) => digest))
      // An earlier form of the same hook counts no longer, else putting it back would bring back what it did.
      const outdated = (approval: Approval) =>
        digests.has(approval.digest) ||
        (!current.has(approval.digest) &&
          added.some((newer) => newer.subject.file === approval.subject.file && isOfSame(newer, approval)))
      await approvals.update((known) => {
        for (const { subject } of inspections) keepBytes(approvals, subject)
        const gone = known.filter((approval) => outdated(approval) && !digests.has(approval.digest))
        dropCopies(
          approvals.directory,
          gone.map(({ digest }) => digest),
        )
        return [...known.filter((approval) => !outdated(approval)), ...added]
      })
    },
    async revoke(which) {
      const isMeant = ({ id, subject }: Approval) =>
        which === 'all' ||
        ((!which.ids || which.ids.some((name) => isCalled(name, id, runOf(subject)))) &&
          (!which.files || which.files.includes(subject.file ?? '')))
      let revoked: readonly Approval[] = []
      await approvals.update((known) => {
        // Hooks of one bundle share a digest: while one of them is approved, all are.
        const digests = new Set(known.filter(isMeant).map(({ digest }) => digest))
        revoked = known.filter(({ digest }) => digests.has(digest))
        dropCopies(approvals.directory, [...digests])
        return known.filter(({ digest }) => !digests.has(digest))
      })
      return revoked
    },
    list: () => approvals.read(),
  }
}

/** Most of what can be known of a hook is a digest of all it runs: made when somebody needs it. */
class Found<T extends Approvable> implements Inspection<T> {
  state: TrustState = 'not-approved'
  changes: string[] = []
  #subject: Subject | undefined
  #digest: string | undefined
  constructor(
    readonly hook: T,
    readonly file: string | null,
    readonly pinned: PinnedRun,
  ) {}

  get subject(): Subject {
    this.#subject ??= subjectOf(this.hook, this.file, this.pinned)
    return this.#subject
  }

  get digest(): string {
    this.#digest ??= digestOf(this.subject)
    return this.#digest
  }

  as(
    state: TrustState,
    more: Partial<Pick<Inspection, 'approval' | 'earlier' | 'changes' | 'part'>> = {},
  ): Inspection<T> {
    return Object.assign(this, { state }, more)
  }
}

/** The first approval of a digest counts, and the last of an id. */
function indexed(approvals: readonly Approval[]) {
  const byDigest = new Map<string, Approval>()
  const byId = new Map<string, Approval[]>()
  for (const approval of approvals) {
    if (isDigest(approval.digest) && !byDigest.has(approval.digest)) byDigest.set(approval.digest, approval)
    const same = byId.get(approval.id)
    if (same) same.push(approval)
    else byId.set(approval.id, [approval])
  }
  return { byDigest, byId }
}

function answerOf({ state, hook, changes, pinned, part }: Inspection<Approvable>): Answer {
  if (part) return { trusted: true, run: part.run, restricted: true }
  if (state === 'vouched' || state === 'approved') return { trusted: true }
  const { origin } = hook
  const id = hook.partOf?.id ?? hook.id
  const config = origin.where ? ` --config ${origin.where.file}` : ''
  const command = `hookline approve${config} ${id}`
  if (state === 'refused') return refusal(note('hook-refused', { id, detail: pinned.refused.join('; ') }))
  if (state === 'changed')
    return refusal(note('hook-changed', { detail: changes[0]?.replace(/:$/, '') ?? 'its definition', command }))
  return refusal(note('hook-not-approved', { command }))
}

/** What is approved runs from its approved bytes, not from the files that they were read from. */
function fromCopies(store: string, { digest, pinned }: Inspection<Approvable>, answer: Answer): Answer {
  if (!answer.trusted || answer.restricted || !pinned.rewriteToCopies || process.platform === 'win32') return answer
  const { root, copyOf } = copiesOf(store, digest, pinned.files)
  return { trusted: true, run: pinned.rewriteToCopies(copyOf), copies: root }
}

const refusal = ({ message, remedy }: Note): Answer => ({ trusted: false, detail: message, remedy })

/** Hooks in code are the program's own, typed ones the person's; managed ones are root's, and only if nobody else can have written them. */
function needsNoApproval({ origin }: Approvable, file: string | null): boolean {
  if (origin.layer === 'code' || isTyped(origin)) return true
  if (origin.layer !== 'managed' || !origin.where) return false
  const real = file ?? realPath(resolve(origin.where.file))
  return isRootsAlone(real)
}

/** A policy runs what was signed with it, with those bytes; or what lies elsewhere, and only root can have put there. */
function unsigned({ origin: { signed = {} } }: Approvable, { files }: PinnedRun): string[] {
  const beside = new Set(Object.keys(signed).map((path) => dirname(path)))
  return files.flatMap((file) => {
    if ('missing' in file || signed[file.realpath] === file.sha256) return []
    const isForeign = beside.has(dirname(file.realpath)) || !isRootsAlone(file.realpath)
    return isForeign ? [`${file.path} is not what the fleet has signed`] : []
  })
}

/** The same hook, or hooks of the same bundle of ours, which is approved as a whole. */
function isOfSame(one: Approval, other: Approval): boolean {
  const bundle = one.subject.hook['bundle']
  return one.id === other.id || (bundle !== undefined && bundle === other.subject.hook['bundle'])
}

export const runOf = ({ hook }: Subject): Partial<Run> => (isRecord(hook['run']) ? hook['run'] : {})

/** Kept for the next time somebody looks at a change; binaries and large files are known by their digest alone. */
function keepBytes(store: Approvals, { files }: Subject): void {
  for (const file of files) {
    if ('missing' in file || file.size > 256 * 1024) continue
    const bytes = readFileSync(file.realpath)
    if (sha256Of(bytes) === file.sha256 && !bytes.includes(0)) store.keep(file.sha256, bytes)
  }
}
