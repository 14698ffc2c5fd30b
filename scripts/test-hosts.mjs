import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { agents } from './hosts/agents.mjs'
import { faults } from './hosts/faults.mjs'
import { startModel } from './hosts/model.mjs'
import { makeFresh, root } from './setup.mjs'

/**
 * `npm run test:hosts [agent…] [--fast] [--write]`: runs real agents against a scripted model on this machine, with Hookline
 * installed and something broken, and looks whether the guarded command ran. It must not, ever. The programs come from npm into a cache
 * (HOOKLINE_HOSTS, else ~/.cache/hookline-hosts); Linux x64. `--fast` leaves out what takes a minute; `--write` puts the table into docs/hosts.md.
 */
const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('-'))
const chosen = names.length > 0 ? names : Object.keys(agents)
const cache = process.env.HOOKLINE_HOSTS ?? join(process.env.HOME ?? tmpdir(), '.cache/hookline-hosts')
const hookline = join(root, 'packages/hookline/bin/hookline.js')

makeFresh()
const results = {}
let wrong = 0
for (const name of chosen) {
  const agent = agents[name]
  if (!agent) throw new Error(`There is no agent ${name} here: ${Object.keys(agents).join(', ')}.`)
  const modules = fetchAgent(name, agent)
  results[name] = {}
  for (const [fault, row] of Object.entries(faults)) {
    if (row.slow && words.includes('--fast')) continue
    const { ran, detail } = await play(name, agent, modules, row)
    const isRight = ran === (row.runs === true)
    if (!isRight) wrong++
    results[name][fault] = ran ? 'ran' : 'blocked'
    process.stdout.write(`${isRight ? '✓' : '✗'} ${name.padEnd(8)} ${fault.padEnd(40)} ${ran ? 'ran' : 'blocked'}\n`)
    if (!isRight) process.stdout.write(`${detail}\n`)
  }
}
if (words.includes('--write')) writeTable()
process.stdout.write(wrong === 0 ? 'The guarded command ran nowhere that it should not.\n' : `${wrong} are wrong.\n`)
process.exit(wrong === 0 ? 0 : 1)

function fetchAgent(name, agent) {
  const directory = join(cache, name)
  const modules = join(directory, 'node_modules')
  if (existsSync(join(modules, agent.package))) return modules
  process.stderr.write(`Fetching ${agent.package}@${agent.version}…\n`)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  execFileSync('npm', ['install', ...options, `${agent.package}@${agent.version}`], {
    cwd: directory,
    stdio: 'inherit',
  })
  return modules
}

/** One run in a home and a project of its own. */
async function play(name, agent, modules, fault) {
  const place = mkdtempSync(join(tmpdir(), 'hookline-hosts-'))
  const home = join(place, 'home')
  const project = join(place, 'project')
  for (const directory of [home, project, join(place, 'tmp')]) mkdirSync(directory)
  const guarded = join(project, 'guarded.txt')
  const model = await startModel(`echo ran > ${guarded}`)
  const data = join(home, '.local/share/hookline')
  const env = {
    ...{ HOME: home, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, TMPDIR: join(place, 'tmp') },
    ...{ TERM: 'dumb', NO_COLOR: '1', LANG: 'C.UTF-8', CI: '1' },
  }
  try {
    agent.prepare(home, model.url)
    mkdirSync(join(home, '.config/hookline'), { recursive: true })
    writeFileSync(
      join(home, '.config/hookline/hooks.yaml'),
      "version: 1\nrules:\n  - deny: { write: '**/guarded.txt' }\n",
    )
    const install = ['install', name, '--user', '--yes', ...(agent.install ?? [])]
    execFileSync(process.execPath, [hookline, ...install], { cwd: project, env, stdio: 'pipe' })
    fault.break(data, home)
    const {
      words: [program, ...args],
      env: more,
    } = agent.start(modules, model.url)
    const said = await run(program, args, { cwd: project, env: { ...env, ...more } })
    return { ran: existsSync(guarded), detail: said.slice(-2000) }
  } finally {
    model.close()
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  }
}

function run(program, args, options) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (said += chunk))
    const timer = setTimeout(() => {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {}
    }, 120_000)
    child.on('error', (error) => resolve(String(error)))
    child.on('close', () => {
      clearTimeout(timer)
      resolve(said)
    })
  })
}

function writeTable() {
  const page = join(root, 'docs/hosts.md')
  const tested = Object.keys(results)
  const head = ['', ...tested.map((name) => `${name} ${agents[name].version}`)]
  const rows = Object.keys(faults).map((fault) => [fault, ...tested.map((name) => results[name][fault] ?? '–')])
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const text = readFileSync(page, 'utf8')
  const [begin, end] = ['<!-- begin runs -->', '<!-- end runs -->']
  const date = new Date().toISOString().slice(0, 10)
  const section = `${begin}\nRun on ${date}, Linux x64.\n\n${lines.join('\n')}\n`
  writeFileSync(page, text.slice(0, text.indexOf(begin)) + section + text.slice(text.indexOf(end)))
}
