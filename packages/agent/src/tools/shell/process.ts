import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import {
  adopt,
  endWithHost,
  groupRemains,
  guardHost,
  markVariable,
  release,
  signalGroup,
  sweep,
} from 'hookline/internal'
import { size } from '../../core/index.ts'
import type { Container, Started } from '../container/index.ts'

export interface Order {
  command: string
  cwd: string
  env: Record<string, string>
  /** Where it runs, when not on the machine itself. */
  container?: Container | undefined
  output(chunk: Buffer): void
  /** Set once it has ended, however it ended; nothing of it is left then. */
  ended(ending: Ending): void
}

export interface Ending {
  exit: number | null
  signal: string | null
  /** Programs that it left running, and that were ended with it. */
  left: readonly string[]
  /** Why it never began. */
  error?: string
}

export interface Running {
  /** Asks the whole group to end, and makes it after a moment. */
  stop(): void
}

const graceMs = 1_000
const drainMs = 150

/** bash where there is one, since that is the language the guards read. */
const shell = ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh'

/**
 * Runs a command line in a process group of its own, with nothing on its input. It is over when the shell is: what
 * still runs then, or still holds the output, is ended.
 */
export function startShell({ command, cwd, env, container, output, ended }: Order): Running {
  const mark = `tool-${randomUUID()}`
  const inside = { command, cwd, env: { ...env, [markVariable]: mark } }
  const { end, ...started }: Started = container?.start(inside) ?? { ...inside, file: shell, args: ['-c', command] }
  const begun = begin(started, cwd)
  if (typeof begun === 'string' || begun.pid === undefined) {
    const failed = (error: string) => ended({ exit: null, signal: null, left: [], error })
    if (typeof begun === 'string') queueMicrotask(() => failed(begun))
    else begun.once('error', ({ message }) => failed(message))
    return { stop() {} }
  }
  const child = begun
  const leader = begun.pid
  const unguard = guardHost()
  adopt(leader)
  const outlived = endWithHost(leader, mark)
  let timer: NodeJS.Timeout | undefined
  let [stopping, over, open] = [false, false, 2]
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', output)
    stream.on('error', () => {})
    stream.on('close', () => {
      open--
      if (open === 0 && (child.exitCode !== null || child.signalCode !== null)) finish()
    })
  }
  child.on('exit', () => {
    if (open === 0) finish()
    else wait(drainMs, finish)
  })
  return { stop }

  function stop(): void {
    if (over || stopping) return
    stopping = true
    signalGroup(leader, 'SIGTERM')
    end?.()
    wait(graceMs, () => {
      signalGroup(leader, 'SIGKILL')
      wait(drainMs, finish)
    })
  }

  function wait(ms: number, then: () => void): void {
    clearTimeout(timer)
    timer = setTimeout(then, ms)
  }

  function finish(): void {
    if (over) return
    over = true
    clearTimeout(timer)
    const survivors = stopping || open > 0 || groupRemains(leader) ? sweep(leader, mark) : []
    release(leader)
    outlived()
    unguard()
    child.stdout.destroy()
    child.stderr.destroy()
    const left = stopping ? [] : [...new Set(survivors.map(({ name }) => name))]
    ended({ exit: child.exitCode, signal: child.signalCode, left })
  }
}

/** The process, or why there is none: a line that is too long for the system is refused at once. */
function begin({ file, args, env }: Omit<Started, 'end'>, cwd: string) {
  try {
    return spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return (error as Error).message
  }
}

/** Output kept within bounds: its beginning and its end, which say most. */
export interface Output {
  add(chunk: Buffer): void
  text(): string
  /** How much was printed, and how much of that is not in the text. */
  bytes(): number
  left(): number
}

export function createOutput(most: number, watch: (text: string) => void = () => {}): Output {
  const decoder = new StringDecoder('utf8')
  const half = Math.floor(most / 2)
  let [head, tail, bytes, shown] = ['', '', 0, 0]
  const endOf = () => (tail.length > half ? tail.slice(-half) : tail)
  const left = () => {
    const missing = bytes - Buffer.byteLength(head) - Buffer.byteLength(endOf())
    // Bytes that are no text have become others.
    return missing > 3 ? missing : 0
  }
  return {
    add(chunk) {
      bytes += chunk.length
      const text = decoder.write(chunk)
      if (shown < mostShown) watch(text)
      shown += text.length
      const room = half - head.length
      if (room > 0) head += text.slice(0, room)
      const rest = room > 0 ? text.slice(room) : text
      if (rest !== '') tail = tail.length + rest.length > 2 * half ? (tail + rest).slice(-half) : tail + rest
    },
    bytes: () => bytes,
    left,
    text() {
      const end = endOf()
      return left() > 0 ? `${head}\n\n(… ${size(left())} left out …)\n\n${end}` : head + end
    },
  }
}

/** After this much, output is not shown any more. */
const mostShown = 256 * 1024
