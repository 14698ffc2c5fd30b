import { didYouMean, type Hook } from '../../core/index.ts'
import { asFinding } from '../check/findings.ts'
import { defineCommand, type Invocation, texts, UsageError } from '../command.ts'
import { configOptions, configured, hookFlags } from '../configured.ts'
import { type Doctored, examineHooks } from '../doctor/index.ts'
import { groundOf } from '../hosts/choose.ts'
import { interrupted, onInterrupt } from '../interrupt.ts'
import { trustBy } from '../prepare-hooks.ts'
import { inScratch } from '../scratch.ts'
import { jsonOf, showExaminations } from '../text/examination.ts'
import { paintFor, widthOf } from '../text/paint.ts'
import { progressOn } from '../text/progress.ts'
import { trustOption } from './dispatch.ts'

export const command = defineCommand({
  name: 'doctor',
  summary: 'Prove that each hook works and that each guard blocks.',
  usage: 'doctor [<file>…] [--hook <id>] [--host <name>] [--live] [--trust all] [--json]',
  doc: [
    'Runs every hook: first on an ordinary event that its matcher accepts, then on its canary, which a guard must block.',
    'Built-in guards have theirs; give yours one with `canary:`. Reports hooks that fail, that answer what cannot be read,',
    'that need most of their time-out, that changed since they were approved, or that let their canary through. Each rule',
    'that blocks or asks is tried on something made of what it says; no process runs for that.',
    '',
    'Hooks run on made-up payloads, with HOOKLINE_SYNTHETIC=1, in a copy of the project that is deleted afterwards: what',
    'they write, format or commit there never reaches your files. Links to installed packages, other directories and the',
    'network are as real as ever. A project that is too big to copy is left alone: its hooks are only checked. With --live',
    'they run in the project itself. Hooks that are not approved do not run, and are reported. Builtins change nothing.',
    '',
    'With --host it proves something else: that an agent has loaded the entry of Hookline, as the agent itself says where it',
    'can, and that the line it runs refuses the canary. No model is called for that.',
  ].join('\n'),
  options: {
    ...configOptions,
    ...hookFlags,
    hook: { value: 'id', multiple: true, doc: 'Only this hook.' },
    host: { value: 'name', multiple: true, doc: 'Prove that this agent runs Hookline, instead of proving hooks.' },
    live: { doc: 'Run hooks in the project itself instead of a copy: what they change stays changed.' },
    trust: trustOption,
    models: { doc: 'Call language models too; that costs tokens. Without it, only their settings are checked.' },
    strict: { doc: 'Warnings count as problems too.' },
    json: { doc: 'Print one JSON object: ok, switched_off, ran_in, summary, findings, hooks.' },
  },
  examples: ['hookline doctor', 'hookline doctor --hook no-force-push', 'hookline doctor --trust all --strict --json'],
  exits: {
    1: 'A hook or an agent does not work, a hook is not approved or lets its canary through, or all are switched off; with --strict, also on warnings.',
    64: 'Wrong usage.',
    [interrupted]: 'Interrupted; nothing is left running.',
  },
  async run(invocation) {
    const { values, positionals, output, errors } = invocation
    if (texts(values['host']).length > 0) return proveHost(invocation)
    const { files, cwd, off } = await configured(invocation, positionals)
    const { approver } = await trustBy(texts(values['trust']))
    const interrupt = onInterrupt()
    const progress = progressOn(errors)
    let doctored: Doctored
    try {
      doctored = await inScratch((scratch) =>
        examineHooks({
          files,
          cwd,
          approver,
          live: values['live'] === true,
          scratch,
          choose: (all) => chosen(all, texts(values['hook'])),
          spends: values['models'] === true,
          signal: interrupt.signal,
          progress: (done, of, last) => progress.show(`Ran ${done} of ${of} hooks; the last was ${last.id}.`),
        }),
      )
    } finally {
      progress.end()
      interrupt.release()
    }
    if (interrupt.signal.aborted) return interrupted
    const { examinations } = doctored
    const loading = doctored.notes.map(asFinding)
    const problems = [...loading, ...examinations.flatMap(({ findings }) => findings)]
    const switchedOff = off() !== undefined
    const ok = !switchedOff && !problems.some(({ severity }) => severity === 'error' || values['strict'])
    if (values['json']) {
      const json = { ok, switched_off: switchedOff, ran_in: doctored.where, ...jsonOf(examinations, loading) }
      output.write(`${JSON.stringify(json, null, 2)}\n`)
    } else output.write(`${showExaminations(doctored, loading, paintFor(output), widthOf(output)).join('\n')}\n`)
    return ok ? 0 : 1
  },
})

async function proveHost({ values, output }: Invocation): Promise<number> {
  const { jsonOfProofs, proveHosts, showProofs } = await import('../doctor/hosts.ts')
  const proofs = await proveHosts(texts(values['host']), groundOf(values))
  if (values['json']) output.write(`${JSON.stringify(jsonOfProofs(proofs), null, 2)}\n`)
  else output.write(`${showProofs(proofs, paintFor(output), widthOf(output)).join('\n')}\n`)
  return proofs.every(({ ok }) => ok) ? 0 : 1
}

function chosen(all: readonly Hook[], ids: readonly string[]): readonly Hook[] {
  const known = all.map(({ id }) => id)
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown !== undefined)
    throw new UsageError(
      `There is no hook \`${unknown}\`.${didYouMean(unknown, known)} There are: ${known.join(', ')}.`,
    )
  return ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id))
}
