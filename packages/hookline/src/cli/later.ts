import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Event, LeftProcess } from '../core/index.ts'
import { isRecord, stringifyJson } from '../core/index.ts'
import type { Hooks, HooksOptions } from '../hooks/index.ts'
import { signalGroup } from '../platform/index.ts'

/**
 * A host waits until the process of a dispatch has ended, and nobody waits for background hooks. So another process, which
 * no host knows, runs them: it gets each hook by its id, with the event as the hook would have got it here.
 */
export interface LaterWork {
  hooks: { id: string; event: Event }[]
  processes: Omit<LeftProcess, 'outputs'>[]
}

interface Collected {
  later: NonNullable<HooksOptions['later']>
  /** Starts that process, from this directory, if there is anything to do. Rejects when there is none to be had. */
  leave(from: string): Promise<void>
  /** Runs the background hooks here after all. */
  runHere(hooks: Hooks): Promise<void>
}

export function collectLater(): Collected {
  const work: LaterWork = { hooks: [], processes: [] }
  const outputs: unknown[] = []
  return {
    later: {
      hook: (id, event) => void work.hooks.push({ id, event }),
      process({ outputs: own, ...left }) {
        work.processes.push(left)
        outputs.push(...own)
      },
    },
    async leave(from) {
      if (work.hooks.length + work.processes.length === 0) return
      const args = [...process.execArgv, ...process.argv.slice(1), '--later']
      await new Promise<void>((resolve, reject) => {
        const stdio = ['pipe', 'ignore', 'ignore', ...outputs] as 'pipe'[]
        const child = spawn(process.execPath, args, { cwd: from, detached: true, stdio })
        child.once('error', reject)
        child.stdin?.once('error', reject)
        child.stdin?.end(stringifyJson(work), () => resolve())
        child.unref()
      })
      for (const each of outputs) (each as { destroy(): void }).destroy()
    },
    runHere: (hooks) => runHooks(hooks, work),
  }
}

/** What an earlier dispatch has left, in the process that it has started for that. */
export async function runLaterWork(hooks: Hooks, given: Record<string, unknown>): Promise<void> {
  const work: LaterWork = { hooks: listOf(given['hooks']), processes: listOf(given['processes']) }
  await Promise.all([runHooks(hooks, work), ...work.processes.map((left, at) => watch(left, 3 + 2 * at))])
}

const runHooks = async (hooks: Hooks, { hooks: left }: LaterWork): Promise<void> => {
  await Promise.all(left.map(({ id, event }) => hooks.runLater(id, event)))
}

/** Reads and throws away what it prints, until it has ended or its time is over. */
async function watch({ leader, forMs }: LaterWork['processes'][number], firstOutput: number): Promise<void> {
  const timer = setTimeout(() => signalGroup(leader, 'SIGKILL'), forMs)
  await Promise.all([drained(firstOutput), drained(firstOutput + 1)])
  clearTimeout(timer)
}

/** Read as a socket: the descriptor comes from a process that read it without blocking. */
function drained(descriptor: number): Promise<void> {
  return new Promise((resolve) => {
    new Socket({ fd: descriptor, readable: true, writable: false })
      .on('error', () => {})
      .on('close', () => resolve())
      .resume()
  })
}

const listOf = <T>(value: unknown): T[] => (Array.isArray(value) ? (value.filter(isRecord) as T[]) : [])
