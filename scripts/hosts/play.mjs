import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModel } from './model.mjs'
import { configText, makePlace, succeed } from './place.mjs'

const prompt = 'Do what the scripted test says.'
const perRun = 120_000
const perStep = 60_000

/**
 * Runs cases in one run of an agent, one after the other; where it ends before they are through, in another one. Of each case: the files that
 * are there after it, what the model was told, how the run ended.
 */
export async function play(options) {
  const ends = new Map()
  let left = options.cases
  while (left.length > 0) {
    const { results, heard, ...run } = await once({ ...options, cases: left })
    for (const [test, result] of results) ends.set(test, { ...run, ...result, heard })
    const rest = left.filter((test) => !results.has(test))
    if (rest.length === left.length) {
      for (const test of rest) ends.set(test, { problem: 'The agent never asked its model.', ...run })
      break
    }
    left = rest
  }
  return ends
}

async function once({ agent, cache, frozen, cases }) {
  const place = makePlace({ agent, cache, frozen })
  const steps = cases.map((test, at) => ({ test, file: `made-${at + 1}.txt` }))
  const tools = { ...agent, path: (name) => join(place.project, name) }
  const results = new Map()
  let now
  const finish = () => {
    if (!now) return
    const { test, begun } = now
    now = undefined
    results.set(test, { file: fileOf(test, steps), files: readdirSync(place.project), ms: Date.now() - begun })
  }
  /** The case before is over, and its fault is repaired, before the next one begins. */
  const turns = steps.flatMap(({ test, file }) => {
    const [first, ...more] = test.turns?.(tools, file) ?? [
      { calls: test.calls?.(tools, file) ?? [agent.run(`echo MARK > ${file}`)] },
    ]
    const before = async () => {
      const undo = now?.undo
      finish()
      await undo?.()
      now = { test, begun: Date.now() }
      now.undo = await test.begin?.(place)
    }
    return [{ ...first, before }, ...more]
  })
  const model = await startModel(turns, agent.shell)
  const where = { ...place, agent, url: model.url, prompt }
  const start = (args) => [
    ...(agent.script ? [process.execPath, join(cache, agent.script)] : [join(cache, agent.program)]),
    ...args,
  ]
  const env = { ...place.env, ...agent.env?.(where) }
  try {
    await agent.prepare?.(where)
    if (agent.first) await run(start(agent.first(where)), { cwd: place.project, env }, 60_000)
    succeed(place.hookline('install', agent.host, '--user', '--yes', ...(agent.install ?? [])))
    place.configure(configOf(steps, place.project))
    const ofProject = steps.flatMap(({ test, file }) => test.project?.(file) ?? [])
    if (ofProject.length > 0) {
      writeFileSync(join(place.project, 'hookline.yaml'), configText({ rules: ofProject }, place.script))
      succeed(place.hookline('approve', '--all', '--yes'))
    }
    const own = Object.assign({}, ...cases.map((test) => test.env?.(where)))
    const patience = perRun + perStep * cases.length
    const ended = await run(start(agent.args(where)), { cwd: place.project, env: { ...env, ...own } }, patience)
    const undo = now?.undo
    finish()
    await undo?.()
    // A prompt that is refused never reaches the model.
    for (const { test, file } of steps)
      if (!results.has(test) && test.hook?.event === 'user_prompt_submit' && test.alone)
        results.set(test, { file, files: readdirSync(place.project) })
    return { results, heard: model.heard(), ...ended }
  } catch (error) {
    return { results, heard: model.heard(), said: String(error), problem: String(error) }
  } finally {
    model.close()
    place.remove()
  }
}

const fileOf = (test, steps) => steps.find((step) => step.test === test).file

/** All rules, and one hook per event, which does what a case wants at calls about its file. */
function configOf(steps, project) {
  const withHook = steps.filter(({ test }) => test.hook?.script)
  const events = [...new Set(withHook.map(({ test }) => test.hook.event))]
  return {
    rules: steps.flatMap(({ test, file }) => test.rules?.(file) ?? []),
    hooks: events.map((event) => {
      const list = withHook.filter(({ test }) => test.hook.event === event)
      const does = ({ test, file }) => `FILE='${join(project, file)}'\n${test.hook.script}`
      const lines = list.map((step) => `*${step.file}*)\n${does(step)}\n;;`)
      const script = /_tool_use/.test(event)
        ? `input=$(cat)\ncase $input in\n${lines.join('\n')}\nesac`
        : list.map(does).join('\n')
      return { id: `at-${event}`, event, script }
    }),
  }
}

/** Ends what takes too long, and everything that it has started. */
function run([program, ...args], options, patience) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let said = ''
    let isLate = false
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (said += chunk))
    const endAll = () => {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {}
    }
    const timer = setTimeout(() => {
      isLate = true
      endAll()
    }, patience)
    const end = (exit) => {
      clearTimeout(timer)
      endAll()
      resolve({ exit, said, isLate })
    }
    child.on('error', (error) => {
      said += String(error)
      end(null)
    })
    child.on('exit', end)
  })
}

/** A copy of what is built, so that building it again changes nothing under a run. */
export function freeze(root) {
  const frozen = mkdtempSync(join(tmpdir(), 'hookline-frozen-'))
  for (const part of ['bin', 'dist', 'schema', 'shims', 'client', 'package.json'])
    if (existsSync(join(root, 'packages/hookline', part)))
      cpSync(join(root, 'packages/hookline', part), join(frozen, part), { recursive: true })
  return frozen
}
