/** The exit code for each way in which the last run ended; what is not here is an error. */
const codes: Readonly<Record<string, number>> = {
  normal: 0,
  error: 1,
  gave_up: 1,
  refused: 2,
  halted: 2,
  hook_blocked: 2,
  max_iterations: 3,
  loop_detected: 3,
  canceled: 130,
}

export const exitOf = (reason: string): number => codes[reason] ?? 1

/** What each means, for the help. */
export const exits: Readonly<Record<number, string>> = {
  1: 'Something went wrong: the model, the config, or the goal was given up.',
  2: 'A hook refused: the prompt, the run, the worktree or the session.',
  3: 'Stopped at a limit: model calls, or the same tool call again and again.',
  64: 'Wrong usage.',
  129: 'The terminal went away (SIGHUP).',
  130: 'Interrupted (Ctrl+C).',
  143: 'Told to end (SIGTERM).',
}

/** Signals that end a session, and the code that says so. */
export const endings = { SIGTERM: 143, SIGHUP: 129 } as const
