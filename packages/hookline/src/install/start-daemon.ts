import { spawn } from 'node:child_process'
import { packageFile } from '../platform/index.ts'
import { installedDaemon } from './client.ts'
import { entryPath } from './engine.ts'

/** Agents start the daemon with their first call: by then nobody could have been known to be here. Where one runs, this does nothing. */
export function startDaemon(): void {
  const installed = installedDaemon(entryPath())
  if (!installed) return
  const [file, ...args] = installed
  spawn(file, args, { cwd: '/', detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref()
}

/** How long a busy machine may take to start one. */
const patienceMs = 20_000

/**
 * The same where no agent is installed, such as for root: a machine of a fleet needs one, whoever calls. Resolves when it
 * listens; false: it did not start.
 */
export async function startDaemonHere(): Promise<boolean> {
  const [file, ...args] = installedDaemon(entryPath()) ?? [
    process.execPath,
    packageFile('bin', 'hookline.js'),
    'daemon',
  ]
  const child = spawn(file, [...args, '--ready-fd', '3'], {
    ...{ cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  })
  const ready = child.stdio[3]!
  const isReady = await new Promise<boolean>((resolve) => {
    ready.once('data', () => resolve(true))
    child.once('error', () => resolve(false)).once('exit', () => resolve(false))
    setTimeout(() => resolve(false), patienceMs).unref()
  })
  ready.destroy()
  child.unref()
  return isReady
}
