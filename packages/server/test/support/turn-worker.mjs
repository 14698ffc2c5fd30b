import { appendFileSync } from 'node:fs'
import { createPermissions, openAgent } from '@hookline/agent'
import { startWorker } from '@hookline/server'
import { scripted } from './scripted-turns.mjs'

/**
 * A worker in a process of its own, with what it does in a file. Turns in `HALT` (by id, the number of a point) stand still there
 * until the process goes on after SIGSTOP; most are killed before. At SIGTERM it drains. `BEGIN`: a turn that it begins.
 */
const {
  DATABASE: database,
  EFFECTS: effects,
  HALT: halts = '{}',
  DEAD_MS: deadMs = '1500',
  VERSION: version,
  BEGIN: begins,
} = process.env
const note = (what) => appendFileSync(effects, `${what} ${process.pid}\n`)
const haltAt = JSON.parse(halts)
const points = new Map()
const goesOn = new Promise((resolve) => process.on('SIGCONT', resolve))

const worker = await startWorker({
  database,
  ...(version ? { version } : {}),
  deadMs: Number(deadMs),
  lingerMs: 50,
  open: scripted(
    { openAgent, createPermissions },
    {
      async at(point, turn) {
        const at = (points.get(turn.id) ?? 0) + 1
        points.set(turn.id, at)
        if (at !== haltAt[turn.id]) return
        note(`halts ${turn.id} at ${point}`)
        await goesOn
      },
      async act(name, _turn, call) {
        note(`${name} ${call}`)
      },
    },
  ),
  log: (line) => process.stderr.write(`${line}\n`),
})
process.on('SIGTERM', async () => {
  note('drains')
  await worker.close({ graceMs: 30_000 })
  process.exit(0)
})
if (begins) await worker.begin(JSON.parse(begins))
process.stdout.write(`ready ${worker.id}\n`)
