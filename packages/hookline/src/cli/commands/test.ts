import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatNote } from '../../core/index.ts'
import { renderJunit } from '../cases/junit.ts'
import { findCaseFiles } from '../cases/read.ts'
import { playCases, type Session } from '../cases/run.ts'
import { nextChange } from '../cases/watch.ts'
import { defineCommand, type Invocation, text, texts, UsageError } from '../command.ts'
import { configOptions } from '../configured.ts'
import { interrupted, onInterrupt } from '../interrupt.ts'
import { trustBy } from '../prepare-hooks.ts'
import { inScratch } from '../scratch.ts'
import { jsonOfSession, showCoverage, showSession } from '../text/cases.ts'
import { paintFor, widthOf } from '../text/paint.ts'
import { progressOn } from '../text/progress.ts'

export const command = defineCommand({
  name: 'test',
  summary: 'Run test cases: given an event, the hooks must decide as expected.',
  usage: 'test [<file>…] [--filter <text>] [--watch] [--trust all] [--json]',
  doc: [
    'Cases are in hookline.test.yaml beside the config, or in .hookline/tests/*.yaml: each has what is `given` (an event, or',
    'several in a row) and what to `expect` (the decision, the rule, the reason, the rewrite, which hooks run). The hooks',
    'of the project run for real, in its directory, with HOOKLINE_SYNTHETIC=1; only approved hooks run, unless you trust',
    'all of them (--trust all). At the end you see which hooks, rules and tests of matchers no case covers.',
    '',
    '  version: 1',
    '  cases:',
    '    - name: force pushes are refused',
    '      given: { tool: shell, command: git push --force }',
    '      expect: { decision: deny, rule: no-force }',
  ].join('\n'),
  options: {
    config: { ...configOptions.config, doc: 'Test this config file, instead of those that the cases belong to.' },
    'config-dialect': configOptions['config-dialect'],
    cwd: { value: 'directory', doc: 'Where hooks run. Default: the directory of the project that the cases are in.' },
    filter: { value: 'text', doc: 'Only cases with this in their names, in any case.' },
    watch: { short: 'w', doc: 'Run them again whenever a case, a config or a script changes. Ctrl+C ends it.' },
    trust: {
      value: 'all|digest',
      multiple: true,
      doc: '`all`: you trust these files. A digest: you trust that hook. Without it, only approved hooks run.',
    },
    junit: { value: 'file', doc: 'Also write the results as JUnit XML.' },
    'coverage-min': { value: 'percent', doc: 'Fail when less than this of hooks and matchers is exercised.' },
    json: { doc: 'Print one JSON object: ok, passed, failed, cases, coverage.' },
  },
  examples: [
    'hookline test',
    'hookline test --watch --filter push',
    'hookline test --trust all --junit report.xml --coverage-min 100',
  ],
  exits: {
    1: 'A case failed, cannot be read, or too little is exercised.',
    64: 'Wrong usage: there are no cases, or no config.',
    [interrupted]: 'Interrupted; nothing is left running.',
  },
  async run(invocation) {
    const { values, errors } = invocation
    const interrupt = onInterrupt()
    try {
      const least = percentage(text(values['coverage-min']), values['filter'] !== undefined)
      for (;;) {
        const start = Date.now()
        const session = await playOnce(invocation, interrupt.signal)
        if (interrupt.signal.aborted) return values['watch'] ? 0 : interrupted
        const code = report(invocation, session, least)
        if (!values['watch']) return code
        errors.write(`\nWatching ${session.files.length} files; Ctrl+C ends it.\n`)
        const list = () => [...session.files, ...caseFiles(invocation)]
        if (!(await nextChange(list, start, interrupt.signal))) return 0
      }
    } finally {
      interrupt.release()
    }
  },
})

async function playOnce(invocation: Invocation, signal: AbortSignal): Promise<Session> {
  const { values, errors } = invocation
  if (caseFiles(invocation).length === 0) throw new UsageError(nothingFound)
  const trust = await trustBy(texts(values['trust']))
  const progress = progressOn(errors)
  try {
    return await inScratch(() =>
      playCases({
        invocation,
        trust,
        filter: text(values['filter']),
        signal,
        progress: (done, of) => progress.show(`Ran ${done} of ${of} cases.`),
      }),
    )
  } finally {
    progress.end()
  }
}

const nothingFound =
  'There are no cases here: neither hookline.test.yaml nor .hookline/tests/*.yaml.\nRun `hookline docs test` for how they are written.'

function caseFiles({ positionals, values }: Invocation): readonly string[] {
  return positionals.length > 0 ? positionals : findCaseFiles(resolve(text(values['cwd']) ?? '.'))
}

function report(invocation: Invocation, session: Session, least: number): number {
  const { values, output, errors } = invocation
  const { outcomes, coverage, problems, notes } = session
  const filter = text(values['filter'])
  if (problems.length === 0 && outcomes.length === 0)
    errors.write(
      filter === undefined ? 'There are no cases in these files.\n' : `No case has "${filter}" in its name.\n`,
    )
  const tooLittle = problems.length === 0 && coverage.percent < least
  const ok = problems.length === 0 && outcomes.length > 0 && outcomes.every((outcome) => outcome.ok) && !tooLittle
  for (const each of notes) errors.write(`${formatNote(each)}\n`)
  if (values['json']) output.write(`${JSON.stringify(jsonOfSession(session, ok), null, 2)}\n`)
  else {
    const [paint, width] = [paintFor(output), widthOf(output)]
    const covered = filter === undefined && problems.length === 0 ? ['', ...showCoverage(coverage, paint, width)] : []
    output.write(`${[...showSession(session, paint, width), ...covered].join('\n')}\n`)
    if (tooLittle) output.write(`${paint.red('✖')} That is less than the ${least} % wanted.\n`)
  }
  const junit = text(values['junit'])
  if (junit !== undefined) writeFileSync(junit, renderJunit(outcomes))
  return ok ? 0 : 1
}

function percentage(given: string | undefined, filtered: boolean): number {
  if (given === undefined) return 0
  if (filtered) throw new UsageError('`--coverage-min` counts all cases: leave out `--filter`.')
  const percent = Number(given.replace(/\s*%$/, ''))
  if (given.trim() === '' || !(percent >= 0 && percent <= 100))
    throw new UsageError(`\`--coverage-min\` takes a percentage, such as 80; not \`${given}\`.`)
  return percent
}
