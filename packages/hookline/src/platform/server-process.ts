import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { pipesOnly } from './descriptors.ts'
import { endWithHost } from './orphan-reaper/index.ts'
import { adopt, guardHost, markVariable, release, signalGroup, sweep } from './processes.ts'

export interface ServerCommand {
  command: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
}

/** A program that serves us on its stdin and stdout, with all that it started: one process group, which ends with us. */
export interface ServerProcess extends ChildProcessByStdio<Writable, Readable, Readable> {
  readonly ended: Promise<void>
  /** Takes its input away; what does not end by that is ended. */
  stop(): Promise<void>
}

const graceMs = 1_000

/** Rejects when it cannot be started. Its group also keeps the terminal's Ctrl+C from it. */
export function startServer({ command, args, cwd, env }: ServerCommand): Promise<ServerProcess> {
  const mark = `mcp-${randomUUID()}`
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...env, [markVariable]: mark },
      detached: true,
      stdio: pipesOnly(),
    })
    child.once('error', reject)
    child.once('spawn', () => {
      const leader = child.pid as number
      const unguard = guardHost()
      adopt(leader)
      const outlived = endWithHost(leader, mark)
      const ended = new Promise<void>((resolveEnd) => {
        child.once('exit', () => {
          sweep(leader, mark)
          release(leader)
          outlived()
          unguard()
          // What it printed last is still in the pipes. A process that left the group may hold them open, so not for long.
          const late = setTimeout(() => {
            for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
          }, graceMs)
          child.once('close', () => {
            clearTimeout(late)
            resolveEnd()
          })
        })
      })
      resolve(Object.assign(child, { ended, stop: () => stop(child.stdin, leader, ended) }))
    })
  })
}

async function stop(stdin: Writable, leader: number, ended: Promise<void>): Promise<void> {
  stdin.end()
  const soon = setTimeout(() => signalGroup(leader, 'SIGTERM'), graceMs / 4)
  const late = setTimeout(() => signalGroup(leader, 'SIGKILL'), graceMs)
  await ended
  clearTimeout(soon)
  clearTimeout(late)
}
