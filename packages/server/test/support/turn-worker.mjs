import { appendFileSync } from 'node:fs'
import { createPermissions, openAgent } from '@hookline/agent'
import { startWorker } from '@hookline/server'
import { scripted } from './scripted-turns.mjs'

/**
 * A worker in a process of its own, with what it does in a file. It dies by `kill -9` when the turn `DIE_IN` comes to its point
 * number `DIE_AT`; at SIGTERM it drains. `BEGIN`: a turn that it begins.
 */
const {
  DATABASE: database,
  EFFECTS: effects,
  DIE_IN: dieIn,
  DIE_AT: dieAt = '0',
  STOP: stops,
  DEAD_MS: deadMs = '1500',
  VERSION: version,
  BEGIN: begins,
} = process.env
const note = (what) => appendFileSync(effects, `${what} ${process.pid}\n`)
let points = 0

const worker = await startWorker({
  database,
  ...(version ? { version } : {}),
  deadMs: Number(deadMs),
  lingerMs: 50,
  open: scripted(
    { openAgent, createPermissions },
    {
      async at(point, turn) {
        if (turn.id !== dieIn || ++points !== Number(dieAt)) return
        note(`dies ${turn.id} at ${point}`)
        process.kill(process.pid, stops ? 'SIGSTOP' : 'SIGKILL')
        // Signals take a moment to arrive.
        await new Promise((resolve) => setTimeout(resolve, stops ? 50 : 60_000))
      },
      async act(name, _turn, call) {
        note(`${name} ${call}`)
      },
    },
  ),
  log: (line) => process.stderr.write(`${line}\n`),
})
process.on('SIGTERM', async () => {
  await worker.close({ graceMs: 5_000 })
  process.exit(0)
})
if (begins) await worker.begin(JSON.parse(begins))
process.stdout.write(`ready ${worker.id}\n`)
