import { formatWhere } from '../../core/index.ts'
import { dialectNames } from '../../dialects/index.ts'
import { type Checked, checkFiles, type Finding } from '../check/findings.ts'
import type { Fix } from '../check/fix.ts'
import { defineCommand, text } from '../command.ts'
import { configured } from '../configured.ts'
import { print, screen } from '../standard.ts'
import { count } from '../text/layout.ts'
import { type Paint, paintFor, widthOf } from '../text/paint.ts'

export const command = defineCommand({
  name: 'check',
  summary: 'Find what is wrong with a config, without running any hook.',
  usage: 'check [<file>…] [--fix] [--json]',
  doc: [
    'Tells of unknown events, keys and types, options that do not fit, matchers that can never match, names that are nearly',
    'those of a tool or an argument, ids used twice, hooks that repeat another, builtins on events they are not for, scripts',
    'and programs that are not there, and interpreters that are missing. Each with file:line:column, and what to do.',
    '',
    'Without a file, checks all that count here: of the administrator, of the user, of the project. An error means that a',
    'hook does not do what its config says; a warning, that it may not. A note says which hooks cannot run in the agents',
    'that you or the project evidently use, and is no problem.',
  ].join('\n'),
  options: {
    config: { value: 'file', multiple: true, doc: 'A config to check; the same as naming it without the option.' },
    dialect: { value: 'name', doc: 'Whose config it is, when not plain from the file.', choices: dialectNames },
    cwd: { value: 'directory', doc: 'Where hooks run, and relative paths begin. Default: here.' },
    fix: { doc: 'Correct the spelling of events and keys where only one can be meant; all else stays as it is.' },
    strict: { doc: 'Warnings count as problems too.' },
    json: { doc: 'Print one JSON object: ok, files, hooks, findings, fixed.' },
  },
  examples: ['hookline check', 'hookline check .claude/settings.json --strict', 'hookline check team.yaml --fix'],
  exits: { 1: 'There are errors; with --strict, warnings are enough.', 64: 'Wrong usage.' },
  async run(invocation) {
    const { values, positionals } = invocation
    const { files, cwd } = await configured(invocation, positionals, { dialect: text(values['dialect']), only: true })
    let checked = await checkFiles(files, cwd)
    const fixed: Fix[] = []
    if (values['fix']) {
      const done = await fixAll(checked, () => checkFiles(files, cwd))
      checked = done.checked
      fixed.push(...done.fixed)
    }
    const { findings } = checked
    const failing = findings.filter(
      ({ severity }) => severity === 'error' || (severity === 'warning' && values['strict']),
    )
    if (values['json']) print(`${JSON.stringify(asJson(checked, fixed, failing.length === 0), null, 2)}\n`)
    else {
      const output = screen()
      const paint = paintFor(output)
      const lines = [...fixed.map((fix) => showFix(fix, paint)), ...(await showAll(findings, paint, widthOf(output)))]
      const fixable = findings.length > 0 && !values['fix'] ? await fixableOf(checked) : 0
      print(`${[...lines, summary(checked, fixed.length, fixable, paint)].join('\n')}\n`)
    }
    return failing.length > 0 ? 1 : 0
  },
})

/** One correction can bring the next mistake to light: an entry with an unknown event is not read further. */
async function fixAll(first: Checked, again: () => Promise<Checked>): Promise<{ checked: Checked; fixed: Fix[] }> {
  const { applyFixes, findFixes } = await import('../check/fix.ts')
  const fixed: Fix[] = []
  let checked = first
  for (let round = 0; round < 3; round++) {
    const fixes = await findFixes(checked)
    if (fixes.length === 0) break
    for (const { file } of checked.files) {
      const own = fixes.filter(({ where }) => where.file === file)
      if (own.length > 0) await applyFixes(file, own)
    }
    fixed.push(...fixes)
    checked = await again()
  }
  return { checked, fixed }
}

/** Most files have no problem, and what shows one is then not loaded. */
async function showAll(findings: readonly Finding[], paint: Paint, width: number): Promise<string[]> {
  if (findings.length === 0) return []
  const { showProblem, showRemark } = await import('../text/problems.ts')
  const [notes, problems] = [findings.filter(isNote), findings.filter((finding) => !isNote(finding))]
  return [
    ...problems.flatMap((finding) => showProblem(finding, finding.severity, paint, width)),
    ...notes.flatMap((finding) => showRemark(finding, paint, width)),
  ]
}

async function fixableOf(checked: Checked): Promise<number> {
  const { countFixable, findFixes } = await import('../check/fix.ts')
  return countFixable(checked.findings, await findFixes(checked))
}

function showFix({ where, what, from, to }: Fix, paint: Paint): string {
  return `${paint.bold(formatWhere(where))}  ${paint.green('fixed')}  the ${what} \`${from}\` is now \`${to}\``
}

const isNote = ({ severity }: Finding): boolean => severity === 'note'

function summary(
  { files, hooks, lists, rules, findings: all }: Checked,
  fixed: number,
  fixable: number,
  paint: Paint,
): string {
  const findings = all.filter((finding) => !isNote(finding))
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const done = fixed > 0 ? ` ${count(fixed, 'word')} corrected.` : ''
  const scope = files.length === 1 ? files[0]!.file : `${files.length} files`
  const others = hooks - lists
  const kinds = [others > 0 || rules === 0 ? [count(others, 'hook')] : [], rules > 0 ? [count(rules, 'rule')] : []]
  const what = kinds.flat().join(' and ')
  if (findings.length === 0) return `${paint.green('✔')} ${what} in ${scope}, no problems.${done}`
  const parts = [errors > 0 ? [count(errors, 'error')] : [], warnings > 0 ? [count(warnings, 'warning')] : []].flat()
  const sign = errors > 0 ? paint.red('✖') : paint.yellow('!')
  const hint = fixable > 0 ? ` ${fixable} can be corrected with \`--fix\`.` : ''
  const docs = ` \`hookline docs ${findings[0]!.code}\` says more${findings.length > 1 ? ' about the first' : ''}.`
  return `${sign} ${parts.join(' and ')} in ${scope}.${done}${hint}${docs}`
}

function asJson({ files, hooks, findings }: Checked, fixed: readonly Fix[], ok: boolean) {
  return {
    ok,
    files: files.map(({ file, dialect }) => ({ file, dialect: dialect ?? null })),
    hooks,
    findings: findings.map(({ severity, code, message, remedy, hook, where }) => ({
      severity,
      code,
      message,
      remedy,
      hook: hook ?? null,
      file: where?.file ?? null,
      line: where?.line ?? null,
      column: where?.column ?? null,
    })),
    fixed: fixed.map(({ where: { file, line, column }, what, from, to }) => ({ file, line, column, what, from, to })),
  }
}
