import { loadPackage } from '../../platform/index.ts'
import { loadAgent } from '../agent-package.ts'
import type { Command, CommandTable } from '../command.ts'

/** The table of commands: one line each, loaded only when called. The overview, completion and docs/cli.md derive from it. */
export const commands: CommandTable = {
  init: {
    summary: 'Start: rules in a first config, installed in the agents on this machine and proved',
    load: () => import('./init.ts'),
  },
  install: {
    summary: 'Install Hookline in agents: their hooks run your rules',
    load: () => import('./install.ts'),
  },
  uninstall: {
    summary: 'Take Hookline out of agents: their files are as before, byte for byte',
    load: () => import('./uninstall.ts'),
  },
  hosts: {
    summary: 'List the agents: which are here, in which Hookline is installed, and whether they run it',
    load: () => import('./hosts.ts'),
  },
  ci: {
    summary: 'Run an agent in a pipeline: nobody is asked, the policy is pinned, and what was decided is kept',
    load: () => import('./ci.ts'),
  },
  deny: {
    summary: 'Add a rule that blocks a command, or anything else an agent does',
    load: () => import('./deny.ts'),
  },
  ask: {
    summary: 'Add a rule that asks you first',
    load: () => import('./ask.ts'),
  },
  allow: {
    summary: 'Add a rule that lets a command run without asking',
    load: () => import('./allow.ts'),
  },
  rules: {
    summary: 'List rules and how often each matched; decide about proposed ones; suggest new ones',
    load: () => import('./rules.ts'),
  },
  add: {
    summary: 'Add something ready-made to your config: a bundle, a builtin, or a script',
    load: () => import('./add.ts'),
  },
  remove: {
    summary: 'Remove a hook, a rule or a bundle from your config',
    load: () => import('./remove.ts'),
  },
  run: {
    summary: 'Run an agent in which every event is real',
    load: async () => (await loadAgent()).commands.run(),
  },
  sessions: {
    summary: 'List, show, resume, export or delete sessions of the agent',
    load: async () => (await loadAgent()).commands.sessions(),
  },
  mcp: {
    summary: 'Stand between an agent and an MCP server: your rules and hooks judge every call',
    load: async () => (await loadPackage<McpPackage>('@hookline/mcp', './commands')).commands.mcp(),
  },
  acp: {
    summary: 'Stand between an editor and an ACP agent: your rules and hooks judge what it asks of the editor',
    load: async () => (await loadPackage<AcpPackage>('@hookline/acp', './commands')).commands.acp(),
  },
  serve: {
    summary: 'Serve the console: every decision, open question and rule of this machine, in a browser and over HTTP',
    load: async () => (await loadPackage<ServerPackage>('@hookline/server', './commands')).commands.serve(),
  },
  worker: {
    summary:
      'Run turns of the server’s agents: any number of workers share them, and go on with those of one that dies',
    load: async () => (await loadPackage<ServerPackage>('@hookline/server', './commands')).commands.worker(),
  },
  enroll: {
    summary: 'Join a fleet: this machine takes its policy from a server, by a key of its own',
    load: () => import('./enroll.ts'),
  },
  ship: {
    summary: 'Send the journal of this machine to the server of its fleet, and go on with what is written',
    load: () => import('./ship.ts'),
  },
  policy: {
    summary: 'Write one policy for a fleet: make its keys, sign, publish and rotate; fetch it on a machine',
    load: () => import('./policy.ts'),
  },
  dispatch: {
    summary: 'Read one event, run its hooks, and print one verdict, in the shape of any system',
    load: () => import('./dispatch.ts'),
  },
  daemon: {
    summary: 'Keep hooks loaded for the agents of this user; started by itself when an agent calls',
    load: () => import('./daemon.ts'),
  },
  list: {
    summary: 'List every hook: where it comes from, whether it may run, when it last ran or failed',
    load: () => import('./list.ts'),
  },
  approve: {
    summary: 'Show exactly what a hook would run, and approve it',
    load: () => import('./approve.ts'),
  },
  revoke: {
    summary: 'Revoke approvals: these hooks no longer run',
    load: () => import('./revoke.ts'),
  },
  on: {
    summary: 'Switch hooks on again',
    load: () => import('./on.ts'),
  },
  off: {
    summary: 'Switch all hooks off, except those of the administrator',
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
    summary: 'Prove that each hook works and that each guard blocks',
    load: () => import('./doctor.ts'),
  },
  test: {
    summary: 'Run test cases: given an event, the hooks must decide as expected',
    load: () => import('./test.ts'),
  },
  explain: {
    summary: 'Show which hooks would run for an event, which would not, and why',
    load: () => import('./explain.ts'),
  },
  log: {
    summary: 'Show the journal: what hooks decided, and whether the record is intact',
    load: () => import('./log.ts'),
  },
  watch: {
    summary: 'Watch every decision of every agent live, and answer what they wait for',
    load: () => import('./watch.ts'),
  },
  pending: {
    summary: 'List what agents wait for: questions that they cannot ask you themselves',
    load: () => import('./pending.ts'),
  },
  answer: {
    summary: 'Answer a question that waits: yes, no, for the session, or for always',
    load: () => import('./answer.ts'),
  },
  replay: {
    summary: 'Show what would change with this config, from the journal, without running anything',
    load: () => import('./replay.ts'),
  },
  stats: {
    summary: 'Count how often each hook ran, what it decided, how long it took, how often it failed',
    load: () => import('./stats.ts'),
  },
  convert: {
    summary: 'Convert a config from one system to another, and list what changes meaning',
    load: () => import('./convert.ts'),
  },
  schema: {
    summary: 'Print the JSON Schema of the config, of a payload or of the verdict',
    load: () => import('./schema.ts'),
  },
  docs: {
    summary: 'Show the page of an event, builtin, bundle, command or error code',
    load: async () => ({ command: (await import('./docs.ts')).docsCommand(commands) }),
  },
  completion: {
    summary: 'Print the completion script for bash, zsh or fish',
    load: async () => ({ command: (await import('./completion.ts')).completionCommand(commands) }),
  },
}

/** What the command line uses of @hookline/server. */
interface ServerPackage {
  commands: Record<'serve' | 'worker', () => Promise<{ command: Command }>>
}

/** What the command line uses of @hookline/acp. */
interface AcpPackage {
  commands: { acp(): Promise<{ command: Command }> }
}

/** What the command line uses of @hookline/mcp. */
interface McpPackage {
  commands: { mcp(): Promise<{ command: Command }> }
}
