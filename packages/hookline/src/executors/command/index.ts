import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import {
  type Call,
  defineExecutor,
  type Executor,
  HookFailure,
  note,
  programPins,
  type WireReply,
} from '../../core/index.ts'
import { callerUmask, guardHost, isDirectory, markVariable } from '../../platform/index.ts'
import { directoryInstead, hookEnvironment, hostDirectory, workingDirectory } from '../environment.ts'
import type { SandboxSpec } from '../sandbox/index.ts'
import { escapeBytes, passing, spawnFailure } from './failures.ts'
import { forkServer } from './fork-client.ts'
import { launch, programFields, systemShell } from './program.ts'
import { type Ending, type Order, type Running, start } from './spawn.ts'

export { findOnPath, headOf, isAllowed, launchScript } from './script.ts'

const commandSpec = z.strictObject({
  ...programFields,
  output_limit: z.optional(
    z.int().check(z.gte(1), z.lte(64 * 1024 * 1024), z.describe('Bytes of stdout; more is a failure. Default: 1 MiB.')),
  ),
  grace_ms: z.optional(
    z
      .int()
      .check(
        z.gte(0),
        z.lte(10_000),
        z.describe('Milliseconds between SIGTERM and SIGKILL at the deadline. Default: 500.'),
      ),
  ),
})
export type CommandSpec = z.infer<typeof commandSpec>

const mebibyte = 1024 * 1024
const stderrShare = 64 * 1024
/** How long to wait for room in a full process or file table, try by try. */
const pauses = [20, 50, 100, 200, 400, 800]

export interface CommandOptions {
  /** Resident memory of the host, in bytes, above which processes are started by the fork server. */
  forkServerAbove?: number
  /** Where the POSIX shell is. Where there is none, the embedded shell runs commands. */
  shell?: string
}

export function createCommandExecutor({
  forkServerAbove = 100 * mebibyte,
  shell = systemShell,
}: CommandOptions = {}): Executor<CommandSpec> {
  const embedded = embeddedShell()
  const marks = randomUUID()
  const server = forkServer(marks)
  const running = new Set<Running>()
  const isBig = hostSize(forkServerAbove)
  let unguard: (() => void) | undefined
  let whenIdle: (() => void) | undefined
  let calls = 0
  let closed = false

  return defineExecutor<CommandSpec>({
    type: 'command',
    contained: true,
    doc: 'A program or a shell command: payload on stdin, reply on stdout, exit code.',
    spec: commandSpec,
    pins: programPins,
    concurrency: Math.max(8, 4 * availableParallelism()),
    warm() {
      if (isBig()) server.prepare()
    },
    async run(spec, call) {
      if (closed || call.signal.aborted) throw new HookFailure('aborted', 'It was stopped before it began.')
      unguard ??= guardHost()
      const order = orderOf(spec, call, `${marks}.${++calls}`, workingDirectory(call), shell)
      const ending = await execute(order, call)
      if ('kind' in ending) return ending
      if (ending.error === undefined) return replyOf({ order, ending }, call)
      const last = await tryAgain(spec, call, order, ending)
      if ('kind' in last) return last
      return isMissing(last, shell) ? embedded.run(spec.command, call) : replyOf(last, call)
    },
    async close() {
      closed = true
      for (const process of running) process.kill()
      await Promise.all([server.close(), embedded.close()])
      if (running.size > 0) await new Promise<void>((resolve) => (whenIdle = resolve))
      unguard?.()
    },
  })

  /** How it ended; or its first line, if it goes on alone. Then it ends when it does, when it is stopped, or at close. */
  function execute(order: Order, call: Call): Promise<Ending | WireReply> {
    const { signal } = call
    return new Promise((resolve) => {
      let process: Running | undefined
      let settled = false
      let end = () => {}
      const stop = () => process?.stop()
      const leave = (firstLine: string) => {
        if (settled || !call.goesOnAlone?.(firstLine)) return
        signal.removeEventListener('abort', stop)
        process?.ignoreOutput()
        const ended = new Promise<void>((done) => (end = done))
        const goesOn = { ended, stop, ...(process?.handOver && { handOver: () => given(process!) }) }
        resolve({ kind: 'wire', exit: 0, stdout: firstLine, stderr: '', goesOn })
      }
      const ended = (ending: Ending) => {
        settled = true
        signal.removeEventListener('abort', stop)
        if (process && running.delete(process) && running.size === 0) whenIdle?.()
        end()
        resolve(ending)
      }
      process = begin(order, ended, call.goesOnAlone && leave)
      if (settled) return
      running.add(process)
      signal.addEventListener('abort', stop)
    })
  }

  function given(process: Running) {
    running.delete(process)
    return process.handOver!()
  }

  /** Until the fork server is ready, and whenever it cannot be had, the host starts the process itself. */
  function begin(order: Order, settle: (ending: Ending) => void, began?: (firstLine: string) => void): Running {
    if (!isBig()) return start(order, settle, began)
    server.prepare()
    return server.ready() ? server.start(order, settle, began) : start(order, settle, began)
  }

  /** It never began, so it may be tried again: in another directory if its own is gone, or when there is room again. */
  async function tryAgain(spec: CommandSpec, call: Call, order: Order, ending: Ending): Promise<Ended | WireReply> {
    let last: Ended = { order, ending }
    const { code } = ending.error ?? {}
    if ((code === 'ENOENT' || code === 'ENOTDIR') && order.cwd !== undefined && !isDirectory(order.cwd)) {
      const moved = orderOf(spec, call, order.mark, directoryInstead(call, order.cwd), shell)
      const again = await execute(moved, call)
      if ('kind' in again) return again
      last = { order: moved, ending: again }
    }
    for (const ms of pauses) {
      if (!passing.has(last.ending.error?.code ?? '') || closed) break
      await pause(ms, undefined, { signal: call.signal }).catch(() => {})
      if (call.signal.aborted) break
      const again = await execute(last.order, call)
      if ('kind' in again) return again
      last = { order: last.order, ending: again }
    }
    return last
  }

  function replyOf({ order, ending }: Ended, call: Call): WireReply {
    const { exit, stdout, stdoutBytes, stderrBytes } = ending
    call.measure({ stdin: Buffer.byteLength(order.stdin), stdout: stdoutBytes, stderr: stderrBytes })
    if (ending.left.length > 0)
      call.note(note('hook-leaked', { detail: `${ending.left.join(', ')}, stopped now` }, { hook: call.hook.id }))
    if (ending.flooded)
      throw new HookFailure(
        'output-limit',
        `It wrote more than ${order.stdoutLimit} bytes to stdout.`,
        'Print only the reply.',
      )
    if (closed || call.signal.aborted) throw new HookFailure('aborted', 'It was stopped.')
    if (ending.error !== undefined) throw spawnFailure(ending.error, order)
    const stderr = stderrText(ending)
    if (exit === null)
      throw new HookFailure(
        'signal',
        `It was killed by ${ending.signal}.${stderr && ` It printed: ${stderr.slice(-500)}`}`,
      )
    if (!isUtf8(stdout))
      throw new HookFailure('invalid-output', `Its output is not UTF-8: ${escapeBytes(stdout)}`, 'Print UTF-8.')
    return { kind: 'wire', exit, stdout: textOf(stdout), stderr }
  }
}

interface Ended {
  order: Order
  ending: Ending
}

/** Whether what could not be started is the shell itself. */
function isMissing({ order, ending }: Ended, shell: string): boolean {
  return ending.error?.code === 'ENOENT' && order.file === shell
}

function orderOf(spec: CommandSpec, call: Call, mark: string, cwd: string | undefined, shell: string): Order {
  const env = hookEnvironment(call, spec.clean_env)
  env[markVariable] = mark
  env['PWD'] = cwd ?? hostDirectory()
  const { file, args, missing } = launch(spec, env, cwd, shell)
  if (missing !== undefined)
    call.note(note('shebang-fallback', { interpreter: missing, found: file }, { hook: call.hook.id }))
  const limit = spec.output_limit ?? call.outputLimit ?? mebibyte
  const umask = callerUmask()
  return {
    file,
    args,
    cwd,
    env,
    stdin: `${call.request().body}\n`,
    stdoutLimit: limit,
    stderrLimit: Math.min(limit, stderrShare),
    graceMs: spec.grace_ms ?? 500,
    mark,
    ...(umask !== undefined && { umask }),
  }
}

function stderrText({ stderr, stderrBytes }: Ending): string {
  const text = textOf(stderr)
  return stderrBytes > stderr.length ? `${text}\n… and ${stderrBytes - stderr.length} bytes more` : text
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** Whether the host is bigger than this; it is weighed a few times a second at most. */
function hostSize(above: number): () => boolean {
  let weighedAt = Number.NEGATIVE_INFINITY
  let big = false
  return () => {
    const now = performance.now()
    if (now - weighedAt > 200) {
      weighedAt = now
      big = residentBytes() > above
    }
    return big
  }
}

/** The system counts it in a file, which a host without descriptors cannot open. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss()
  } catch {
    return 0
  }
}

/**
 * The shell we bring along, for machines that have no POSIX shell (Windows without Unix tools): the sandbox, with the
 * working directory mounted for reading and writing. Loaded when it is first needed.
 */
function embeddedShell() {
  let sandbox: Promise<Executor<SandboxSpec>> | undefined
  return {
    async run(command: string, call: Call): Promise<WireReply> {
      sandbox ??= import('../sandbox/index.ts').then(({ createSandboxExecutor }) => createSandboxExecutor())
      const detail =
        'this machine has no POSIX shell, so the embedded one runs the command, without programs of the machine'
      call.note(note('sandbox-limit', { detail }, { hook: call.hook.id }))
      const source = workingDirectory(call) ?? hostDirectory()
      const reply = await (await sandbox).run({ command, mounts: [{ source, target: '/workspace', mode: 'rw' }] }, call)
      return reply as WireReply
    },
    async close(): Promise<void> {
      await (await sandbox)?.close?.()
    },
  }
}
