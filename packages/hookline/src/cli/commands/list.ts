import { isBroken } from '../../config/index.ts'
import { formatNote, type Hook, type Note } from '../../core/index.ts'
import { type Approvable, type Inspection, openTrust } from '../../trust/index.ts'
import type { FileCapability } from '../agent-package.ts'
import { defineCommand } from '../command.ts'
import { configOptions, hookFlags } from '../configured.ts'
import { inspectHooks } from '../inspect-hooks.ts'
import { journalToRead, partsToRead, readingOptions } from '../journal-for.ts'
import { projectAt } from '../log/filters.ts'
import { type Lasts, lastOf } from '../log/last.ts'
import { print, printError, screen } from '../standard.ts'
import { describeMatcher, isInactive, placeOf, printable, showState } from '../text/inspection.ts'
import { ago, columns, count, indent, wrap } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'list',
  summary:
    'List every hook: where it comes from, when it runs, whether it may, when it last ran and how it last failed.',
  usage: 'list [--config <file>] … [--json]',
  doc: [
    'The state of a hook is one of: approved; changed (since it was approved: it does not run); not-approved; refused',
    '(it cannot be approved as it is); vouched (trusted by the program that uses it, or by the administrator). A hook is',
    'unpinned when it runs something that an approval cannot bind to, such as a program found by its name.',
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
    return broken ? 1 : 0
  },
})

/** A file that cannot be read is never "no hooks". */
const brokenConfig =
  'A config is broken: until it is corrected no hook runs, and hosts refuse. `hookline check` shows what is wrong.'

function asData(inspection: Inspection, lasts: Lasts, off: Note | undefined) {
  const last = lasts.of(inspection.hook)
  const { hook } = inspection
  return {
    ...identityOf(inspection),
    event: hook.event,
    matcher: describeMatcher(hook.matcher),
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
  const rows = isTable
    ? asTable(inspections, lasts, paint)
    : inspections.flatMap((each) => asBlock(each, lasts, paint, width))
  const waiting = inspections.filter(({ state }) => state === 'changed' || state === 'not-approved').length
  const them = waiting === 1 ? 'it' : 'them'
  const advice = `${count(waiting, 'hook')} will not run until you approve ${them}: \`hookline approve\`.`
  return [
    ...wrap(off ? switchedOff(inspections) : switchedOn(inspections), width).map(off ? paint.red : String),
    '',
    ...rows,
    ...(waiting > 0 ? ['', ...wrap(advice, width)] : []),
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
const staysOn = (hook: Hook): boolean => hook.origin.layer === 'managed'

function switchedOff(inspections: readonly Inspection[]): string {
  const staying = inspections.filter(({ hook }) => staysOn(hook)).length
  const kept = staying > 0 ? `; the administrator's ${count(staying, 'hook')} stay on` : ''
  return `Hooks are off: ${count(inspections.length - staying, 'hook')} switched off${kept}. \`hookline on\` switches them on.`
}

function switchedOn(inspections: readonly Inspection[]): string {
  const files = new Set(inspections.map(({ hook }) => hook.origin.where?.file))
  return `Hooks are on: ${count(inspections.length, 'hook')} from ${count(files.size, 'file')}.`
}

/** For a program, or a person with a wide screen: one line each. */
function asTable(inspections: readonly Inspection[], lasts: Lasts, paint: Paint): string[] {
  const titles = ['hook', 'event', 'matcher', 'type', 'mode', 'layer', 'from', 'trust', 'last ran', 'last failure']
  const rows = inspections.map((inspection) => {
    const { hook } = inspection
    const { asked, failure } = lastRunOf(hook, lasts)
    const cells = [hook.id, hook.event, describeMatcher(hook.matcher), hook.run.type, modeOf(hook), hook.origin.layer]
    return [...[...cells, placeOf(hook)].map(printable), showState(inspection, paint), asked, printable(failure ?? '–')]
  })
  return columns([titles.map(paint.dim), ...rows])
}

/** On a terminal: the hook and when it runs, and below what is known of it. */
function asBlock(inspection: Inspection, lasts: Lasts, paint: Paint, width: number): string[] {
  const { hook } = inspection
  const { asked, failure } = lastRunOf(hook, lasts)
  const matcher = hook.matcher.length === 0 ? '' : ` when ${describeMatcher(hook.matcher)}`
  const mode = modeOf(hook) === 'enforce' ? '' : paint.yellow(`  ${modeOf(hook)}`)
  const from = `${hook.run.type}, ${hook.origin.layer}, ${placeOf(hook)}`
  const failed = failure === undefined ? '' : paint.yellow(`, ${printable(failure)}`)
  return [
    ...wrap(`${paint.bold(printable(hook.id))}  ${printable(hook.event + matcher)}${mode}`, width),
    ...indent(wrap(`${paint.dim(printable(from))}  ${showState(inspection, paint)}`, width - 2), 2),
    `  ${paint.dim(asked)}${failed}`,
  ]
}

const modeOf = (hook: Hook): string => (hook.enabled ? hook.mode : 'off')

function lastRunOf(hook: Hook, lasts: Lasts): { asked: string; failure?: string } {
  const { asked, failure } = lasts.of(hook)
  const never = lasts.isWhole ? 'never ran' : 'not lately'
  return {
    asked: asked === undefined ? never : `ran ${ago(asked)}`,
    ...(failure && { failure: `failed ${ago(failure.time)} (${failure.kind})` }),
  }
}
