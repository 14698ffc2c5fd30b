import { count, eventRow, type Note, type Paint, printable, type Report, type Verdict } from 'hookline/internal'

/** What hooks did, for a person: one quiet line for many that had nothing to say, and a line each for what changed something. */
export interface Activity {
  /** Lines to show at once; none when everybody was quiet. */
  record(verdict: Verdict, milliseconds: number): string[]
  /** What was quiet since the last time, in one line; none when nobody was asked. */
  quiet(): string[]
  /** Hooks that want the person to be asked about this call. */
  askers(callId: string): readonly Asker[]
}

export interface Asker {
  hook: string
  reason: string
}

export function watchHooks(paint: Paint): Activity {
  let [asked, spoke, added, failed, spent] = [0, 0, 0, 0, 0]
  /** A hook that fails every time says so once in full. */
  const shown = new Set<string>()
  const asking = new Map<string, Asker[]>()

  const once = (line: string): string[] => {
    if (shown.has(line)) return []
    shown.add(line)
    return [line]
  }

  return {
    record(verdict, milliseconds) {
      const reports = verdict.reports.filter((report) => report.asked)
      if (reports.length === 0 && verdict.notes.length === 0) return []
      asked += reports.length
      spoke += reports.filter((report) => isLoud(report)).length
      added += reports.filter(({ opinion }) => opinion?.context).length
      failed += reports.filter(({ failure }) => failure).length
      spent += milliseconds
      remember(verdict, asking)
      const what = subjectOf(verdict)
      // A note tells more of a failure than its report.
      const noted = new Set(verdict.notes.map(({ hook }) => hook))
      return [
        ...reports.flatMap((report) => [
          ...loud(report, verdict, what, paint),
          ...(noted.has(report.hook) ? [] : once(failure(report, what, paint)).filter((line) => line !== '')),
        ]),
        ...verdict.notes.flatMap((note) => once(showNote(note, paint))),
      ]
    },
    quiet() {
      if (asked === 0) return []
      const parts = [
        `${asked} asked`,
        ...(added > 0 ? [`${added} added context`] : []),
        ...(spoke > 0 ? [`${spoke} spoke up`] : []),
        ...(failed > 0 ? [count(failed, 'failure')] : []),
        ...(spoke + failed === 0 ? ['all quiet'] : []),
      ]
      const line = paint.dim(`  hooks: ${parts.join(', ')} (${Math.round(spent)} ms)`)
      ;[asked, spoke, added, failed, spent] = [0, 0, 0, 0, 0]
      return [line]
    },
    askers(callId) {
      const found = asking.get(callId) ?? []
      // Ids are unique in a session only: another one's call must not be asked about in this one's name.
      asking.delete(callId)
      return found
    },
  }
}

const rulings = {
  deny: { mark: '✗', colour: 'red', verb: 'denied' },
  ask: { mark: '?', colour: 'yellow', verb: 'asks about' },
  halt: { mark: '■', colour: 'red', verb: 'halts at' },
} as const

const isLoud = ({ opinion, outcome }: Report): boolean =>
  opinion?.rewrite !== undefined || (outcome !== undefined && outcome in rulings)

function loud(report: Report, { event }: Verdict, what: string, paint: Paint): string[] {
  const { opinion, outcome, shadow, hook } = report
  const lines: string[] = []
  const ruling = outcome && outcome in rulings ? rulings[outcome as keyof typeof rulings] : undefined
  const would = shadow ? paint.dim(' (shadow: it would have)') : ''
  if (ruling) {
    const reason = printable(opinion?.halt?.reason ?? opinion?.decision?.reason ?? '')
    lines.push(
      `  ${paint[ruling.colour](`${ruling.mark} ${printable(hook)}`)} ${ruling.verb} ${what}${reason === '' ? '' : `: ${reason}`}${would}`,
    )
  }
  if (opinion?.rewrite)
    lines.push(`  ${paint.cyan(`~ ${printable(hook)}`)} rewrote ${eventRow(event).rewrites} of ${what}${would}`)
  return lines
}

function failure({ failure, hook }: Report, what: string, paint: Paint): string {
  if (!failure) return ''
  const remedy = failure.remedy ? paint.dim(` → ${printable(failure.remedy)}`) : ''
  return `  ${paint.red(`! ${printable(hook)}`)} failed at ${what} (${failure.kind}): ${printable(failure.detail)}${remedy}`
}

function showNote({ message, remedy, hook }: Note, paint: Paint): string {
  const who = hook === undefined ? '' : `${printable(hook)}: `
  return `  ${paint.yellow('!')} ${who}${printable(message)} ${paint.dim(`→ ${printable(remedy)}`)}`
}

/** The tool that it is about, else the event. */
function subjectOf({ event, payload }: Verdict): string {
  const tool = payload[eventRow(event).subject.tool ?? '']
  return typeof tool === 'string' ? printable(tool) : event
}

function remember({ reports, payload }: Verdict, asking: Map<string, Asker[]>): void {
  const call = payload['tool_use_id']
  if (typeof call !== 'string') return
  const found = reports
    .filter(({ outcome, shadow }) => outcome === 'ask' && !shadow)
    .map(({ hook, opinion }) => ({ hook, reason: opinion?.decision?.reason ?? '' }))
  if (found.length === 0) return
  // A call is asked about soon or never: old ones need not be kept.
  if (asking.size > 100) asking.clear()
  asking.set(call, [...(asking.get(call) ?? []), ...found])
}
