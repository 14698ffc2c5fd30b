import {
  count,
  eventRow,
  type Hook,
  indent,
  type Layer,
  type Note,
  notApproved,
  type Paint,
  printable,
  type Report,
  type Verdict,
  withoutTag,
} from 'hookline/internal'
import { reasonLines } from './reasons.ts'
import { took } from './show.ts'

/** What hooks did, for a person: one block of text for each decision, and one dim line for all that changed nothing. */
export interface Activity {
  /** The hooks of the session, so that a hook without an id of its own is shown by what it runs. */
  setHooks(hooks: readonly Hook[]): void
  /** Hooks of which the person knows that they wait for approval: that they did not run is not said again. */
  setWaiting(ids: readonly string[]): void
  /** Lines to show at once; none when no hook decided, changed or failed. */
  record(verdict: Verdict, milliseconds: number): string[]
  /** How many hooks ran since the last time, in one line; none when no hook ran. */
  summary(): string[]
  /** Hooks that want the person to decide about this call. */
  askers(callId: string): readonly Asker[]
  /** Whether a hook blocked this call, and that was shown. */
  hasBlocked(callId: string): boolean
  /** Whether a text only repeats a reason that was shown with a decision, or with a rewrite. */
  isShown(text: string): boolean
}

export interface Asker {
  hook: string
  reason: string
  /** Of the hook that asks; absent where it is no longer there. */
  layer?: Layer
}

/** Old calls and reasons are dropped: they are needed soon, or never. */
const mostKept = 100

/** `asks`: whether a hook that asks is shown; where the question itself names it, it need not be. */
export function watchHooks(paint: Paint, { asks = true } = {}): Activity {
  let counts = noCounts()
  let hooks: readonly Hook[] = []
  let waiting: readonly string[] = []
  /** A hook that fails every time is shown once in full. */
  const shownFailures = new Set<string>()
  const asking = new Map<string, Asker[]>()
  const blocked = new Set<string>()
  const reasons = new Set<string>()
  /** What hooks have said of their rewrites. */
  const remarks = new Set<string>()

  const once = (line: string): string[] => {
    if (line === '' || shownFailures.has(line)) return []
    shownFailures.add(line)
    return [line]
  }
  const nameOf = (id: string): string => printable(labelOf(id, hooks))
  /** What was shown of a call: the same hooks may judge it again where somebody is asked about it. */
  const shownOf = new Map<string, Set<string>>()
  function isNew(call: unknown, report: Report): boolean {
    if (typeof call !== 'string') return true
    const shown = shownOf.get(call) ?? new Set()
    shownOf.set(call, shown)
    const key = JSON.stringify([namesOf(report, nameOf), report.outcome, reasonOf(report)])
    return !shown.has(key) && Boolean(shown.add(key))
  }

  /** A secret that stays in the transcript is taken out at every call of the model, and that is shown once. */
  const shownRewrites = new Set<string>()
  function isNewRewrite({ event, payload }: Verdict, report: Report): boolean {
    const key = JSON.stringify([payload['tool_use_id'], event, namesOf(report, nameOf), remarkOf(report)])
    return !shownRewrites.has(key) && Boolean(shownRewrites.add(key))
  }

  function remember({ reports, payload, message = [] }: Verdict): void {
    for (const kept of [asking, blocked, reasons, remarks, shownOf]) if (kept.size > mostKept) kept.clear()
    for (const report of reports.filter(isRewrite)) for (const text of report.opinion?.message ?? []) remarks.add(text)
    const deciding = reports.filter(({ outcome, shadow }) => outcome !== undefined && outcome in rulings && !shadow)
    for (const report of deciding) if (reasonOf(report) !== '') reasons.add(reasonOf(report))
    if (deciding.some(({ rules }) => rules)) for (const text of message) reasons.add(text)
    const call = payload['tool_use_id']
    if (typeof call !== 'string') return
    if (deciding.some(({ outcome }) => outcome !== 'ask')) blocked.add(call)
    const askers = deciding.filter(({ outcome }) => outcome === 'ask')
    if (askers.length === 0) return
    const known = asking.get(call) ?? []
    const named = askers
      .map((report): Asker => {
        const layer = hooks.find(({ id }) => id === report.hook)?.origin.layer
        const asker = { hook: namesOf(report, nameOf).join(', '), reason: reasonOf(report) }
        return layer === undefined ? asker : { ...asker, layer }
      })
      .filter(({ hook, reason }) => !known.some((each) => each.hook === hook && each.reason === reason))
    asking.set(call, [...known, ...named])
  }

  return {
    setHooks(known) {
      hooks = known
    },
    setWaiting(ids) {
      waiting = ids
    },
    record(verdict, milliseconds) {
      const reports = verdict.reports.filter((report) => report.asked)
      if (reports.length === 0 && verdict.notes.length === 0) return []
      counts = add(counts, reports, milliseconds)
      remember(verdict)
      const subject = subjectOf(verdict)
      // A note describes a failure better than its report.
      const noted = new Set(verdict.notes.map(({ hook }) => hook))
      const failures = reports.filter((report) => hasFailed(report) && !noted.has(report.hook))
      const known = reports.filter(
        ({ failure, hook }) =>
          isStopped(failure) || (failure?.kind === 'untrusted' && waiting.includes(wholeOf(hook, hooks))),
      )
      const notes = verdict.notes.filter(({ hook }) => !known.some((report) => report.hook === hook))
      return [
        ...showDecisions(
          reports.filter((report) => (asks || !isQuestion(report)) && isNew(verdict.payload['tool_use_id'], report)),
          subject,
          verdict.message,
          nameOf,
          paint,
        ),
        ...showRewrites(
          reports.filter((report) => isRewrite(report) && isNewRewrite(verdict, report)),
          verdict,
          subject,
          nameOf,
          paint,
        ),
        ...failures.flatMap((report) => once(showFailure(report, subject, nameOf, paint))),
        ...notes.flatMap((note) => once(showNote(note, nameOf, paint))),
      ]
    },
    summary() {
      const { ran, spent, ...what } = counts
      counts = noCounts()
      if (ran === 0) return []
      const parts = Object.entries(what).flatMap(([name, times]) => (times > 0 ? [`${times} ${name}`] : []))
      const line = `${count(ran, 'hook')} ran${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
      return [paint.dim(`  · ${line} (${took(spent)})`)]
    },
    askers(callId) {
      const found = asking.get(callId) ?? []
      // Call ids are unique only within a session, so an entry must not survive its question.
      asking.delete(callId)
      return found
    },
    hasBlocked: (callId) => blocked.delete(callId),
    isShown: (text) =>
      remarks.has(text) || [...reasons].some((reason) => text.includes(reason) || text.includes(withoutTag(reason))),
  }
}

const noCounts = () => ({ ran: 0, spent: 0, blocked: 0, asked: 0, rewrote: 0, 'added context': 0, failed: 0 })

function add(counts: ReturnType<typeof noCounts>, reports: readonly Report[], milliseconds: number) {
  const times = (holds: (report: Report) => boolean) => reports.filter(holds).length
  return {
    ran: counts.ran + reports.length,
    spent: counts.spent + milliseconds,
    blocked: counts.blocked + times(({ outcome, shadow }) => !shadow && (outcome === 'deny' || outcome === 'halt')),
    asked: counts.asked + times(({ outcome, shadow }) => !shadow && outcome === 'ask'),
    rewrote: counts.rewrote + times((report) => !report.shadow && isRewrite(report)),
    'added context': counts['added context'] + times(({ opinion }) => opinion?.context !== undefined),
    failed: counts.failed + times(hasFailed),
  }
}

type NameOf = (id: string) => string

/** The person stopped what the hook was at, and knows that. */
const isStopped = (failure: Report['failure']): boolean => failure?.kind === 'aborted'

const hasFailed = ({ failure }: Report): boolean => failure !== undefined && !isStopped(failure)

/** By outcome, strongest first: how a decision is shown. */
const rulings = {
  halt: { mark: '■', colour: 'red', verb: 'stopped the run at' },
  deny: { mark: '✗', colour: 'red', verb: 'blocked' },
  ask: { mark: '?', colour: 'yellow', verb: 'asks about' },
} as const

/** One block for the strongest decision, with all who made it; hooks in shadow mode decide nothing and get a line each. */
function showDecisions(
  reports: readonly Report[],
  subject: string,
  message: readonly string[] | undefined,
  nameOf: NameOf,
  paint: Paint,
): string[] {
  const deciding = reports.filter(({ outcome }) => outcome !== undefined && outcome in rulings)
  const shadows = deciding.filter(({ shadow }) => shadow)
  const outcome = (Object.keys(rulings) as (keyof typeof rulings)[]).find((name) =>
    deciding.some((report) => report.outcome === name && !report.shadow),
  )
  const winners = deciding.filter((report) => report.outcome === outcome && !report.shadow)
  const { mark, colour, verb } = rulings[outcome ?? 'ask']
  return [
    ...(outcome === undefined
      ? []
      : [
          `  ${paint[colour](`${mark} ${joined(winners, nameOf)}`)} ${verb} ${subject}`,
          ...indent([...showReasons(winners, paint), ...ofRules(winners, message)], 4),
        ]),
    ...shadows.flatMap((report) => [
      `  ${paint.dim(`· ${nameOf(report.hook)} would have decided \`${report.outcome}\` on ${subject} (shadow mode)`)}`,
      ...indent(showReasons([report], paint), 4),
    ]),
  ]
}

/** What rules say to the person beyond the reason that the model reads. Its first line names the rule, as the head does. */
const ofRules = (winners: readonly Report[], message: readonly string[] = []): string[] =>
  winners.some(({ rules, outcome }) => rules && outcome !== 'ask')
    ? [...new Set(message.flatMap((text) => printable(text).split('\n').slice(1)))]
    : []

/** Without the tag in front, which is for searching; each reason once. */
const showReasons = (reports: readonly Report[], paint: Paint): string[] =>
  reasonLines(reports.map(reasonForPerson), paint).map((line) => (reports[0]?.shadow ? paint.dim(line) : line))

/** By rule or hook, each with what it says of it. */
function showRewrites(
  rewrote: readonly Report[],
  { event }: Verdict,
  subject: string,
  nameOf: NameOf,
  paint: Paint,
): string[] {
  const [real, shadows] = [rewrote.filter(({ shadow }) => !shadow), rewrote.filter(({ shadow }) => shadow)]
  const what = `${eventRow(event).rewrites} of ${subject}`
  return [
    ...(real.length > 0
      ? [
          `  ${paint.cyan(`~ ${joined(real, nameOf)}`)} rewrote ${what}`,
          ...indent(reasonLines(real.map(remarkOf), paint), 4),
        ]
      : []),
    ...(shadows.length > 0 ? [paint.dim(`  · ${joined(shadows, nameOf)} would rewrite ${what} (shadow mode)`)] : []),
  ]
}

const isRewrite = ({ opinion }: Report): boolean => opinion?.rewrite !== undefined

/** Why a hook rewrote something: its reason, or what it says to the person, without its own name in front. */
const remarkOf = (report: Report): string =>
  reasonOf(report) || (report.opinion?.message ?? []).map((text) => text.replace(/^\w+: /, '')).join('\n')

function showFailure({ failure, hook }: Report, subject: string, nameOf: NameOf, paint: Paint): string {
  if (!failure) return ''
  const remedy = failure.remedy ? paint.dim(` → ${printable(failure.remedy)}`) : ''
  return `  ${paint.red(`! ${nameOf(hook)}`)} failed at ${subject} (${failure.kind}): ${printable(failure.detail)}${remedy}`
}

function showNote({ message, remedy, hook }: Note, nameOf: NameOf, paint: Paint): string {
  const who = hook === undefined ? '' : `${nameOf(hook)}: `
  return `  ${paint.yellow('!')} ${who}${printable(message)} ${paint.dim(`→ ${printable(remedy)}`)}`
}

const joined = (reports: readonly Report[], nameOf: NameOf): string =>
  [...new Set(reports.flatMap((report) => namesOf(report, nameOf)))].join(', ')

/** A list of rules is known by those of its rules that decided; there may be many. */
function namesOf({ hook, rules = [], decidedBy = rules }: Report, nameOf: NameOf): string[] {
  if (decidedBy.length === 0) return [nameOf(hook)]
  const more = decidedBy.length - mostNames
  return [...decidedBy.slice(0, mostNames).map(printable), ...(more > 0 ? [`${more} more rules`] : [])]
}

const mostNames = 3

const isQuestion = ({ outcome, shadow }: Report): boolean => outcome === 'ask' && !shadow

/** What an unapproved project has written stands below it on the screen; the sentence itself is made for the model. */
const reasonForPerson = (report: Report): string =>
  reasonOf(report).replaceAll(notApproved, 'Its own words follow; the agent reads them once the file is approved.')

const reasonOf = ({ opinion }: Report): string => opinion?.halt?.reason ?? opinion?.decision?.reason ?? ''

/** A hook whose id was made for it (`stop_1`) is shown by the built-in that it runs, where that is the same for all of that id. */
function labelOf(given: string, hooks: readonly Hook[]): string {
  const id = wholeOf(given, hooks)
  const named = hooks.filter((hook) => hook.id === id)
  const [name, ...others] = new Set(named.map(({ run }) => (run.type === 'builtin' ? String(run['name']) : id)))
  const isMade = named.some(({ event }) => id.startsWith(`${event}_`) && /_\d+$/.test(id))
  return isMade && name !== undefined && others.length === 0 ? name : id
}

/** The tool that it is about, else the event. */
function subjectOf({ event, payload }: Verdict): string {
  const tool = payload[eventRow(event).subject.tool ?? '']
  return typeof tool === 'string' ? printable(tool) : event
}

/** A hook that is a part of another is known by that one's id. */
const wholeOf = (id: string, hooks: readonly Hook[]): string => hooks.find((hook) => hook.id === id)?.partOf?.id ?? id
