import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { summarise } from './kit/measure.mjs'
import { atMost, ratioRow } from './kit/row.mjs'

const host = fileURLToPath(new URL('kit/host.mjs', import.meta.url))
const ballast = 800

/** Two hosts, one of them 800 MB bigger, each of which in turn runs its command hook once, and spawns the same command once. */
export default async function ({ quick }) {
  const hosts = { small: await startHost(0), big: await startHost(ballast) }
  const times = { small: { hook: [], spawn: [] }, big: { hook: [], spawn: [] } }
  const rounds = quick ? 30 : 150
  for (let round = -10; round < rounds; round++) {
    for (const size of round % 2 === 0 ? ['small', 'big'] : ['big', 'small']) {
      for (const subject of ['hook', 'spawn']) {
        const elapsed = await ask(hosts[size], subject)
        if (round >= 0) times[size][subject].push(elapsed)
      }
    }
  }
  await Promise.all(Object.values(hosts).map(stopHost))
  const rowOf = (subject, what, bar) =>
    ratioRow({
      what,
      ours: summarise(times.big[subject]),
      other: summarise(times.small[subject]),
      name: 'small host',
      bar,
    })
  return [
    rowOf('hook', `\`command\` hook from a host that holds ${ballast} MB more ÷ from a small host`, atMost(1.3)),
    rowOf('spawn', 'the same with a bare spawn, for comparison'),
  ]
}

async function startHost(megabytes) {
  const child = fork(host, [String(megabytes)], { execArgv: [] })
  await once(child, 'message')
  return child
}

async function ask(child, subject) {
  child.send(subject)
  const [elapsed] = await once(child, 'message')
  return elapsed
}

async function stopHost(child) {
  child.disconnect()
  await once(child, 'exit')
}
