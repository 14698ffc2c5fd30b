import { spawn } from 'node:child_process'
import { desktopNotice } from '../../builtins/index.ts'
import { printable } from '../../core/index.ts'
import type { PendingQuestion } from '../../daemon/index.ts'
import { redactText } from '../../guards/index.ts'
import { callerEnvironment } from '../../platform/index.ts'
import { cut } from '../text/entries.ts'

/** Shows a question on the desktop. Where there is none, or no program for it, nothing happens: it goes on waiting. */
export function notifyDesktop({ id, host, what }: PendingQuestion): void {
  const asked = cut(printable(redactText(what).redacted.replace(/\s+/g, ' ')), 160)
  const notice = desktopNotice(process.platform, `${host} asks`, `${asked}\nhookline answer ${id} yes|no`)
  if (!notice) return
  const [program, args] = notice
  const env = callerEnvironment() as NodeJS.ProcessEnv
  const shown = spawn(program, args, { env, stdio: 'ignore', detached: true })
  shown.on('error', () => {})
  shown.unref()
}
