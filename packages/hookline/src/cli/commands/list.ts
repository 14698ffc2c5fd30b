import { isBroken, isPartlyBroken } from '../../config/index.ts'
import { formatNote, type Hook, isAdministrators, type Note } from '../../core/index.ts'
import { type Approvable, type Inspection, openTrust } from '../../trust/index.ts'
import type { FileCapability } from '../agent-package.ts'
import { isOfRules, rulesIn } from '../cases/rules.ts'
import { defineCommand } from '../command.ts'
import { configOptions, hookFlags } from '../configured.ts'
import { inspectHooks } from '../inspect-hooks.ts'
import { journalToRead, partsToRead } from '../journal-for.ts'
import { readingOptions } from '../journal-options.ts'
import { projectAt } from '../log/filters.ts'
import { type Lasts, lastOf } from '../log/last.ts'
import { print, printError, screen } from '../standard.ts'
import { describeMatcher, isInactive, isWaiting, placeOf, printable, showState } from '../text/inspection.ts'
import { ago, breadth, columns, count, indent, wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'list',
  summary:
    'List every hook: where it comes from, when it runs, whether it may, when it last ran and how it last failed.',
  usage: 'list [--config <file>] … [--json]',
  doc: [
    'The state of a hook is one of: approved; holds (nobody has approved it, and it holds all the same, because it only',
    'tightens); changed (since it was approved: it does not run); not-approved; refused (it cannot be approved as it is);',
    'vouched (trusted by the program that uses it, or by the administrator). A hook is unpinned when it runs something that',
    'an approval cannot bind to, such as a program found by its name.',
    '',
    'When a hook last ran and how it last failed comes from the journal, for the hook as it is now.',
  ].join('\n'),
  options: {
    ...configOptions,
    ...hookFlags,
    ...readingOptions,
    json: { doc: 'Print a list of objects, with digests and the files that would run.' },
  },
  examples: ['hookline list', "hookline list --json | jq '.[].trust'"],
  exits: { 1: 'A config is broken, or the approvals could not be read.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values } = invocation
    const { inspections, brought, notes, cwd, off } = await inspectHooks(openTrust(), invocation, {
      strict: false,
      cached: true,
    })
    for (const note of notes) printError(`${formatNote(note)}\n`)
    const broken = notes.some(isBroken)
    const partly = notes.some(isPartlyBroken)
    const file = await journalToRead(invocation)
    const hooks = inspections.map(({ hook }) => hook)
    const lasts = await lastOf(partsToRead(file), hooks, projectAt(cwd))
    if (values['json'])
      print(
        `${JSON.stringify(
          [...inspections.map((each) => asData(each, lasts, off)), ...brought.map(broughtAsData)],
          null,
          2,
        )}\n`,
      )
    else if (inspections.length > 0 || !broken) {
      const terminal = screen()
      const paint = paintFor(terminal)
      const shown = show(inspections, lasts, off, paint, widthOf(terminal))
      print(`${[...shown, ...showBrought(brought, paint)].join('\n')}\n`)
    }
    if (broken) printError(`${paintFor(process.stderr).red(brokenConfig)}\n`)
    else if (partly) printError(`${paintFor(process.stderr).red(brokenEntry)}\n`)
    return broken || partly ? 1 : 0
  },
})

/** What it runs, in a word: its type, or how many rules. */
const kindOf = (hook: Hook): string => (isOfRules(hook) ? count(rulesIn(hook).length, 'rule') : hook.run.type)

/** A file that cannot be read is never "no hooks". */
const brokenConfig =
  'A config is broken: until it is corrected no hook runs, and hosts refuse. `hookline check` shows what is wrong.'

const brokenEntry =
  'An entry is broken: it does not run, and whatever a broken guard could have matched is refused. `hookline check` shows what is wrong.'

function asData(inspection: Inspection, lasts: Lasts, off: Note | undefined) {
  const last = lasts.of(inspection.hook)
  const { hook } = inspection
  return {
    ...identityOf(inspection),
    event: hook.event,
    matcher: describeMatcher(hook.matcher),
    ...(isOfRules(hook) && { rules: rulesIn(hook).map(({ id }) => id) }),
    mode: hook.mode,
    enabled: hook.enabled,
    inactive: isInactive(inspection),
    switched_off: off !== undefined && !staysOn(hook),
    last_asked: last.asked ?? null,
    last_failure: last.failure ?? null,
    ...trustOf(inspection),
  }
}

/** What an agent file brings beside hooks: it belongs to no event. */
const broughtAsData = (inspection: Inspection<FileCapability>) => ({
  ...identityOf(inspection),
  event: null,
  does: inspection.hook.description,
  ...trustOf(inspection),
})

function identityOf({ hook }: Inspection<Approvable>) {
  return {
    id: hook.id,
    layer: hook.origin.layer,
    file: hook.origin.where?.file ?? null,
    line: hook.origin.where?.line ?? null,
    type: hook.run.type,
  }
}

function trustOf({ state, digest, pinned, changes, approval, earlier }: Inspection<Approvable>) {
  return {
    trust: state,
    unpinned: pinned.unpinned,
    in_place: pinned.inPlace,
    refused: pinned.refused,
    warnings: pinned.warnings,
    changes,
    approved_at: (approval ?? earlier)?.at ?? null,
    approved_by: (approval ?? earlier)?.by ?? null,
    digest,
    files: pinned.files,
    programs: pinned.programs,
  }
}

function show(
  inspections: readonly Inspection[],
  lasts: Lasts,
  off: Note | undefined,
  paint: Paint,
  width: number,
): string[] {
  if (inspections.length === 0) return ['No config here has any hooks. `hookline add` lists what you can add.']
  const isTable = width === Number.POSITIVE_INFINITY
  const rows = isTable ? asTable(inspections, lasts, paint) : asLines(inspections, lasts, paint, width)
  const waiting = inspections.filter(isWaiting)
  const them = waiting.length === 1 ? 'it' : 'them'
  const run = waiting.some(({ state }) => state !== 'holds') ? 'will not run' : 'will not run as a whole'
  const what = waiting.every(({ hook }) => isOfRules(hook)) ? 'list of rules' : 'hook'
  const number =
    what === 'hook' || waiting.length === 1 ? count(waiting.length, what) : `${waiting.length} lists of rules`
  const advice = `${number} ${run} until you approve ${them}: \`hookline approve\`.`
  return [
    ...wrap(off ? switchedOff(inspections) : switchedOn(inspections), width).map(off ? paint.red : String),
    '',
    ...rows,
    ...(waiting.length > 0 ? ['', ...wrap(advice, width)] : []),
  ]
}

/** What the agent files among the configs bring beside hooks. */
function showBrought(brought: readonly Inspection<FileCapability>[], paint: Paint): string[] {
  if (brought.length === 0) return []
  const rows = brought.map((each) => [
    `  ${paint.bold(printable(each.hook.id))}`,
    printable(each.hook.description),
    placeOf(each.hook),
    showState(each, paint),
  ])
  return ['', 'Besides hooks, agent files bring:', ...columns(rows)]
}

/** The administrator's hooks cannot be switched off. */
const staysOn = (hook: Hook): boolean => isAdministrators(hook.origin.layer)

function switchedOff(inspections: readonly Inspection[]): string {
  const staying = inspections.filter(({ hook }) => staysOn(hook)).length
  const kept = staying > 0 ? `; the administrator's ${count(staying, 'hook')} stay on` : ''
  return `Hooks are off: ${count(inspections.length - staying, 'hook')} switched off${kept}. \`hookline on\` switches them on.`
}

function switchedOn(inspections: readonly Inspection[]): string {
  const files = new Set(inspections.map(({ hook }) => hook.origin.where?.file))
  const others = inspections.filter(({ hook }) => !isOfRules(hook))
  const rules = inspections.reduce((sum, { hook }) => sum + rulesIn(hook).length, 0)
  const what = [
    ...(others.length > 0 ? [count(others.length, 'hook')] : []),
    ...(rules > 0 ? [count(rules, 'rule')] : []),
  ]
  const more = rules > 0 ? ' `hookline rules` lists the rules.' : ''
  return `Hooks are on: ${what.join(' and ')} from ${count(files.size, 'file')}.${more}`
}

/** For a program that reads lines: one each, however long. */
function asTable(inspections: readonly Inspection[], lasts: Lasts, paint: Paint): string[] {
  const titles = ['hook', 'event', 'matcher', 'type', 'mode', 'layer', 'from', 'trust', 'last ran', 'last failure']
  const rows = inspections.map((inspection) => {
    const { hook } = inspection
    const { asked, failure } = lastRunOf(hook, lasts)
    const cells = [hook.id, hook.event, describeMatcher(hook.matcher), kindOf(hook), modeOf(hook), hook.origin.layer]
    return [...[...cells, placeOf(hook)].map(printable), showState(inspection, paint), asked, printable(failure ?? '–')]
  })
  return columns([titles.map(paint.dim), ...rows])
}

/** On a terminal, by file: each hook in a line, and below it what is not as usual. */
function asLines(inspections: readonly Inspection[], lasts: Lasts, paint: Paint, width: number): string[] {
  const titleOf = ({ hook }: Inspection) => `${fileOf(hook)} (${hook.origin.layer})`
  const widths = [({ hook }: Inspection) => printable(hook.id), ({ hook }: Inspection) => hook.event].map((cell) =>
    Math.max(...inspections.map((each) => cell(each).length)),
  )
  return [...new Set(inspections.map(titleOf))].flatMap((file, at) => [
    ...(at === 0 ? [] : ['']),
    paint.dim(printable(file)),
    ...inspections
      .filter((each) => titleOf(each) === file)
      .flatMap((each) => indent(asLine(each, lasts, paint, widths, width - 2), 2)),
  ])
}

function asLine(
  inspection: Inspection,
  lasts: Lasts,
  paint: Paint,
  [idWidth = 0, eventWidth = 0]: readonly number[],
  width: number,
): string[] {
  const { hook } = inspection
  const { asked, failure } = lastRunOf(hook, lasts)
  const id = printable(hook.id)
  const head = `${paint.bold(id)}${' '.repeat(idWidth - id.length)}  ${hook.event.padEnd(eventWidth)}`
  const state = `${showState(inspection, paint)}${paint.dim(`, ${asked}`)}`
  const line = `${head}  ${state}`
  const more = detailsOf(hook, failure, paint)
  const below = [...(breadth(line) > width ? [state] : []), ...(more === '' ? [] : [more])]
  return [
    breadth(line) > width ? head.trimEnd() : line,
    ...indent(
      below.flatMap((each) => wrap(each, width - 2)),
      2,
    ),
  ]
}

/** What it runs and when, where that is not what most do; and how it last failed. */
function detailsOf(hook: Hook, failure: string | undefined, paint: Paint): string {
  const { origin, matcher } = hook
  const line = origin.where?.line
  const parts = [
    ...(origin.ours ? [] : [`${line === undefined ? '' : `line ${line}: `}${kindOf(hook)}`]),
    ...(matcher.length === 0 ? [] : [`when ${describeMatcher(matcher)}`]),
  ].map(printable)
  const unusual = [
    ...(modeOf(hook) === 'enforce' ? [] : [modeOf(hook)]),
    ...(failure === undefined ? [] : [printable(failure)]),
  ]
  const shown = [
    parts.length > 0 ? paint.dim(parts.join(' ')) : '',
    unusual.length > 0 ? paint.yellow(unusual.join(', ')) : '',
  ]
  return shown.filter((each) => each !== '').join('  ')
}

const fileOf = (hook: Hook): string => hook.origin.where?.file ?? placeOf(hook)

const modeOf = (hook: Hook): string => (hook.enabled ? hook.mode : 'off')

function lastRunOf(hook: Hook, lasts: Lasts): { asked: string; failure?: string } {
  const { asked, failure } = lasts.of(hook)
  const never = lasts.isWhole ? 'never ran' : 'not lately'
  return {
    asked: asked === undefined ? never : `ran ${ago(asked)}`,
    ...(failure && { failure: `failed ${ago(failure.time)} (${failure.kind})` }),
  }
}
