import { resolve } from 'node:path'
import { type BundleChoice, eventRow, formatWhere, type Hook, type MatchTest, printable } from '../../core/index.ts'
import type { Approvable, ApprovedBy, Inspection, TrustState } from '../../trust/index.ts'
import { isOfRules } from '../cases/rules.ts'
import { columns, indent, wrap } from './layout.ts'
import type { Colour, Paint } from './paint.ts'
import { changedRules, showRulesToApprove } from './rules-to-approve.ts'
import { showContents } from './script-content.ts'

export { printable }

const states: Record<TrustState, { words: string; colour: Colour }> = {
  vouched: { words: 'trusted', colour: 'green' },
  approved: { words: 'approved', colour: 'green' },
  holds: { words: 'holds without approval', colour: 'green' },
  changed: { words: 'changed since it was approved', colour: 'red' },
  'not-approved': { words: 'not approved', colour: 'yellow' },
  refused: { words: 'cannot be approved', colour: 'red' },
}

/** What was approved, and no person was at a terminal. */
const approvers: Record<ApprovedBy, string> = { person: '', self: ' by a program', token: ' by token' }

export function showState(inspection: Inspection<Approvable>, paint: Paint): string {
  const { state, pinned, approval } = inspection
  const { words, colour } = states[state]
  const by = paint.yellow(approvers[approval?.by ?? 'person'])
  const inactive = isInactive(inspection) ? paint.red(', so NOT ACTIVE: it fails open') : ''
  const partly = state === 'holds' && holdsInPart(inspection) ? paint.yellow(', in part') : ''
  return `${paint[colour](words)}${by}${partly}${inactive}${pinned.unpinned.length > 0 ? paint.dim(', unpinned') : ''}`
}

/** Whether a person could approve something here that does not count yet. */
export function isWaiting(inspection: Inspection<Approvable>): boolean {
  const { state } = inspection
  return state === 'changed' || state === 'not-approved' || (state === 'holds' && holdsInPart(inspection))
}

/** Whether all of it counts, and an approval would only let the model read its words. */
export const isOnlyWords = ({ state, part }: Inspection<Approvable>): boolean =>
  state === 'holds' && part?.whole === false && !part.waits

const holdsInPart = ({ part }: Inspection<Approvable>): boolean => part?.waits !== false

/** It stands where a guard that fails denies; but it will not run, and nothing is denied because of that. */
export function isInactive({ hook, state }: Inspection<Approvable>): boolean {
  if (!isHook(hook)) return false
  const runs = state === 'approved' || state === 'vouched' || state === 'holds'
  return !runs && eventRow(hook.event).failure === 'closed' && (hook.onFailure ?? 'closed') !== 'closed'
}

/** Exactly what would run: everything that the approval binds to, and what it cannot bind to. */
export function showInspection(inspection: Inspection<Approvable>, paint: Paint, width: number): string[] {
  const { hook, subject, pinned, digest, earlier, changes } = inspection
  const ofRules = isHook(hook) && isOfRules(hook)
  const rows = [
    ['from', `${placeOf(hook)} (${hook.origin.layer})`],
    ...(subject.file && subject.file !== resolve(hook.origin.where?.file ?? '') ? [['which is', subject.file]] : []),
    ...(hook.origin.ours ? [['bundle', describeChoice(hook.origin.ours)]] : []),
    ...(!isHook(hook)
      ? [['does', `It ${hook.description}.`]]
      : ofRules
        ? []
        : [
            ['event', hook.event],
            ['matcher', describeMatcher(hook.matcher)],
          ]),
    ...Object.entries(hook.run).flatMap(([key, value]) => (ofRules ? [] : [[key, written(value)]])),
    ...Object.entries(hook.env).map(([name, value]) => ['env', `${name}=${value}`]),
    ...(hook.workingDir === undefined ? [] : [['directory', hook.workingDir]]),
    ...(isHook(hook) && !ofRules
      ? [['limits', `${hook.timeoutMs} ms, on failure: ${hook.onFailure ?? 'as the event says'}, mode: ${hook.mode}`]]
      : []),
    ...pinned.files.map((file) => [
      'file',
      'missing' in file
        ? `${file.path}  is not there`
        : `${file.path}${file.realpath === file.path ? '' : ` → ${file.realpath}`}  sha256:${file.sha256}  ${file.size} bytes`,
    ]),
    ...pinned.programs.map(({ name, realpath }) => ['program', `${name} → ${realpath ?? 'not found'}`]),
    ...pinned.unpinned.map((what) => [paint.yellow('unpinned'), what]),
    ...pinned.inPlace.map((what) => [paint.yellow('in place'), what]),
    ...pinned.warnings.map((what) => [paint.yellow('warning'), what]),
    ...pinned.refused.map((what) => [paint.red('refused'), what]),
    ...(inspection.state === 'holds' && !ofRules && holdsInPart(inspection)
      ? [['until then', 'what tightens holds already; it may not allow or add anything, and only you see its words']]
      : []),
    ['digest', digest],
  ].map(([label = '', value = '']) => [label, printable(value)])
  const since = earlier
    ? [
        '',
        paint.bold(`Changed since it was approved on ${earlier.at.slice(0, 16).replace('T', ' ')} UTC:`),
        ...(ofRules ? changedRules(inspection, hook) : changes)
          .flatMap((line) => (ofRules ? wrap(printable(line), width - 4) : [printable(line)]))
          .map((line) => coloured(line, paint)),
      ]
    : // Of a change, the lines that changed are shown; what is new is shown whole.
      showContents(pinned.files)
  return [
    `${paint.bold(printable(hook.id))}: ${showState(inspection, paint)}`,
    ...indent(
      [
        ...columns(rows, width - 2),
        ...(ofRules ? showRulesToApprove(inspection, hook, paint, width - 2) : []),
        ...since,
      ],
      2,
    ),
  ]
}

/** What the approval binds to, in place of what the bundle holds today. */
function describeChoice({ bundle, given, without = [] }: BundleChoice): string {
  const chosen = Object.keys(given).length > 0 ? `, with ${JSON.stringify(given)}` : ''
  const less = without.length > 0 ? `, without ${without.join(', ')}` : ''
  return `${bundle} of Hookline${chosen}${less}: approved as a whole, also after an upgrade`
}

const isHook = (thing: Approvable): thing is Hook => 'event' in thing

export function placeOf({ origin }: Approvable): string {
  if (origin.where) return formatWhere({ ...origin.where })
  return origin.layer === 'session' ? 'the command line' : 'code'
}

export function describeMatcher(tests: readonly MatchTest[]): string {
  if (tests.length === 0) return 'always'
  return tests
    .map(
      ({ facet, path, test, negate }) =>
        `${[facet, ...(path ?? [])].join('.')} ${negate ? 'not ' : ''}${describeTest(test)}`,
    )
    .join(', and ')
}

function describeTest(test: MatchTest['test']): string {
  if ('any' in test) return 'is anything'
  if ('regex' in test) return `${test.whole ? 'is' : 'matches'} /${test.regex}/`
  return `is ${[...test.names, ...(test.prefixes ?? []).map((prefix) => `${prefix}*`)].join(' or ')}`
}

const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function coloured(line: string, paint: Paint): string {
  return line.startsWith('- ') ? paint.red(line) : line.startsWith('+ ') ? paint.green(line) : line
}
