import { formatWhere } from '../../core/index.ts'
import type { Finding } from '../check/findings.ts'
import { milliseconds, percent } from '../doctor/examine.ts'
import type { Where } from '../doctor/ground.ts'
import type { Doctored } from '../doctor/index.ts'
import type { Examination, Proof } from '../doctor/proof.ts'
import type { RuleProof } from '../doctor/rules.ts'
import { printable } from './inspection.ts'
import { columns, count, wrap } from './layout.ts'
import { showNote } from './notes.ts'
import type { Colour, Paint } from './paint.ts'

const marks: Record<Proof, { sign: string; colour: Colour }> = {
  proven: { sign: '✔', colour: 'green' },
  answers: { sign: '✔', colour: 'green' },
  unproven: { sign: '!', colour: 'yellow' },
  failed: { sign: '✖', colour: 'red' },
  off: { sign: '–', colour: 'dim' },
}

/** One line for each hook; what is wrong stands below, with what to do. */
export function showExaminations(
  { examinations, where }: Pick<Doctored, 'examinations' | 'where'>,
  loading: readonly Finding[],
  paint: Paint,
  width: number,
): string[] {
  const shown = new Set<string>()
  const rows = examinations.flatMap((examination) => {
    const { hook, proof, summary, findings } = examination
    const { sign, colour } = proof !== 'failed' && findings.length > 0 ? marks.unproven : marks[proof]
    const name = paint.bold(printable(hook.id))
    const rules = (examination.rules ?? []).filter(({ rule, where }) => {
      const key = `${rule.id} ${where ? formatWhere(where) : ''}`
      return !shown.has(key) && shown.add(key)
    })
    return [
      [paint[colour](sign), name, hook.event, paint.dim(timing(examination)), printable(summary)],
      ...rules.map((each) => showRuleProof(each, paint)),
    ]
  })
  const findings = gathered([...loading, ...examinations.flatMap((each) => each.findings)])
  const details = findings.flatMap((finding) => showNote(finding, finding.severity, paint, width))
  return [
    ...columns(rows, width),
    ...(details.length > 0 ? ['', ...details] : []),
    ...(details.at(-1) === '' ? [] : ['']),
    summarise(examinations, findings, paint),
    ...(examinations.some(({ runs }) => runs.length > 0) || where.in === 'nowhere'
      ? wrap(ranIn(where), width).map(paint.dim)
      : []),
  ]
}

/** Below its list: the rule, where it is written, and what it was tried on. */
function showRuleProof({ rule, where, proof, summary }: RuleProof, paint: Paint): string[] {
  const { sign, colour } = marks[proof]
  const what = proof === 'unproven' ? `not proven: ${summary}` : summary
  return [
    '',
    `${paint[colour](sign)} ${printable(rule.id)}`,
    paint.dim(where ? formatWhere(where) : ''),
    '',
    printable(what),
  ]
}

function ranIn(where: Where): string {
  if (where.in === 'project')
    return where.live
      ? 'Hooks ran in the project itself (--live): what they changed stays changed.'
      : 'The project itself is untouched: nothing that ran here changes files.'
  if (where.in === 'nowhere')
    return `The project was not copied, because ${where.reason}: hooks that may change files were only checked. To run them in the project itself: \`hookline doctor --live\`.`
  return `Hooks ran in a copy of ${where.root} (${count(where.files, 'file')}); the project itself is untouched.`
}

/** Where nobody has approved several, one sentence is enough for all. */
function gathered(findings: readonly Finding[]): Finding[] {
  const unapproved = findings.filter(({ code }) => code === 'hook-not-approved')
  if (unapproved.length === 0) return [...findings]
  const them = unapproved.length === 1 ? 'it is' : 'they are'
  const message = `${count(unapproved.length, 'hook')} did not run, because ${them} not approved.`
  const remedy = `Approve ${unapproved.length === 1 ? 'it' : 'them'} with \`hookline approve\`, or trust all these files: \`--trust all\`.`
  return [
    ...findings.filter((each) => !unapproved.includes(each)),
    { code: 'hook-not-approved', severity: 'error', message, remedy },
  ]
}

/** The longest of its answers, and which share of its time-out that was. */
function timing({ hook, runs }: Examination): string {
  if (runs.length === 0) return ''
  const longest = Math.max(...runs.map(({ report }) => report.durationMs ?? 0))
  return `${milliseconds(longest)}, ${percent(longest / hook.timeoutMs)} of ${milliseconds(hook.timeoutMs)}`
}

function summarise(examinations: readonly Examination[], findings: readonly Finding[], paint: Paint): string {
  const number = (...proofs: Proof[]) => examinations.filter(({ proof }) => proofs.includes(proof)).length
  const failed = number('failed')
  const parts = [
    `${number('proven')} proven`,
    ...(number('answers') > 0 ? [`${number('answers')} answering`] : []),
    ...(number('unproven') > 0 ? [`${number('unproven')} not proven`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(number('off') > 0 ? [`${number('off')} off`] : []),
  ]
  const wrong = findings.some(({ severity }) => severity === 'error')
  const sign = wrong ? paint.red('✖') : findings.length > 0 ? paint.yellow('!') : paint.green('✔')
  return `${sign} ${count(examinations.length, 'hook')}: ${parts.join(', ')}.`
}

export function jsonOf(examinations: readonly Examination[], loading: readonly Finding[]) {
  const proofs = Object.keys(marks) as Proof[]
  return {
    summary: Object.fromEntries(
      proofs.map((proof) => [proof, examinations.filter((each) => each.proof === proof).length]),
    ),
    findings: loading.map(jsonOfFinding),
    hooks: examinations.map(({ hook, proof, summary, runs, findings, rules }) => ({
      id: hook.id,
      event: hook.event,
      type: hook.run.type,
      layer: hook.origin.layer,
      where: hook.origin.where ? formatWhere(hook.origin.where) : null,
      mode: hook.mode,
      proof,
      summary,
      asked: runs.map(({ canary, payload, report }) => ({
        canary: canary ?? null,
        payload,
        outcome: report.outcome ?? null,
        opinion: report.failure ? null : (report.opinion ?? null),
        failure: report.failure ?? null,
        exit: report.exit ?? null,
        duration_ms: Math.round((report.durationMs ?? 0) * 1000) / 1000,
        share_of_timeout: Number(((report.durationMs ?? 0) / hook.timeoutMs).toFixed(4)),
      })),
      findings: findings.map(jsonOfFinding),
      ...(rules && {
        rules: rules.map(({ rule, where, proof, summary }) => ({
          id: rule.id,
          where: where ? formatWhere(where) : null,
          proof,
          summary,
        })),
      }),
    })),
  }
}

const jsonOfFinding = ({ severity, code, message, remedy, where }: Finding) => ({
  severity,
  code,
  message,
  remedy,
  where: where ? formatWhere(where) : null,
})
