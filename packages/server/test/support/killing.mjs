import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nextOf, problemsOf, scenarios } from './killing-scenarios.mjs'

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
 * another point, and each turn about something else; the ones after it go on with what is left. Gives back what was wrong.
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
  only = Object.keys(scenarios),
  stops = () => false,
  onRound = () => {},
}) {
  const zombies = []
  const turns = []
  for (let at = from; at < from + points; at += together) {
    const own = Array.from({ length: Math.min(together, from + points - at) }, (_, each) =>
      turnAt(at + each, step, only),
    )
    turns.push(...own)
    const halts = Object.fromEntries(own.map(({ id, point }) => [id, point]))
    const process_ = await startChild({ DATABASE: database, EFFECTS: effects, HALT: JSON.stringify(halts) })
    for (const { id, session, kind, text } of own) await worker.begin({ id, session, kind, text })
    for (const turn of own) await reachPoint(worker, turn, effects)
    for (const turn of own) await scenarios[turn.scenario].meanwhile?.(worker, turn)
    if (stops(Math.ceil(at / together))) {
      process_.kill('SIGSTOP')
      zombies.push(process_)
      // A few rounds later others have gone on with its turns, and it comes back.
      if (zombies.length > 2) await wake(zombies.shift())
    } else {
      process_.kill('SIGKILL')
      await process_.gone
    }
    // Nobody lives who could hear it.
    for (const turn of own) await answer(worker, turn)
    onRound(at + own.length - 1)
  }
  const last = await startChild({ DATABASE: database, EFFECTS: effects })
  const wrong = []
  try {
    for (const turn of turns) wrong.push(...(await endOf(worker, turn)))
    for (const zombie of zombies.splice(0)) await wake(zombie)
    for (const turn of turns) wrong.push(...(await problemsOf(worker, turn, readFileSync(effects, 'utf8'))))
  } finally {
    for (const each of [...zombies, last]) each.kill('SIGKILL')
    await Promise.all([...zombies, last].map(({ gone }) => gone))
  }
  return wrong
}

/** Later points than a turn has begin again at its first. */
function turnAt(at, step, only) {
  const scenario = only[(at - 1) % only.length]
  const { kind = 'prompt', text, most } = scenarios[scenario]
  const round = Math.floor((at - 1) / only.length)
  // Every other one of those that ask has its answer while its worker lives, and dies with it.
  return {
    ...{ id: `kill${at}`, session: `session-kill${at}`, kind, text, scenario, isQuick: round % 2 === 1 },
    point: ((round * (step * 2 + 1) + at) % most) + 1,
  }
}

/** Until the worker stands still there; or waits for a person; or the turn is over. */
async function reachPoint(worker, turn, effects) {
  for (;;) {
    if (readFileSync(effects, 'utf8').includes(`halts ${turn.id} at `)) return
    if ((await worker.result(turn.id, 50).catch(() => undefined)) !== undefined) return
    if (turn.isQuick) await answer(worker, turn)
    else if ((await worker.questions.open(turn.session)).length > 0) return
    await delay(20)
  }
}

async function answer(worker, { session, scenario }) {
  for (const { id } of await worker.questions.open(session)) await worker.answer(id, scenarios[scenario].answer)
}

async function endOf(worker, turn) {
  const { response = 'finished', mayStop, next } = scenarios[turn.scenario]
  const ending = worker.result(turn.id, 60_000)
  let isOver = false
  void ending.finally(() => (isOver = true)).catch(() => {})
  while (!isOver) {
    await answer(worker, turn)
    await delay(50)
  }
  const end = await ending
  const wrong = []
  const isNormal = end?.reason === 'normal' && (response.test?.(end.response) ?? end.response === response)
  if (!isNormal && !(mayStop && end?.reason === 'canceled')) wrong.push(`${turn.id} ended so: ${JSON.stringify(end)}`)
  if (!next) return wrong
  // Where it was begun before, this begins nothing.
  await worker.begin(nextOf(turn))
  const after = await worker.result(`${turn.id}next`, 60_000)
  if (after?.reason !== 'normal') wrong.push(`what follows ${turn.id} ended so: ${JSON.stringify(after)}`)
  return wrong
}

/** It goes on with what it was about to do, for a while. */
async function wake(zombie) {
  zombie.kill('SIGCONT')
  await delay(1_500)
  zombie.kill('SIGKILL')
  await zombie.gone
}
