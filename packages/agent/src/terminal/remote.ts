import { type ConfigFile, type Invocation, type Paint, paintFor } from 'hookline/internal'
import type { Happening, Person } from '../core/index.ts'
import type { RunEnd } from '../loop/index.ts'
import type { PermissionMode, Permissions } from '../permissions/index.ts'
import { type Composed, compose } from './compose.ts'
import type { KeptElsewhere, RunRequest } from './request.ts'
import type { Screen } from './screen.ts'

/** What a session needs whose person sits elsewhere: at an editor, at a page, in a chat. */
export interface Remote {
  paint?: Paint
  /** Where its prompts come from, for hooks. Default: `web`. */
  channel?: string
  watch(happening: Happening): void
  /** What has to be known besides. */
  say(lines: readonly string[]): void
  person(permissions: Permissions, cwd: string): Person
  signal: AbortSignal
}

/** The session with everything that a run on a terminal has: hooks of all layers, trust, permissions, its record. */
export function composeRemote(
  invocation: Invocation,
  request: RunRequest,
  { paint = paintFor({ isTTY: false }), channel = 'web', watch, say, person, signal }: Remote,
): Promise<Composed | { refused: RunEnd }> {
  const screen: Screen = {
    ...{ paint, channel, watch, say, person, remote: true, width: () => 80 },
    ...{ hooks: () => {}, setHooks: () => {}, setWaiting: () => {} },
    ...{ working: () => {}, result: () => {}, close: () => {} },
  }
  return compose(invocation, request, screen, signal)
}

/** A session for a program that is no terminal, such as a server. */
export interface HostedOptions extends Omit<Remote, 'paint'> {
  cwd: string
  /** An agent file; absent: the usual agent. */
  file?: string
  /** The model for every agent. */
  model?: string
  /** What the rehearsal model plays: a file. */
  rehearse?: string
  /** A session to go on with. */
  resume?: string
  permissionMode?: PermissionMode
  /** Config beside that of the user and the project. */
  configs?: readonly ConfigFile[]
  /** Where hooks record what happens. Default: the usual journal. */
  journal?: string
  /** One more channel by which messages may leave, after `on_outbound_message`. */
  outbound?: RunRequest['outbound']
  /** Where the session is kept, when not among those of this user. */
  durable?: KeptElsewhere
}

/** Opens it, or tells why a hook refused it. */
export function openHosted(options: HostedOptions): Promise<Composed | { refused: RunEnd }> {
  const {
    cwd,
    file,
    model,
    rehearse: script,
    resume,
    permissionMode,
    configs,
    journal,
    outbound,
    durable,
    ...remote
  } = options
  const values = {
    cwd,
    ...(permissionMode !== undefined && { 'permission-mode': permissionMode }),
    ...(journal !== undefined && { journal }),
  }
  const errors = { write: () => true } as never
  const invocation: Invocation = {
    ...{ values, positionals: [], input: process.stdin, output: process.stdout, errors },
  }
  const request: RunRequest = {
    ...{ file, model, script, resume, prompt: undefined, attachments: [], mode: 'show', maxIterations: undefined },
    ...(configs && { configs }),
    ...(outbound && { outbound }),
    ...(durable && { durable }),
  }
  return composeRemote(invocation, request, remote)
}
