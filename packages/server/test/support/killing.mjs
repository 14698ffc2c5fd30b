import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const child = fileURLToPath(new URL('./turn-worker.mjs', import.meta.url))

/** Starts a worker in a process of its own (built files). */
export async function startChild(env) {
  const started = spawn(process.execPath, ['--no-warnings', child], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [said, errors] = ['', '']
  started.stdout.setEncoding('utf8').on('data', (text) => (said += text))
  started.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
  const gone = new Promise((resolve) => started.once('exit', resolve))
  while (!said.includes('ready')) {
    if (started.exitCode !== null) throw new Error(`The worker did not start:\n${errors}`)
    await delay(20)
  }
  return { pid: started.pid, gone, kill: (signal) => started.kill(signal), errors: () => errors }
}

/**
 * One worker after the other is killed (or, with `stops`, stands still and comes back as a zombie) in the middle of its turns, each at
 * another point; the ones after it go on with what is left. Gives back what was wrong.
 */
export async function killAll({
  worker,
  database,
  effects,
  from = 1,
  points,
  step = 1,
  /** How many turns of a worker are in the middle when it dies. */
  together = 1,
  stops = () => false,
  onRound = () => {},
}) {
  const zombies = []
  const turns = []
  for (let at = from; at < from + points; at += together) {
    const own = Array.from({ length: Math.min(together, from + points - at) }, (_, each) => ({
      turn: { id: `kill${at + each}`, session: `session-kill${at + each}`, kind: 'prompt', text: 'work' },
      // Later points than a turn has begin again at its first.
      point: (((at + each - 1) * step) % mostPoints) + 1,
    }))
    turns.push(...own.map(({ turn }) => turn))
    const halts = Object.fromEntries(own.map(({ turn, point }) => [turn.id, point]))
    const process_ = await startChild({ DATABASE: database, EFFECTS: effects, HALT: JSON.stringify(halts) })
    for (const { turn } of own) await worker.begin(turn)
    const halted = (id) => readFileSync(effects, 'utf8').includes(`halts ${id} at `)
    const ended = async (id) => (await worker.result(id, 50).catch(() => undefined)) !== undefined
    for (const { turn } of own) while (!halted(turn.id) && !(await ended(turn.id))) await delay(20)
    if (stops(Math.ceil(at / together))) {
      process_.kill('SIGSTOP')
      zombies.push(process_)
      // A few rounds later others have gone on with its turns, and it comes back.
      if (zombies.length > 2) await wake(zombies.shift())
    } else {
      process_.kill('SIGKILL')
      await process_.gone
    }
    onRound(at + own.length - 1)
  }
  const last = await startChild({ DATABASE: database, EFFECTS: effects })
  const wrong = []
  try {
    for (const turn of turns) {
      const end = await worker.result(turn.id, 60_000)
      if (end?.reason !== 'normal' || end.response !== 'finished')
        wrong.push(`${turn.id} ended so: ${JSON.stringify(end)}`)
    }
    for (const zombie of zombies.splice(0)) await wake(zombie)
    for (const turn of turns) wrong.push(...(await problemsOf(worker, turn, readFileSync(effects, 'utf8'))))
  } finally {
    for (const each of [...zombies, last]) each.kill('SIGKILL')
    await Promise.all([...zombies, last].map(({ gone }) => gone))
  }
  return wrong
}

/** It goes on with what it was about to do, for a while. */
async function wake(zombie) {
  zombie.kill('SIGCONT')
  await delay(1_500)
  zombie.kill('SIGKILL')
  await zombie.gone
}

/** Points of the turn `work` at which a process may die: counted in a run that nobody stops. */
export const mostPoints = 44

async function problemsOf(worker, turn, effects) {
  const calls = ['a', 'b', 'c'].map((call) => `${turn.id}.${call}`)
  const wrong = []
  const records = await worker.records(turn.session)
  const journal = await worker.journal(turn.id)
  for (const call of calls) {
    const times = effects.split('\n').filter((line) => line.startsWith(`act ${call} `)).length
    if (times > 1) wrong.push(`the tool of ${call} ran ${times} times`)
    const results = records.filter(({ message }) => message?.role === 'tool' && message.tool_call_id === call)
    if (results.length !== 1) wrong.push(`${call} has ${results.length} results`)
    const isUnsure = results[0]?.message.content.includes('may have happened')
    if (times === 0 && !isUnsure) wrong.push(`the tool of ${call} never ran, and nobody says so`)
    for (const event of ['pre_tool_use', 'post_tool_use']) {
      const verdicts = journal.filter((key) => key.endsWith(`/${call}/${event}`)).length
      if (verdicts !== 1) wrong.push(`${event} of ${call} was written down ${verdicts} times`)
    }
  }
  return wrong
}
