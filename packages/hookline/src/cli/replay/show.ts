import type { Outcome } from '../../core/index.ts'
import { cut, idOf, millis, oneLine, subjectOf, wordFor } from '../text/entries.ts'
import { printable } from '../text/inspection.ts'
import { count, indent, wrap } from '../text/layout.ts'
import type { Colour, Paint } from '../text/paint.ts'
import { type Changed, type Kind, kinds, type Replayed } from './replay.ts'

const signs: Record<Kind, { sign: string; colour: Colour }> = {
  blocked: { sign: '✖', colour: 'red' },
  asked: { sign: '?', colour: 'yellow' },
  allowed: { sign: '✔', colour: 'green' },
  unruled: { sign: '·', colour: 'yellow' },
  rewritten: { sign: '~', colour: 'cyan' },
  context: { sign: '+', colour: 'cyan' },
  reason: { sign: '"', colour: 'dim' },
}

export function showReplay(result: Replayed, file: string, paint: Paint, width: number): string[] {
  const { replayed, unchanged, from, to, counts } = result
  if (from === undefined) return []
  const days = `from ${from.slice(0, 16).replace('T', ' ')} to ${to?.slice(0, 16).replace('T', ' ')}`
  const groups = (Object.keys(kinds) as Kind[]).filter((kind) => counts.has(kind))
  return [
    `${paint.bold(`Replayed ${count(replayed, 'dispatch', 'dispatches')}`)} of ${file}, ${days}.`,
    '',
    ...groups.flatMap((kind) => [...showGroup(kind, result, paint, width), '']),
    groups.length > 0
      ? `${count(unchanged, 'dispatch', 'dispatches')} unchanged.`
      : replayed > 0
        ? `${paint.green('✔')} Nothing would change.`
        : 'So it is unknown what would change.',
    ...caveats(result).flatMap((line) => ['', ...wrap(line, width)]),
  ]
}

function showGroup(kind: Kind, { counts, changed }: Replayed, paint: Paint, width: number): string[] {
  const { sign, colour } = signs[kind]
  const own = changed.filter((each) => each.kind === kind)
  const total = counts.get(kind) ?? 0
  const more = total - own.length
  return [
    `${paint[colour](sign)} ${paint.bold(`${total.toLocaleString('en')} ${kinds[kind]}`)}`,
    ...own.flatMap((each) => indent(showChange(each, paint, width - 2), 2)),
    ...(more > 0 ? [paint.dim(`  … ${more.toLocaleString('en')} more; --json has them all`)] : []),
  ]
}

function showChange(each: Changed, paint: Paint, width: number): string[] {
  const { entry, kind, by, rules, reason, doubts } = each
  const isRuling = kind !== 'rewritten' && kind !== 'context' && kind !== 'reason'
  const room = width === Number.POSITIVE_INFINITY ? 200 : Math.max(20, width - 30)
  const ruling = isRuling ? `${wordFor(each.before as Outcome)} → ${wordFor(each.after as Outcome)}` : ''
  const who =
    by.length > 0 && isRuling
      ? `${(rules.length > 0 ? rules.slice(0, 1) : by).map(printable).join(', ')}: ${oneLine(reason)}`
      : ''
  return [
    [paint.dim(idOf(entry).padStart(6)), entry.event, cut(subjectOf(entry), room), paint.bold(ruling)]
      .filter(Boolean)
      .join('  '),
    ...indent(
      [
        ...(who === '' ? [] : [cut(who, width - 8)]),
        ...(isRuling
          ? []
          : [
              paint.red(cut(oneLine(`- ${each.before}`), width - 8)),
              paint.green(cut(oneLine(`+ ${each.after}`), width - 8)),
            ]),
        ...(doubts.length > 0 ? [paint.yellow(cut(`uncertain: ${doubts.join(', ')}`, width - 8))] : []),
      ],
      8,
    ),
  ]
}

/** What was not found out, and what to do about it. */
function caveats(result: Replayed): string[] {
  const { notReplayed, impossible, doubtful } = result
  const slow = slower(result)
  return [
    ...(notReplayed.size > 0
      ? [
          `Not replayed, because they act or look at the world and the journal has no answer of the hook as it is now: ${[
            ...notReplayed,
          ]
            .map(([id, times]) => `${printable(id)} (${times.toLocaleString('en')} ×)`)
            .join(', ')}. They count as having no opinion. → \`--run ${[...notReplayed.keys()][0]}\` runs one.`,
        ]
      : []),
    ...[...impossible].map(
      ([why, times]) =>
        `${count(times, 'entry', 'entries')} could not be replayed: ${printable(why).replace(/\.$/, '')}.`,
    ),
    ...(doubtful > 0
      ? [
          `Of the unchanged, ${doubtful.toLocaleString('en')} had secrets removed or long texts clipped; with them, the verdict might change.`,
        ]
      : []),
    ...slow.map(
      ({ hook, before, after }) =>
        `Slower: ${printable(hook)} took ${millis(after)} where it had taken ${millis(before)} (p50).`,
    ),
  ]
}

/** Only if it takes twice as long, and long enough to be felt. */
function slower({ durations }: Replayed): { hook: string; before: number; after: number }[] {
  return [...durations].flatMap(([hook, { before, after }]) => {
    const [was, is] = [before.at(0.5) ?? 0, after.at(0.5) ?? 0]
    return is > 2 * was && is - was > 20 ? [{ hook, before: was, after: is }] : []
  })
}

export function replayAsJson(result: Replayed) {
  const { from = null, to = null, replayed, unchanged, doubtful, counts, changed, notReplayed, impossible } = result
  return {
    from,
    to,
    replayed,
    unchanged,
    doubtful,
    counts: Object.fromEntries((Object.keys(kinds) as Kind[]).map((kind) => [kind, counts.get(kind) ?? 0])),
    changes: changed.map(({ entry, kind, before, after, by, rules, reason, doubts }) => ({
      ...{ seq: entry.seq ?? null, time: entry.time, event: entry.event, session_id: entry.session_id ?? null },
      ...{ host: entry.host ?? null, project: entry.project ?? null },
      ...{ about: subjectOf(entry), kind, before, after, by, rules, reason, doubts },
    })),
    not_replayed: Object.fromEntries(notReplayed),
    impossible: Object.fromEntries(impossible),
    slower: slower(result).map(({ hook, before, after }) => ({ hook, before_ms: before, after_ms: after })),
  }
}
