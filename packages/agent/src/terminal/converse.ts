import type { Attachment } from '../core/index.ts'
import type { RunEnd } from '../loop/index.ts'
import { runSlash } from './slash.ts'
import type { SlashContext } from './slash-command.ts'

export interface Conversation {
  /** Something was typed; what is attached goes with it. */
  typed(text: string, attachments?: readonly Attachment[]): void
  /** Ctrl+C: stops the work; twice, it ends the session. */
  interrupt(): void
  /** Esc: stops the work, and nothing else. */
  stop(): void
  /** The terminal is gone: the session ends as with SIGHUP. */
  hangUp(): void
  /** Nothing more will be typed: what is being done is finished, and then the session ends. */
  noMore(): void
  /** The `reason` of `session_end`, and an exit code if it differs from that of the run. */
  over: Promise<{ reason: string; exit?: number }>
}

export interface ConversationOptions {
  context: Omit<SlashContext, 'work' | 'quit'>
  /** The agent begins to work, or waits again. */
  working(at: boolean): void
  /** The `reason` of `session_end` when the input ends. */
  endReason: string
  /** How a prompt or a goal ended. */
  ended(end: RunEnd): void
}

/** Two presses within this time are one wish. */
const twiceMs = 2_000

/** Accepts prompts while the agent waits, steering while it works, and commands at any time. A prompt waits for a command to end. */
export function startConversation({ context: given, working, ended, endReason }: ConversationOptions): Conversation {
  const { agent, say, paint } = given
  let busy = 0
  /** Prompts and goals among what keeps it busy; the rest are commands, and nobody would read what steers them. */
  let runs = 0
  const waiting: (() => void)[] = []
  let closing = false
  let interrupted = 0
  let finish!: (reason: string, exit?: number) => void
  const over: Conversation['over'] = new Promise((resolve) => {
    finish = (reason, exit) => resolve({ reason, ...(exit === undefined ? {} : { exit }) })
  })
  const context: SlashContext = { ...given, work, quit: () => finish(endReason) }

  async function during(task: () => Promise<unknown>): Promise<void> {
    if (++busy === 1) working(true)
    try {
      await task()
    } catch (error) {
      say([paint.red((error as Error).message)])
    }
    if (--busy > 0) return
    working(false)
    for (const prompt of waiting.splice(0)) prompt()
    if (closing && busy === 0) finish(endReason)
  }

  function work(run: () => Promise<RunEnd>): Promise<void> {
    return during(async () => {
      runs++
      try {
        ended(await run())
      } finally {
        runs--
      }
    })
  }

  function prompt(text: string, attachments: readonly Attachment[]): void {
    if (runs > 0) agent.steer(text)
    else if (busy > 0) waiting.push(() => prompt(text, attachments))
    else void work(() => agent.prompt(text, attachments.length > 0 ? { attachments } : {}))
  }

  return {
    over,
    typed(text, attachments = []) {
      interrupted = 0
      if (text.trimStart().startsWith('/')) {
        const wasBusy = busy > 0
        void (wasBusy ? runSlash(text, context, true) : during(() => runSlash(text, context, false)))
      } else prompt(text, attachments)
    },
    interrupt() {
      const now = Date.now()
      if (now - interrupted < twiceMs) return finish('other', exitOf('canceled'))
      interrupted = now
      if (busy > 0) agent.cancel()
      say([
        paint.dim(busy > 0 ? 'Stopping. Ctrl+C again ends the session.' : 'Ctrl+C again, or /quit, ends the session.'),
      ])
    },
    stop() {
      if (busy === 0) return
      agent.cancel()
      say([paint.dim('Stopping.')])
    },
    hangUp: () => finish('other', endings.SIGHUP),
    noMore() {
      closing = true
      if (busy === 0) finish(endReason)
    },
  }
}

/** The exit code for each way in which the last run ended; what is not here is an error. */
const codes: Readonly<Record<string, number>> = {
  normal: 0,
  error: 1,
  gave_up: 1,
  refused: 2,
  halted: 2,
  hook_blocked: 2,
  max_iterations: 3,
  budget_exceeded: 3,
  loop_detected: 3,
  canceled: 130,
}

export const exitOf = (reason: string): number => codes[reason] ?? 1

/** Signals that end a session, and their exit codes. */
export const endings = { SIGTERM: 143, SIGHUP: 129 } as const
