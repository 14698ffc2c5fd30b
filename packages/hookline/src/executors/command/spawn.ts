import { type ChildProcess, spawn } from 'node:child_process'
import {
  adopt,
  endSuspects,
  findStrays,
  groupRemains,
  pipesOnly,
  release,
  type Survivor,
  signalGroup,
  startBranded,
  suspicionMs,
  sweep,
} from '../../platform/index.ts'

/** One process to run. Plain data: it may cross to the fork server. */
export interface Order {
  file: string
  args: readonly string[]
  cwd: string | undefined
  env: Record<string, string>
  stdin: string
  /** More than this on stdout ends the process. */
  stdoutLimit: number
  /** More than this on stderr is read and thrown away, so that the process can go on to its answer. */
  stderrLimit: number
  /** Between asking the process to end and making it. */
  graceMs: number
  /** The value of the mark in `env`. */
  mark: string
  /** Of whoever raised the event, where that is another process. */
  umask?: number
}

/** How it ended. `error` means that it never began. */
export interface Ending {
  exit: number | null
  signal: string | null
  stdout: Uint8Array
  stderr: Uint8Array
  stdoutBytes: number
  stderrBytes: number
  flooded: boolean
  /** Names of processes that outlived it, and were ended. */
  left: string[]
  error?: { code: string; message: string }
}

export interface Running {
  /** SIGTERM to the group, SIGKILL after the grace. */
  stop(): void
  /** SIGKILL to the group. */
  kill(): void
  /** What it prints from now on is read and thrown away. */
  ignoreOutput(): void
  /** It goes on after this process; its outputs must be held by another one. */
  handOver?(): { leader: number; outputs: readonly unknown[] }
}

/** A first line that is longer than this is none. */
const longestFirstLine = 4_096

/** How long output may still arrive after the exit, and how long an exit may take after SIGKILL. */
const drainMs = 100

const notRunning: Running = { stop() {}, kill() {}, ignoreOutput() {} }

/**
 * Runs one process in a group and session of its own (so it has no terminal), and settles exactly once: at its exit,
 * when its output has ended or a short drain is over, whoever still holds the pipes. `began` gets the first line of its
 * output as soon as it is there.
 */
export function start(order: Order, settle: (ending: Ending) => void, began?: (firstLine: string) => void): Running {
  let child: ChildProcess
  try {
    child = startBranded(order.mark, () => spawnMasked(order))
  } catch (error) {
    settle(neverBegan(error))
    return notRunning
  }
  const leader = child.pid
  if (leader === undefined) {
    child.once('error', (error) => settle(neverBegan(error)))
    return notRunning
  }
  adopt(leader)

  const stdin = child.stdin as NonNullable<typeof child.stdin>
  const stdout = child.stdout as NonNullable<typeof child.stdout>
  const stderr = child.stderr as NonNullable<typeof child.stderr>
  const out: Buffer[] = []
  const err: Buffer[] = []
  let stdoutBytes = 0
  let stderrBytes = 0
  let flooded = false
  let ignored = false
  let awaitsLine = began !== undefined
  let stopping = false
  let settled = false
  let exited = false
  let open = 2
  let timer: NodeJS.Timeout | undefined

  // A hook need not read its payload: EPIPE is its good right.
  stdin.on('error', ignore)
  stdout.on('error', ignore)
  stderr.on('error', ignore)
  stdout.on('data', (chunk: Buffer) => {
    stdoutBytes += chunk.length
    if (ignored) return
    if (stdoutBytes <= order.stdoutLimit) out.push(chunk)
    else if (!flooded) flood()
    if (awaitsLine) lookForLine()
  })
  stderr.on('data', (chunk: Buffer) => {
    const room = order.stderrLimit - stderrBytes
    stderrBytes += chunk.length
    if (room > 0) err.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
  })
  stdout.on('end', ended)
  stderr.on('end', ended)
  child.on('exit', () => {
    exited = true
    if (open === 0 || flooded) finish()
    else wait(drainMs, drained)
  })
  stdin.end(order.stdin)
  return {
    stop,
    kill,
    ignoreOutput() {
      ignored = true
    },
    handOver() {
      settled = true
      clearTimeout(timer)
      release(leader)
      stdin.end()
      stdout.pause()
      stderr.pause()
      child.unref()
      return { leader, outputs: [stdout, stderr] }
    },
  }

  function ended(): void {
    open--
    if (open === 0 && exited) finish()
  }

  /** After a busy moment of the host, timers come before what has long been written: that is read first. */
  function drained(rounds = 20): void {
    const before = stdoutBytes + stderrBytes
    setImmediate(() => {
      if (rounds > 0 && stdoutBytes + stderrBytes > before) drained(rounds - 1)
      else finish()
    })
  }

  function lookForLine(): void {
    const text = joined(out)
    const end = text.indexOf('\n')
    if (end !== -1 && end <= longestFirstLine) began?.(text.toString('utf8', 0, end))
    awaitsLine = end === -1 && text.length <= longestFirstLine
  }

  function flood(): void {
    flooded = true
    out.length = 0
    stdout.destroy()
    kill()
  }

  function stop(): void {
    if (settled || stopping) return
    stopping = true
    signalGroup(leader as number, 'SIGTERM')
    if (!exited) wait(order.graceMs, kill)
  }

  function kill(): void {
    if (settled) return
    stopping = true
    signalGroup(leader as number, 'SIGKILL')
    wait(drainMs, finish)
  }

  function wait(ms: number, then: () => void): void {
    clearTimeout(timer)
    timer = setTimeout(then, ms)
  }

  function finish(): void {
    if (settled) return
    settled = true
    clearTimeout(timer)
    release(leader as number)
    const remains = stopping || open > 0 || groupRemains(leader as number)
    const swept = remains ? sweep(leader as number, order.mark) : []
    const { strays, suspects } = findStrays(leader as number, order.mark)
    const certain = [...swept, ...strays]
    if (suspects.length === 0) report(certain)
    else setTimeout(() => report([...certain, ...endSuspects(suspects, order.mark)]), suspicionMs)
  }

  function report(found: readonly Survivor[]): void {
    const survivors = found.filter(({ pid }, at) => found.findIndex((each) => each.pid === pid) === at)
    stdin.destroy()
    stdout.destroy()
    stderr.destroy()
    settle({
      exit: child.exitCode,
      signal: child.signalCode,
      stdout: joined(out),
      stderr: joined(err),
      stdoutBytes,
      stderrBytes,
      flooded,
      left: stopping ? [] : describe(survivors, open > 0),
    })
  }
}

/** A child has the umask of the moment in which it is started, which is one synchronous step. */
function spawnMasked({ file, args, cwd, env, umask }: Order): ChildProcess {
  const before = umask === undefined ? undefined : process.umask(umask)
  try {
    return spawn(file, args, { cwd, env, detached: true, stdio: pipesOnly() })
  } finally {
    if (before !== undefined) process.umask(before)
  }
}

const ignore = (): void => {}
const nothing = Buffer.alloc(0)

function joined(chunks: Buffer[]): Buffer {
  return chunks.length === 0 ? nothing : chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

function describe(survivors: { pid: number; name: string }[], outputHeld: boolean): string[] {
  if (survivors.length > 0) return survivors.map(({ pid, name }) => `${name} (${pid})`)
  return outputHeld ? ['one that kept its output open'] : []
}

/** The ending of a process that was not started. */
export function neverBegan(error: unknown): Ending {
  const { code, message } = error as NodeJS.ErrnoException
  return {
    exit: null,
    signal: null,
    stdout: nothing,
    stderr: nothing,
    stdoutBytes: 0,
    stderrBytes: 0,
    flooded: false,
    left: [],
    error: { code: code ?? 'unknown', message },
  }
}
