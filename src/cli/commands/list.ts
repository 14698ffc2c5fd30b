import { formatNote } from '../../core/index.ts'
import { type Inspection, openTrust } from '../../trust/index.ts'
import { defineCommand } from '../command.ts'
import { configOptions } from '../configured.ts'
import { hookFlags } from '../hook-flags.ts'
import { inspectHooks } from '../inspect-hooks.ts'
import { describeMatcher, isInactive, placeOf, printable, showState } from '../text/inspection.ts'
import { columns, count } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'list',
  summary: 'Every hook: where it comes from, when it is asked, what it runs, and whether it may.',
  usage: 'list [--config <file>] … [--json]',
  doc: [
    'The state of a hook is one of: approved; changed (since it was approved: it does not run); not-approved; refused',
    '(it cannot be approved as it is); vouched (for by the program that uses it, or by the administrator). A hook is',
    'unpinned when it runs something that an approval cannot bind to, such as a program found by its name.',
  ].join('\n'),
  options: {
    ...configOptions,
    ...hookFlags,
    json: { doc: 'Print a list of objects, with digests and the files that would run.' },
  },
  examples: ['hookline list', "hookline list --json | jq '.[].trust'"],
  exits: { 1: 'The config or the approvals could not be read.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, output, errors } = invocation
    const { inspections, notes } = await inspectHooks(openTrust(), invocation, false)
    for (const note of notes) errors.write(`${formatNote(note)}\n`)
    if (values['json']) output.write(`${JSON.stringify(inspections.map(asData), null, 2)}\n`)
    else output.write(`${show(inspections, paintFor(output), widthOf(output)).join('\n')}\n`)
    return 0
  },
})

function asData(inspection: Inspection) {
  const { hook, state, digest, pinned, changes, approval, earlier } = inspection
  return {
    id: hook.id,
    layer: hook.origin.layer,
    file: hook.origin.where?.file ?? null,
    line: hook.origin.where?.line ?? null,
    event: hook.event,
    matcher: describeMatcher(hook.matcher),
    type: hook.run.type,
    mode: hook.mode,
    enabled: hook.enabled,
    trust: state,
    inactive: isInactive(inspection),
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

function show(inspections: readonly Inspection[], paint: Paint, width: number): string[] {
  if (inspections.length === 0) return ['There are no hooks here.']
  const head = ['hook', 'event', 'matcher', 'type', 'mode', 'layer', 'from', 'trust'].map(paint.dim)
  const rows = inspections.map((inspection) => {
    const { hook } = inspection
    const mode = hook.enabled ? hook.mode : 'off'
    const cells = [
      hook.id,
      hook.event,
      describeMatcher(hook.matcher),
      hook.run.type,
      mode,
      hook.origin.layer,
      placeOf(hook),
    ]
    return [...cells.map(printable), showState(inspection, paint)]
  })
  const waiting = inspections.filter(({ state }) => state === 'changed' || state === 'not-approved').length
  const advice =
    waiting > 0
      ? [
          '',
          `${count(waiting, 'hook')} will not run until you approve ${waiting === 1 ? 'it' : 'them'}: \`hookline approve\`.`,
        ]
      : []
  return [...columns([head, ...rows], width), ...advice]
}
