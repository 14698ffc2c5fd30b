import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { connectDaemon, type DaemonStatus, socketPath } from '../../src/daemon/index.ts'
import { entryCommand, isClosed } from '../../src/hosts/index.ts'
import { installEngine } from '../../src/install/index.ts'
import { inSurroundings } from '../../src/platform/index.ts'
import { type Session, unmarked } from './cli.ts'
import { remove } from './scratch.ts'

export const shellCall = (command: string, cwd: string) => ({
  ...{ session_id: 's1', cwd, hook_event_name: 'PreToolUse', permission_mode: 'default' },
  ...{ tool_name: 'Bash', tool_input: { command } },
})

/** A person with a home of their own, in which the entry for agents is installed; all tests of a file share it. */
export function agentHome() {
  const root = mkdtempSync(join(tmpdir(), 'hookline-agents-'))
  const { PATH = '' } = process.env
  const env: Record<string, string> = {
    ...{ PATH, HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'config'), TZ: process.env['TZ'] ?? 'UTC' },
    ...{ XDG_STATE_HOME: join(root, 'state'), XDG_DATA_HOME: join(root, 'data') },
  }
  for (const place of ['home', 'config', 'project']) mkdirSync(join(root, place))
  const inside = <T>(work: () => T): T => inSurroundings({ env, cwd: root, umask: 0o022 }, work)
  const { entry } = inside(() => installEngine())
  const socket = inside(() => socketPath())

  const status = async (): Promise<DaemonStatus | undefined> => {
    const connection = await connectDaemon({ socket })
    try {
      return await connection?.request('status', {})
    } catch {
      return undefined
    } finally {
      connection?.close()
    }
  }
  async function stop(): Promise<void> {
    const running = await status()
    if (running) process.kill(running.pid, 'SIGKILL')
  }
  afterAll(async () => {
    await stop()
    remove(root)
  })
  return { root, project: join(root, 'project'), env, entry, socket, inside, status, stop }
}

export interface CallOptions {
  host?: string
  event?: 'pre_tool_use' | 'stop'
  cwd: string
  env: Record<string, string>
  /** The line that hosts run around the entry. */
  wrapped?: boolean
}

/** Runs what an agent would run. */
export async function agentCall(entry: string, payload: unknown, options: CallOptions): Promise<Session> {
  const { host = 'claude', event = 'pre_tool_use', cwd, env, wrapped } = options
  const line = entryCommand({ entry, host, event, closed: isClosed(event) })
  const [program, args] = wrapped ? ['/bin/sh', ['-c', line]] : [entry, [host, event]]
  const child = spawn(program, args, { cwd, env: unmarked(env), stdio: 'pipe' })
  const session: Session = { exit: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (session.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (session.stderr += chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const [exit] = await once(child, 'close')
  return { ...session, exit: exit as number | null }
}

/** Waits until it holds. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
