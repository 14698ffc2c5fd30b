import { loadAgent } from '../agent-package.ts'
import type { Command } from '../command.ts'

export interface CommandEntry {
  summary: string
  load(): Promise<{ command: Command }>
}

/** The table of commands: one line each, loaded only when called. The overview, completion and docs/cli.md derive from it. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary: 'Begin: write a config with sensible guards, and see what it does',
    load: () => import('./init.ts'),
  },
  add: {
    summary: 'Add something ready-made to your config: a bundle, a builtin, or a script',
    load: () => import('./add.ts'),
  },
  remove: {
    summary: 'Take a hook or a bundle out of your config',
    load: () => import('./remove.ts'),
  },
  run: {
    summary: 'Run an agent in which every event is real',
    load: async () => (await loadAgent()).commands.run(),
  },
  sessions: {
    summary: 'What the agent has done: list, show, resume, export, delete',
    load: async () => (await loadAgent()).commands.sessions(),
  },
  dispatch: {
    summary: 'One event in, one verdict out, in the shape of any system',
    load: () => import('./dispatch.ts'),
  },
  list: {
    summary: 'Every hook: where it comes from, whether it may run, when it last did, how it last failed',
    load: () => import('./list.ts'),
  },
  approve: {
    summary: 'Look at exactly what a hook would run, and let it',
    load: () => import('./approve.ts'),
  },
  revoke: {
    summary: 'Take approvals back: these hooks do not run any more',
    load: () => import('./revoke.ts'),
  },
  on: {
    summary: 'Switch hooks on again',
    load: () => import('./on.ts'),
  },
  off: {
    summary: 'Switch all hooks off, but for those of the administrator',
    load: () => import('./off.ts'),
  },
  guard: {
    summary: 'Judge commands, texts, addresses or paths, one JSON line each',
    load: () => import('./guard.ts'),
  },
  check: {
    summary: 'Find what is wrong with a config, without running any hook',
    load: () => import('./check.ts'),
  },
  doctor: {
    summary: 'Prove that each hook works, and that each guard blocks',
    load: () => import('./doctor.ts'),
  },
  test: {
    summary: 'Play cases: what happens, and what the hooks must make of it',
    load: () => import('./test.ts'),
  },
  explain: {
    summary: 'Who would be asked about an event, who not, and why',
    load: () => import('./explain.ts'),
  },
  log: {
    summary: 'The journal: what was asked, what was decided, by whom; and whether the record is intact',
    load: () => import('./log.ts'),
  },
  replay: {
    summary: 'What would have gone otherwise, had this config been there: from the journal, running nothing',
    load: () => import('./replay.ts'),
  },
  stats: {
    summary: 'How often each hook was asked, what it said, how long it took, how often it failed',
    load: () => import('./stats.ts'),
  },
  convert: {
    summary: 'A config from one system to another, with what changes meaning',
    load: () => import('./convert.ts'),
  },
  schema: {
    summary: 'The JSON Schemas of the config, of payloads and of the verdict',
    load: () => import('./schema.ts'),
  },
  docs: {
    summary: 'The page of an event, builtin, bundle, command or error code',
    load: () => import('./docs.ts'),
  },
  completion: {
    summary: 'The completion script for bash, zsh or fish',
    load: () => import('./completion.ts'),
  },
}
