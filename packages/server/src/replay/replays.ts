import { randomUUID } from 'node:crypto'
import { HooklineError } from 'hookline/internal'
import type { Compared } from './compare.ts'

/** A replay that runs, or has run, in this server. */
export interface Replay {
  id: string
  state: 'running' | 'done' | 'failed' | 'canceled'
  project: string
  started: string
  ended: string | null
  /** So many entries of so many; the second is a good guess while it runs. */
  done: number
  of: number
  problem: string | null
  result: Compared | null
}

interface Starting {
  project: string
  of: number
  work(onEntry: () => void): Promise<Compared>
}

export interface Replays {
  /** Undefined: another one runs. */
  start(given: Starting): Replay | undefined
  get(id: string): Replay | undefined
  all(): Replay[]
  cancel(id: string): boolean
  close(): Promise<void>
}

/** So many are remembered, the newest first; a server that stops forgets them. */
const mostKept = 20

class Canceled extends Error {}

/** One at a time: a replay takes a whole processor. */
export function openReplays(): Replays {
  const kept: Replay[] = []
  let running: { replay: Replay; over: Promise<void> } | undefined

  async function follow(replay: Replay, work: Starting['work']): Promise<void> {
    try {
      replay.result = await work(() => {
        if (replay.state === 'canceled') throw new Canceled()
        replay.done++
        replay.of = Math.max(replay.of, replay.done)
      })
      replay.state = 'done'
      replay.of = replay.done
    } catch (error) {
      if (error instanceof Canceled) return
      replay.state = 'failed'
      replay.problem =
        error instanceof HooklineError ? error.notes.map(({ message }) => message).join(' ') : String(error)
    } finally {
      replay.ended = new Date().toISOString()
      running = undefined
    }
  }

  return {
    start({ project, of, work }) {
      if (running) return undefined
      const replay: Replay = {
        ...{ id: randomUUID(), state: 'running', project, started: new Date().toISOString(), ended: null },
        ...{ done: 0, of, problem: null, result: null },
      }
      kept.unshift(replay)
      kept.length = Math.min(kept.length, mostKept)
      running = { replay, over: Promise.resolve() }
      running.over = follow(replay, work)
      return replay
    },
    get: (id) => kept.find((each) => each.id === id),
    all: () => kept,
    cancel(id) {
      if (running?.replay.id !== id) return false
      running.replay.state = 'canceled'
      return true
    },
    async close() {
      const last = running
      if (!last) return
      last.replay.state = 'canceled'
      await last.over
    },
  }
}
