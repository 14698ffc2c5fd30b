import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { builtEntry, sweepMarked } from '../../platform/index.ts'
import { type Ending, neverBegan, type Order, type Running } from './spawn.ts'

export type ToServer =
  | { id: number; order: Order; awaitsLine: boolean }
  | { id: number; order?: undefined; end: Exclude<keyof Running, 'handOver'> }
export type FromServer =
  | { ready: true }
  | { ready?: undefined; id: number; ending: Ending }
  | { ready?: undefined; id: number; ending?: undefined; firstLine: string }

export interface ForkServer {
  ready(): boolean
  /** Starts it if it is not there; a start that fails is tried again a second later at the earliest. */
  prepare(): void
  start(order: Order, settle: (ending: Ending) => void, began?: (firstLine: string) => void): Running
  close(): Promise<void>
}

const retryMs = 1_000

/** The host's side of the fork server. `marks` begins the mark of every order, to find them if the server is lost. */
export function forkServer(marks: string): ForkServer {
  const entry = fileURLToPath(builtEntry('fork-server'))
  const pending = new Map<number, { settle(ending: Ending): void; began?: (firstLine: string) => void }>()
  let server: ChildProcess | undefined
  let isReady = false
  let startedAt = Number.NEGATIVE_INFINITY
  let lastId = 0

  return {
    ready: () => isReady,
    prepare() {
      if (server !== undefined || performance.now() - startedAt < retryMs) return
      startedAt = performance.now()
      if (existsSync(entry)) open()
    },
    start(order, settle, began) {
      const id = ++lastId
      if (pending.size === 0) server?.channel?.ref()
      pending.set(id, { settle, ...(began && { began }) })
      send({ id, order, awaitsLine: began !== undefined })
      const tell = (end: Exclude<keyof Running, 'handOver'>) => () => send({ id, end })
      return { stop: tell('stop'), kill: tell('kill'), ignoreOutput: tell('ignoreOutput') }
    },
    async close() {
      const closing = server
      if (closing === undefined) return
      const gone = new Promise((resolve) => closing.once('exit', resolve))
      closing.ref()
      // Until it is ready it has started nothing, and would hear of its end only after all of its own start.
      if (isReady) closing.disconnect()
      else closing.kill('SIGKILL')
      await gone
    },
  }

  function open(): void {
    const opened = fork(entry, [], {
      detached: true,
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: serverEnvironment(),
    })
    server = opened
    opened.unref()
    opened.channel?.unref()
    opened.on('message', (message: FromServer) => {
      if (message.ready) isReady = true
      else if (message.ending) settle(message.id, message.ending)
      else pending.get(message.id)?.began?.(message.firstLine)
    })
    opened.on('error', () => lost(opened))
    opened.on('exit', () => lost(opened))
    opened.on('disconnect', () => {
      if (server === opened) isReady = false
    })
  }

  function send(message: ToServer): void {
    // A server that is lost is noticed by its exit.
    server?.send(message, () => {})
  }

  function settle(id: number, ending: Ending): void {
    const waiting = pending.get(id)
    pending.delete(id)
    if (pending.size === 0) server?.channel?.unref()
    waiting?.settle(ending)
  }

  function lost(opened: ChildProcess): void {
    if (server !== opened) return
    server = undefined
    isReady = false
    if (pending.size > 0) sweepMarked(marks)
    for (const id of [...pending.keys()]) settle(id, lostEnding)
  }
}

const lostEnding = neverBegan({ code: 'FORK_SERVER', message: 'the fork server ended' })

/** Orders bring the environment of their hook; the server itself needs little, and starts faster without the rest. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, SYSTEMROOT } = process.env
  // An Electron host is its own node.
  return { PATH, HOME, TMPDIR, SYSTEMROOT, ELECTRON_RUN_AS_NODE: '1' }
}
