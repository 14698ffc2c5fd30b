import { type Invocation, printable } from 'hookline/internal'
import type { RunEnd } from '../loop/index.ts'
import { compose } from './compose.ts'
import { type Conversation, endings, exitOf, startConversation } from './converse.ts'
import { exitWithoutTerminal, isTerminalGone } from './gone.ts'
import { readRequest } from './request.ts'
import { openScreen } from './screens.ts'
import { showLatest } from './show.ts'
import { offered } from './slash.ts'

export { type HostedOptions, openHosted } from './remote.ts'
export { showTranscript } from './show.ts'

/** An editor drives the agent; loaded when one does. */
export const serveAcp = async (invocation: Invocation): Promise<number> =>
  (await import('./acp/index.ts')).serveAcp(invocation)

/** How long the end may take: hooks of `session_end`, open tools, the journal. */
const endMs = 8_000
/** And how long the process may then take to go. */
const goneMs = 2_000

/** If the end takes longer, a line names what it waits for. */
const slowMs = 1_500
const waiting = `Ending: hooks of \`session_end\` are still at work. It takes ${(endMs + goneMs) / 1000} seconds at most.`

/** `hookline run`: team, hooks, session and terminal are put together; then they talk; then all of it ends, in bounded time. */
export async function runAgent(invocation: Invocation): Promise<number> {
  const request = await readRequest(invocation)
  const screen = await openScreen(invocation, request.mode)
  const stopped = untilSignal(invocation)
  exitWithoutTerminal()
  // Whatever is being opened or ended then, nothing waits longer.
  stopped.signal.addEventListener('abort', () => setTimeout(() => process.exit(stopped.exit()), endMs + goneMs).unref())
  const composed = await compose(invocation, request, screen, stopped.signal)
  if ('refused' in composed) {
    const exit = stopped.exit() ?? exitOf(composed.refused.reason)
    screen.result({ session_id: '', ...composed.refused, exit })
    stopped.close()
    return exit
  }
  const { agent, hooks, team, cwd, record, kept, close } = composed

  let last: RunEnd | undefined
  const { paint, width, say, working } = screen
  const conversation = startConversation({
    context: { agent, hooks, team, cwd, record, invocation, desk: screen.desk, paint, width, say },
    working,
    endReason: screen.listen ? 'prompt_input_exit' : 'other',
    ended(end) {
      last = end
    },
  })
  stopped.interrupts(conversation)
  const { welcome } = team.agents[agent.agentName] ?? {}
  if (screen.listen && welcome !== undefined && request.resume === undefined) say([printable(welcome.trim())])
  if (screen.listen && request.resume !== undefined) say(['', ...showLatest(agent.messages, paint, width())])
  screen.listen?.(conversation, { cwd, commands: () => offered(team.agents[agent.agentName]) })
  if (request.prompt !== undefined) conversation.typed(request.prompt, request.attachments)
  else if (screen.listen) await agent.awaitInput()
  if (!screen.listen) conversation.noMore()
  const over = await Promise.race([conversation.over, stopped.over])

  // What runs beside the agent is part of the work; a person who leaves has ended it.
  if (!screen.listen && over.exit === undefined) await Promise.race([agent.settled(), stopped.over])
  screen.close()
  const slow = setTimeout(() => say([paint.dim(waiting)]), slowMs)
  await within(
    endMs,
    agent
      .end(over.reason)
      .then(() => hooks.close())
      .then(close),
  )
  clearTimeout(slow)
  // The end of the input may be seen before the signal that explains it.
  const usual = screen.listen ? (isTerminalGone() ? endings.SIGHUP : 0) : exitOf(last?.reason ?? 'normal')
  const exit = stopped.exit() ?? over.exit ?? usual
  screen.result({ session_id: agent.sessionId, reason: 'normal', response: '', ...last, exit })
  if (screen.listen && kept()) say([paint.dim('Kept. Go on with:'), `  hookline run --resume=${agent.sessionId}`])
  stopped.close()
  // What will not end must not keep the terminal.
  setTimeout(() => process.exit(exit), goneMs).unref()
  return exit
}

/**
 * Signals: Ctrl+C where no terminal turns it into a key; and those that end the session at once. Until there is a
 * conversation, every one of them stops what is being opened.
 */
function untilSignal({ input, output }: Invocation) {
  const opening = new AbortController()
  let signalled = false
  let code: number | undefined
  let arrived!: (exit?: number) => void
  const over: Conversation['over'] = new Promise((resolve) => {
    arrived = (exit) => {
      code = exit
      opening.abort()
      resolve({ reason: 'other', ...(exit === undefined ? {} : { exit }) })
    }
  })
  const ending = (exit: number) => () => {
    // The second signal ends the process at once; a terminal that goes away may say so more than once.
    if (signalled && exit !== endings.SIGHUP) process.exit(exit)
    signalled = true
    arrived(exit)
  }
  const listeners = Object.entries(endings).map(([name, exit]) => {
    const listener = ending(exit)
    process.on(name, listener)
    return () => process.off(name, listener)
  })
  let interrupts = ending(exitOf('canceled'))
  const interrupt = () => interrupts()
  process.on('SIGINT', interrupt)
  // A reader that went away (`| head`), or a terminal that did: the session ends as it should.
  output.removeAllListeners('error')
  output.on('error', () => arrived(output.isTTY ? endings.SIGHUP : undefined))
  // A terminal that went away can be neither read nor set back (EIO).
  input.on('error', () => arrived(endings.SIGHUP))
  return {
    over,
    signal: opening.signal,
    exit: () => code,
    interrupts(conversation: Conversation) {
      interrupts = conversation.interrupt
    },
    close() {
      // Late ones must not end by a signal what is ending in order.
      process.on('SIGHUP', () => {})
      for (const stop of listeners) stop()
      process.off('SIGINT', interrupt)
    },
  }
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
}
