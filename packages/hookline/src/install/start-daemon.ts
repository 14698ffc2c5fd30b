import { spawn } from 'node:child_process'
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
