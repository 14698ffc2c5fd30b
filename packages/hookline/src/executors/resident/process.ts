import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { HookFailure } from '../../core/index.ts'
import { adopt, groupRemains, pipesOnly, release, signalGroup, sweep } from '../../platform/index.ts'
import { spawnFailure } from '../command/failures.ts'

export interface Start {
  file: string
  args: readonly string[]
  cwd: string | undefined
  env: Record<string, string>
  mark: string
}

export interface Events {
  /** A whole line, without its end. */
  line(line: Buffer): void
  /** So many bytes and no end of the line. */
  growing(bytes: number): void
  /** Exactly once, when the process is gone or never came; the group is empty then. */
  ended(how: Ended): void
}

export interface Ended {
  /** Set when it never came. */
  failure?: HookFailure
  exit: number | null
  signal: NodeJS.Signals | null
}

export interface LongProcess {
  write(line: string): void
  /** The end of its stderr. */
  stderrEnd(): string
  /** Whether it keeps the host from ending. */
  hold(wanted: boolean): void
  /** End of input and SIGTERM to the group, SIGKILL after the grace; done when it is gone. */
  stop(): Promise<void>
}

const drainMs = 100
const graceMs = 500
const stderrBytes = 2_048
const newline = 0x0a

/** A long-lived process that reads and writes lines. */
export function startLong(start: Start, events: Events): LongProcess {
  let child: ChildProcess
  try {
    child = spawn(start.file, start.args, { cwd: start.cwd, env: start.env, detached: true, stdio: pipesOnly() })
  } catch (error) {
    return neverCame(error as NodeJS.ErrnoException)
  }
  const leader = child.pid
  if (leader === undefined) {
    child.once('error', neverCame)
    return absent
  }
  adopt(leader)
  const [stdin, stdout, stderr] = child.stdio as unknown as [Socket, Socket, Socket]
  let rest: Buffer[] = []
  let restBytes = 0
  let lastStderr = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  let ended = false
  let sayGone = (): void => {}
  const gone = new Promise<void>((resolve) => {
    sayGone = resolve
  })

  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})
  stdout.on('data', read)
  stderr.on('data', (chunk: Buffer) => {
    lastStderr = Buffer.concat([lastStderr, chunk]).subarray(-stderrBytes)
  })
  child.once('close', end)
  child.once('exit', () => {
    clearTimeout(timer)
    timer = setTimeout(end, drainMs)
  })
  return {
    write: (line) => void stdin.write(line),
    stderrEnd: () => lastStderr.toString('utf8').trim(),
    hold(wanted) {
      for (const handle of [child, stdin, stdout, stderr]) wanted ? handle.ref() : handle.unref()
    },
    stop() {
      if (!ended && timer === undefined) {
        stdin.end()
        signalGroup(leader, 'SIGTERM')
        timer = setTimeout(kill, graceMs)
      }
      return gone
    },
  }

  function read(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      const tail = chunk.subarray(from, at)
      const line = rest.length === 0 ? tail : Buffer.concat([...rest, tail])
      rest = []
      restBytes = 0
      from = at + 1
      events.line(line)
    }
    if (from === chunk.length || ended) return
    rest.push(chunk.subarray(from))
    restBytes += chunk.length - from
    events.growing(restBytes)
  }

  function kill(): void {
    signalGroup(leader as number, 'SIGKILL')
    timer = setTimeout(end, drainMs)
  }

  function end(): void {
    if (ended) return
    ended = true
    clearTimeout(timer)
    release(leader as number)
    if (groupRemains(leader as number)) sweep(leader as number, start.mark)
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
    events.ended({ exit: child.exitCode, signal: child.signalCode })
    sayGone()
  }

  function neverCame(error: NodeJS.ErrnoException): LongProcess {
    const failure = spawnFailure({ code: error.code ?? 'unknown', message: error.message }, start)
    queueMicrotask(() => events.ended({ failure, exit: null, signal: null }))
    return absent
  }
}

const absent: LongProcess = { write() {}, stderrEnd: () => '', hold() {}, stop: async () => {} }
