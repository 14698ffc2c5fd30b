import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { type Note, note, parseJson, printable } from '../core/index.ts'
import { homeDirectory } from '../platform/index.ts'
import { readPrivate, writePrivate } from './approvals.ts'
import { isRedirected } from './files.ts'

/** The master switch of one person: a file of their own that holds since when hooks are off, until when, and why. */
export interface Switch {
  /** Since when hooks are off; read anew each time. Whatever is doubtful about the file, they are on. */
  since(): string | undefined
  /** What to say of it while they are off. */
  off(): Note | undefined
  on(): void
  /** Without an end, until somebody switches them on. */
  turnOff(given?: Pick<Off, 'until' | 'reason'>): void
}

export interface Off {
  since: string
  until?: string | undefined
  reason?: string | undefined
}

/** `workspace`: where the agent works. A switch that lies in there counts for nothing, unless it is at its usual place. */
export function openSwitch(directory: string, workspace?: string): Switch {
  const file = join(directory, 'off')
  const redirected = workspace !== undefined && isRedirected(directory, workspace, homeDirectory())

  function read(): Off | undefined {
    if (redirected) return undefined
    try {
      const text = readPrivate(file)?.trim()
      const found = text === undefined ? undefined : decode(text)
      return found && isOver(found) ? undefined : found
    } catch {
      return undefined
    }
  }

  return {
    since: () => read()?.since,
    off() {
      const found = read()
      return found && note('switched-off', { since: describeOff(found) })
    },
    on: () => rmSync(file, { force: true }),
    turnOff(given = {}) {
      const off: Off = { since: new Date().toISOString(), ...given }
      writePrivate(directory, file, `${off.until || off.reason ? JSON.stringify(off) : off.since}\n`)
    },
  }
}

/** It ends by itself: nobody need be there, and nothing need run. Who sets the clock back does not make it longer. */
const isOver = ({ since, until }: Off, now = Date.now()): boolean =>
  until !== undefined && !(now < Date.parse(until) && now >= Date.parse(since) - clockStepMs)

/** Clocks are put right by so much without anybody setting them. */
const clockStepMs = 60_000

const shape = z.object({ since: z.string(), until: z.optional(z.string()), reason: z.optional(z.string()) })

/** The moment alone, or with when it ends and why. */
function decode(text: string): Off | undefined {
  if (!text.startsWith('{')) return { since: text.slice(0, 30) }
  const parsed = parseJson(text)
  const checked = parsed.ok ? shape.safeParse(parsed.value) : undefined
  return checked?.success ? checked.data : undefined
}

const describeOff = ({ since, until, reason }: Off): string =>
  `${since}${until === undefined ? '' : ` until ${until}`}${reason === undefined ? '' : ` (${printable(reason)})`}`
