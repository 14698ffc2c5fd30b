import type { Mismatch } from './judge.ts'
import type { Outcome } from './run.ts'

/** The results as JUnit XML, which every CI server reads: a suite for each file, a test case for each case. */
export function renderJunit(outcomes: readonly Outcome[]): string {
  const files = [...new Set(outcomes.map((outcome) => outcome.case.file))]
  const suites = files.map((file) =>
    suite(
      file,
      outcomes.filter((outcome) => outcome.case.file === file),
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="hookline" ${totals(outcomes)}>\n${suites.join('\n')}\n</testsuites>\n`
}

function suite(file: string, outcomes: readonly Outcome[]): string {
  return `  <testsuite name="${escaped(file)}" ${totals(outcomes)}>\n${outcomes.map(testCase).join('\n')}\n  </testsuite>`
}

function testCase({ case: { name, file, where }, ok, durationMs, steps, problem }: Outcome): string {
  const place = `file="${escaped(file)}" line="${where.line ?? 0}"`
  const opening = `    <testcase name="${escaped(name)}" classname="${escaped(file)}" ${place} time="${seconds(durationMs)}"`
  if (ok) return `${opening}/>`
  const mismatches = steps.flatMap((step) => step.mismatches)
  const message = problem?.message ?? mismatches.map(inWords).join('; ')
  const kind = problem ? 'error' : 'failure'
  const detail = [...(problem ? [problem.remedy] : []), ...mismatches.map(inWords)].join('\n')
  return `${opening}>\n      <${kind} message="${escaped(message)}">${escaped(detail)}</${kind}>\n    </testcase>`
}

const inWords = ({ key, expected, got }: Mismatch) => `${key}: expected ${expected}, got ${got}`

function totals(outcomes: readonly Outcome[]): string {
  const errors = outcomes.filter(({ problem }) => problem).length
  const failures = outcomes.filter(({ ok, problem }) => !ok && !problem).length
  const time = outcomes.reduce((sum, { durationMs }) => sum + durationMs, 0)
  return `tests="${outcomes.length}" failures="${failures}" errors="${errors}" time="${seconds(time)}"`
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(3)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
}

/** XML 1.0 cannot hold most control characters, not even escaped. */
function escaped(text: string): string {
  return text
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000d-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replace(/[&<>"\n\t]/g, (character) => entities[character]!)
}
