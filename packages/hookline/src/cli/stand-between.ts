import { type EventName, formatNote } from '../core/index.ts'
import { fileState } from '../executors/index.ts'
import { createHooks, type Hooks } from '../hooks/index.ts'
import { version } from '../platform/index.ts'
import { type Link, startLinked } from '../platform/json-rpc/index.ts'
import { type Invocation, texts, UsageError } from './command.ts'
import { type Configured, configured } from './configured.ts'
import { journalFor } from './journal-for.ts'
import { trustBy } from './prepare-hooks.ts'

/** What a command that stands between an agent and another program has: hooks, and how to say something to a person. */
export interface Between {
  hooks: Hooks
  settings: Configured
  warn(words: string): void
}

/** What every such command sees of an agent; `more` is what its protocol shows beyond that. */
const callEvents: readonly EventName[] = [
  ...(['session_start', 'session_end', 'pre_tool_use', 'tool_guard', 'permission_request'] as const),
  ...(['on_tool_approval_decision', 'tool_response_transform', 'post_tool_use', 'post_tool_use_failure'] as const),
]

/**
 * The hooks of this directory, kept up to date. Where nothing is configured, the bundles `security` and `secrets` guard. Which
 * hooks can never run here is said at once.
 */
export async function standBetween(
  invocation: Invocation,
  host: string,
  more: readonly EventName[] = [],
): Promise<Between> {
  const { values, errors } = invocation
  const warn = (words: string) => void errors.write(`hookline: ${words}\n`)
  const found = await configured(invocation, [], { mayBeNone: true })
  const { cwd, off, settings, find, places } = found
  const unguarded = found.files.every((each) => each.text !== undefined)
  const { trust } = await trustBy(texts(values['trust']))
  const onNote = (note: Parameters<typeof formatNote>[0]) => warn(formatNote(note))
  const hooks = await createHooks({
    files: find,
    watch: places(),
    state: fileState(),
    host: { name: host, version: version() },
    cwd,
    off: lookedAtOnce(off),
    journal: journalFor(values, settings, onNote),
    ...(unguarded && { use: ['security', 'secrets'] }),
    ...(trust && { trust }),
    onNote,
  })
  const raised = new Set([...callEvents, ...more])
  const silent = hooks.hooks.filter(({ event, enabled }) => enabled && !raised.has(event))
  const named = silent.map(({ id, event }) => `${id} (${event})`).join(', ')
  if (named) warn(`these hooks never run here, because \`hookline ${host}\` does not see their events: ${named}`)
  return { hooks, settings: found, warn }
}

/** The switch is a file, and one call raises five events: it is looked at once for all of them. */
function lookedAtOnce<T>(look: () => T): () => T {
  let seen: { value: T; until: number } | undefined
  return () => {
    const now = performance.now()
    if (!seen || now >= seen.until) seen = { value: look(), until: now + 50 }
    return seen.value
  }
}

/** Starts the program behind `--`. `what` it is, for the message when it does not start. */
export async function startBehind(what: string, { positionals, errors }: Invocation, cwd: string): Promise<Link> {
  const [command = '', ...args] = positionals
  try {
    return await startLinked({ command, args, cwd, env: process.env as Record<string, string> }, errors)
  } catch (error) {
    throw new UsageError(
      `${what} could not be started: ${command}: ${(error as Error).message}. Is it installed, and on PATH?`,
    )
  }
}
