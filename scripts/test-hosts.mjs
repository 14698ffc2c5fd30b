import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJiti } from 'jiti'
import { agents } from './hosts/agents.mjs'
import { cases } from './hosts/cases/index.mjs'
import { sdkCases } from './hosts/cases/sdk.mjs'
import { freeze, play } from './hosts/play.mjs'
import { sdks } from './hosts/sdks.mjs'
import { makeFresh, root } from './setup.mjs'
import { sources } from './sources.mjs'

/**
 * `npm run test:hosts [agent…] [--part <words>] [--only <words>] [--fast] [--write]`: runs real agents against a scripted model on this machine, with
 * Hookline installed, and SDKs with its adapter, and looks whether they do what their rows in `hosts/` say and whether a guarded command ever ran. The programs come
 * from npm into a cache (HOOKLINE_HOSTS, else ~/.cache/hookline-hosts; 2.4 GB); Linux x64. `--part` and `--only` take parts of the table and cases
 * whose names have these words,
 * `--fast` leaves out what takes a minute, `--write` puts the results into docs/hosts-runs.json, from which docs/hosts.md is made.
 */
const words = process.argv.slice(2)
const option = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : '')
const names = words.filter((word, at) => !word.startsWith('-') && !/^--(?:only|part)$/.test(words[at - 1]))
const known = [...Object.keys(agents), ...Object.keys(sdks)]
const wantedNames = names.length > 0 ? names : known
const chosen = wantedNames.filter((name) => !sdks[name])
const cache = process.env.HOOKLINE_HOSTS ?? join(process.env.HOME ?? tmpdir(), '.cache/hookline-hosts')
const unknown = wantedNames.find((name) => !known.includes(name))
if (unknown) throw new Error(`There is no agent ${unknown} here: ${known.join(', ')}.`)

makeFresh()
const frozen = freeze(root)
process.on('exit', () => rmSync(frozen, { recursive: true, force: true }))
const { loadHost } = await createJiti(import.meta.url, { alias: sources }).import(
  '../packages/hookline/src/hosts/index.ts',
)
const results = {}
let wrong = 0
for (const name of chosen) {
  const agent = agents[name]
  fetchAgent(agent)
  const usual = await loadHost(agent.host)
  const row = agent.row?.(usual) ?? usual
  results[name] = {}
  for (const [part, list] of Object.entries(cases).filter(([part]) => part.includes(option('--part')))) {
    const wanted = list.filter(
      ({ name: called, slow, needs, here = () => true }) =>
        called.includes(option('--only')) &&
        !agent.without?.includes(called) &&
        !(slow && words.includes('--fast')) &&
        (!needs || agent[needs]) &&
        here(),
    )
    const together = wanted.filter(({ alone }) => !alone)
    const runs = [
      ...(together.length > 0 ? [together] : []),
      ...wanted.filter(({ alone }) => alone).map((test) => [test]),
    ]
    for (const run of runs)
      for (const [test, end] of await play({ agent, cache, frozen, cases: run })) judge(name, part, row, test, end)
  }
  if (words.includes('--write')) save(name)
}
for (const name of wantedNames.filter((each) => sdks[each])) {
  fetchAgent(sdks[name])
  for (const test of sdkCases.filter((each) => each.name.includes(option('--only')))) {
    const end = await sdks[name].run({ cache, root }, test)
    tell(name, test.name, '', differences(test.expect, end), end)
  }
}
process.stdout.write(
  wrong === 0 ? 'Every agent did what its row says; no guarded command ran.\n' : `${wrong} are wrong.\n`,
)
process.exit(wrong === 0 ? 0 : 1)

function judge(name, part, row, test, end) {
  const { told, ...rest } = test.expect(row, end.file)
  const isTold = ([text]) => !(agents[name].isSilent && text.startsWith('REASON'))
  const expected = { ...rest, told: Object.fromEntries(Object.entries(told ?? {}).filter(isTold)) }
  const amiss = end.problem ? [end.problem] : differences(expected, end)
  const cell = cellOf(expected, end)
  results[name][part] = { ...results[name][part], [test.name]: cell }
  tell(name, test.name, cell, amiss, end)
}

function tell(name, called, cell, amiss, end) {
  if (amiss.length > 0) wrong++
  const seconds = `${((end.ms ?? 0) / 1000).toFixed(1)} s`
  const mark = amiss.length === 0 ? '✓' : '✗'
  process.stdout.write(`${mark} ${name.padEnd(16)} ${called.padEnd(56)} ${cell.padEnd(14)} ${seconds}\n`)
  if (amiss.length === 0) return
  process.stdout.write(`  ${amiss.join('\n  ')}\n${(end.said ?? '').slice(-1500).replace(/^/gm, '  | ')}\n`)
  if (process.env.HEARD) writeFileSync(process.env.HEARD, end.heard ?? '')
}

function fetchAgent({ host, package: wanted, version, unpack }) {
  const directory = join(cache, host)
  if (existsSync(join(directory, 'node_modules', wanted))) return
  process.stderr.write(`Fetching ${wanted}@${version}…\n`)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  execFileSync('npm', ['install', ...options, `${wanted}@${version}`], { cwd: directory, stdio: 'inherit' })
  unpack?.(directory)
}

/** What is not as it should be, in words. */
function differences({ files = {}, told = {}, ends }, end) {
  return [
    ...Object.entries(files)
      .filter(([file, wanted]) => end.files.includes(file) !== wanted)
      .map(([file, wanted]) => `${file} is ${wanted ? 'missing' : 'there'}`),
    ...Object.entries(told)
      .filter(([text, wanted]) => end.heard.includes(text) !== wanted)
      .map(([text, wanted]) => `the model was ${wanted ? 'not ' : ''}told ${text}`),
    ...(end.isLate || (ends && end.exit !== 0) ? [`it ended with ${end.isLate ? 'a signal' : end.exit}`] : []),
  ]
}

/** In a word: what became of the guarded call, and of what the case is about. */
function cellOf({ files = {}, told = {} }, end) {
  if (end.problem) return 'not run'
  if (files['rewritten.txt'] !== undefined && end.files.includes('rewritten.txt')) return 'rewritten'
  const texts = Object.keys(told).filter((text) => /CONTEXT|RESULT-OF/.test(text))
  if (texts.length > 0) return texts.every((text) => end.heard.includes(text)) ? 'shown' : 'not shown'
  return Object.keys(files).some((file) => !file.startsWith('two-') && end.files.includes(file)) ? 'ran' : 'blocked'
}

/** Results of agents and parts that were not run this time stay. */
function save(name) {
  const file = join(root, 'docs/hosts-runs.json')
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const date = new Date().toISOString().slice(0, 10)
  const made = { version: agents[name].version, date, results: { ...before[name]?.results, ...results[name] } }
  const all = { ...before, [name]: made }
  const ordered = Object.keys(agents)
    .filter((each) => all[each])
    .map((each) => [each, all[each]])
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`)
}
