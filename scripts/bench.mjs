import { fork } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { benchmarks, withPeers } from '../bench/index.mjs'
import { machine, toMarkdown, toText } from '../bench/kit/table.mjs'
import { installPeers } from '../bench/peers/index.mjs'
import { build, install, root } from './setup.mjs'

const help = `Usage: npm run bench -- [options]

  --only <name>     only this benchmark; may be repeated (${Object.keys(benchmarks).join(', ')})
  --quick           fewer rounds: under a minute, and less certain
  --rest <seconds>  pause between benchmarks and within long ones, on a machine that others use too
  --json            print the rows as JSON instead of a table
  --no-build        install and build nothing: measure what is in dist/ as it is

Each figure is measured beside its floor or peer in the same run, in turn; bars are judged at p50. What is measured on our
own cases, and not quick, goes into docs/benchmarks.md, benchmark by benchmark, with the day. HOOKLINE_CORPORA=<directory> judges the guards on cases of
your own (bench/cases/README.md).
`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    rest: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit()
}
const unknown = values.only?.find((name) => !Object.hasOwn(benchmarks, name))
if (unknown !== undefined) {
  process.stderr.write(`There is no benchmark \`${unknown}\`.\n\n${help}`)
  process.exit(64)
}

const rest = Number(values.rest)
const names = values.only ?? Object.keys(benchmarks)
if (!values['no-build']) {
  install()
  if (build() !== 0) process.exit(1)
}
if (names.some((name) => withPeers.includes(name))) installPeers()

const rows = []
const counts = !values.quick && !process.env.HOOKLINE_CORPORA
for (const name of names) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${name}…`)
  const before = machine()
  const measured = await measure(name)
  rows.push(...measured)
  // At once: a long run that is interrupted loses nothing.
  if (counts && !measured.some((row) => row.failed)) publish(name, { ...before, rows: measured })
  await pause(rest * 1000)
}
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')

process.stdout.write(values.json ? `${JSON.stringify({ machine: machine(), rows }, null, 2)}\n` : toText(rows))

/** Keeps the last measurement of each benchmark, and writes the page from all of them. */
function publish(name, measured) {
  const file = join(root, 'bench/results.json')
  const results = { ...(existsSync(file) && JSON.parse(readFileSync(file, 'utf8'))), [name]: measured }
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(root, 'docs/benchmarks.md'), toMarkdown(results, Object.keys(benchmarks)))
}

/** A benchmark that fails is a row that says so: nothing that was not measured looks as if it had been. */
async function measure(name) {
  const started = performance.now()
  const child = fork(join(root, 'bench/run.mjs'), [name, JSON.stringify({ quick: values.quick, rest })], {
    execArgv: ['--expose-gc'],
    env: plainEnvironment(),
    // Standard output is for the table.
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  })
  let measured
  child.on('message', (message) => {
    measured = message
  })
  const exit = await new Promise((resolve) => child.on('exit', resolve))
  const seconds = (performance.now() - started) / 1000
  const result = measured ?? [
    { what: name, ours: '', other: '', ratio: '', bar: '', met: 'NO', note: `failed, exit ${exit}`, failed: true },
  ]
  return result.map((row) => ({ name, ...row, seconds: Number(seconds.toFixed(1)) }))
}

/** Without what slows every start of Node, or changes it: reading extra certificates alone takes 45 ms in Node 20. */
function plainEnvironment() {
  const { NODE_OPTIONS, NODE_EXTRA_CA_CERTS, NODE_V8_COVERAGE, ...rest } = process.env
  return rest
}
