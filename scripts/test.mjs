import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { checkTypes, install, root, tool } from './setup.mjs'

/**
 * Everything that must hold: format and lint, types, then the tests against a fresh build. Closes with the names of what
 * failed, one per line, and `N passed, N failed`.
 */
install()
const checks = {
  lint: tool('@biomejs/biome/bin/biome', ['ci', '--log-level=warn']),
  types: checkTypes(),
}
const broken = Object.keys(checks).filter((name) => checks[name] !== 0)

const directory = mkdtempSync(join(tmpdir(), 'hookline-test-'))
const report = join(directory, 'report.json')
const exit = tool('vitest/vitest.mjs', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
])
const tests = read(report)
rmSync(directory, { recursive: true, force: true })

if (tests.slowest.length > 1) console.log(`\nSlowest:\n${tests.slowest.map((each) => `  ${each}`).join('\n')}`)
const failures = [...broken.map((name) => `${name}: failed, see above`), ...tests.failures]
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((each) => `  ${each}`).join('\n')}\n`)
console.log(`${tests.passed + Object.keys(checks).length - broken.length} passed, ${failures.length} failed`)
process.exit(failures.length === 0 && tests.passed > 0 ? 0 : 1)

/** How many tests passed, and the name of each that did not: file > suite > test. */
function read(file) {
  try {
    const { numPassedTests: passed, testResults } = JSON.parse(readFileSync(file, 'utf8'))
    const failures = testResults.flatMap(failuresOf)
    // An error outside of every test fails the run, and no test of it.
    if (exit !== 0 && failures.length === 0) failures.push('tests: an error outside of every test, see above')
    return { passed, failures, slowest: slowestOf(testResults) }
  } catch {
    return { passed: 0, failures: ['tests: they did not run to their end, see above'], slowest: [] }
  }
}

/** What took longest, to be looked at when everything takes too long. */
function slowestOf(files) {
  const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1000
  const sorted = files.toSorted((one, other) => seconds(other) - seconds(one)).slice(0, 10)
  return sorted.map((file) => `${seconds(file).toFixed(1).padStart(6)} s  ${relative(root, file.name)}`)
}

function failuresOf({ name, status, assertionResults }) {
  const file = relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length > 0) return failed.map(({ ancestorTitles, title }) => [file, ...ancestorTitles, title].join(' > '))
  // A file that does not load, or whose set-up fails, has no test that fails.
  return status === 'failed' ? [`${file}: it does not load, or its set-up fails, see above`] : []
}
