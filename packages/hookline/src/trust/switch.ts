import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Note, note } from '../core/index.ts'
import { homeDirectory } from '../platform/index.ts'
import { readPrivate, writePrivate } from './approvals.ts'
import { isRedirected } from './files.ts'

/** The master switch of one person: a file of their own that holds since when hooks are off. */
export interface Switch {
  /** Since when hooks are off; read anew each time. Whatever is doubtful about the file, they are on. */
  since(): string | undefined
  /** What to say of it while they are off. */
  off(): Note | undefined
  turn(to: 'on' | 'off'): void
}

/** `workspace`: where the agent works. A switch that lies in there counts for nothing, unless it is at its usual place. */
export function openSwitch(directory: string, workspace?: string): Switch {
  const file = join(directory, 'off')
  const redirected = workspace !== undefined && isRedirected(directory, workspace, homeDirectory())

  function since(): string | undefined {
    if (redirected) return undefined
    try {
      return readPrivate(file)?.trim().slice(0, 30)
    } catch {
      return undefined
    }
  }

  return {
    since,
    off() {
      const moment = since()
      return moment === undefined ? undefined : note('switched-off', { since: moment })
    },
    turn(to) {
      if (to === 'on') rmSync(file, { force: true })
      else writePrivate(directory, file, `${new Date().toISOString()}\n`)
    },
  }
}
