import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { install, root } from './setup.mjs'

/**
 * Everything that must hold: format and lint, types, and the tests against a fresh build. The first two run beside the build, which
 * needs one core. Closes with the names of what failed, one per line, and `N passed, N failed`.
 */
install()
const checks = {
  lint: check('node_modules/@biomejs/biome/bin/biome', 'ci', '--log-level=warn'),
  types: check('scripts/types.mjs'),
}

const directory = mkdtempSync(join(tmpdir(), 'hookline-test-'))
const report = join(directory, 'report.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const [exit] = await once(
  run('inherit', 'node_modules/vitest/vitest.mjs', 'run', ...reporters, ...process.argv.slice(2)),
  'exit',
)
const broken = []
for (const [name, passes] of Object.entries(checks)) if (!(await passes)) broken.push(name)
const tests = read(report)
rmSync(directory, { recursive: true, force: true })

if (tests.slowest.length > 1) console.log(`\nSlowest:\n${tests.slowest.map((each) => `  ${each}`).join('\n')}`)
const failures = [...broken.map((name) => `${name}: failed, see above`), ...tests.failures]
if (failures.length > 0) console.log(`\nFailed:\n${failures.map((each) => `  ${each}`).join('\n')}\n`)
console.log(`${tests.passed + Object.keys(checks).length - broken.length} passed, ${failures.length} failed`)
process.exit(failures.length === 0 && tests.passed > 0 ? 0 : 1)

/** Whether it passes; shows what it prints when it does not, as soon as it has ended. */
async function check(...words) {
  const child = run('pipe', ...words)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) process.stderr.write(output)
  return code === 0
}

function run(output, script, ...args) {
  return spawn(process.execPath, [join(root, script), ...args], { cwd: root, stdio: ['inherit', output, 'inherit'] })
}

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
