import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, tool } from './setup.mjs'

/** Everything that must hold: format and lint, types, then the tests against a fresh build. Closes with `N passed, N failed`. */
install()
const checks = {
  lint: tool('@biomejs/biome/bin/biome', ['ci', '--log-level=warn']),
  types: tool('typescript/bin/tsc', ['-p', '.']),
}
const broken = Object.entries(checks).filter(([, exit]) => exit !== 0)
for (const [name] of broken) console.error(`\n${name}: failed (see above)`)

const directory = mkdtempSync(join(tmpdir(), 'hookline-test-'))
const report = join(directory, 'report.json')
tool('vitest/vitest.mjs', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
])
const { passed, failed } = count(report)
rmSync(directory, { recursive: true, force: true })

console.log(`${passed + Object.keys(checks).length - broken.length} passed, ${failed + broken.length} failed`)
process.exit(failed + broken.length === 0 && passed > 0 ? 0 : 1)

function count(file) {
  try {
    const { numPassedTests: passed, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'))
    // A file that does not load has no tests to fail.
    const unloaded = testResults.filter((each) => each.status === 'failed' && each.assertionResults.length === 0).length
    return { passed, failed: numFailedTests + unloaded }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
