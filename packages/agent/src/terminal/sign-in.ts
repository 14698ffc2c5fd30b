import { spawn } from 'node:child_process'
import { printable } from 'hookline/internal'
import type { Invitation } from '../tools/index.ts'
import type { Screen } from './screen.ts'

/** Shows where to sign in at an MCP server, and opens it in the browser where there is one. */
export const inviteAt =
  ({ say, paint }: Screen) =>
  ({ server, url, port }: Invitation): void => {
    const opened = openBrowser(url)
    say([
      `${paint.yellow('?')} The MCP server ${paint.bold(printable(server))} wants you to sign in. ${opened ? 'Your browser opens' : 'Open this in a browser'}:`,
      `  ${printable(url)}`,
      paint.dim(
        `  It comes back to port ${port} of this machine; from afar: ssh -L ${port}:127.0.0.1:${port} … first.`,
      ),
    ])
  }

/** `BROWSER`, as other programs have it; else what the system opens links with. False: there is no screen to show one on. */
function openBrowser(url: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const { BROWSER: own, DISPLAY, WAYLAND_DISPLAY } = env
  const program = own || systems[process.platform] || 'xdg-open'
  if (!own && !systems[process.platform] && !DISPLAY && !WAYLAND_DISPLAY) return false
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
  return true
}

const systems: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' }
