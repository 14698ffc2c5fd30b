import type { Command } from '../command.ts'

export interface CommandEntry {
  summary: string
  load(): Promise<{ command: Command }>
}

/** The table of commands: one line each, loaded only when called. The overview, completion and docs/cli.md derive from it. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  dispatch: {
    summary: 'One event in, one verdict out, in the shape of any system',
    load: () => import('./dispatch.ts'),
  },
  guard: {
    summary: 'Judge commands, texts, addresses or paths, one JSON line each',
    load: () => import('./guard.ts'),
  },
}
