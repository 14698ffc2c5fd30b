import { basename, dirname, resolve } from 'node:path'
import { type Event, type EventName, eventRow, type Hook, isOfSubAgent, isRecord } from '../../core/index.ts'
import { type Git, known, type Look, type Moment, type Slot } from '../../rules/index.ts'

/** What an event asks of rules: about a call of a tool, a prompt, or a message that leaves. */
export type Subject =
  | { about: 'call'; tool: string; names: readonly string[]; input: Readonly<Record<string, unknown>> }
  | { about: 'prompt'; text: string }
  | { about: 'message'; to: Slot; text: string }

export function subjectOf({ name, payload, ...event }: Event): Subject | undefined {
  const { subject } = eventRow(name)
  const [tool, input] = [payload[subject.tool ?? ''], payload[subject.args ?? '']]
  if (typeof tool === 'string') {
    const original = (event as { original?: { tool?: unknown } }).original?.tool
    const names = typeof original === 'string' && original !== tool ? [tool, original] : [tool]
    return { about: 'call', tool, names, input: isRecord(input) ? input : {} }
  }
  return readers[name]?.(payload)
}

const readers: Partial<Record<EventName, (payload: Readonly<Record<string, unknown>>) => Subject>> = {
  user_prompt_submit: ({ prompt }) => ({ about: 'prompt', text: String(prompt ?? '') }),
  user_followup_submit: ({ prompt }) => ({ about: 'prompt', text: String(prompt ?? '') }),
  user_steering_messages_submit: ({ steering_messages: texts }) => ({
    about: 'prompt',
    text: [texts].flat().join('\n'),
  }),
  on_outbound_message: ({ channel, type, notification }) => ({
    about: 'message',
    to: typeof channel === 'string' ? known(channel) : typeof type === 'string' ? known(type) : { parts: ['', ''] },
    text: String(notification ?? ''),
  }),
}

export function momentOf(event: Event, cwd: string, look: Look, now: Date): Moment {
  const { agent_name: agent, permission_mode: mode, principal, tenant } = event.payload as Record<string, unknown>
  let git: Git | undefined | null = null
  return {
    agent: named(agent),
    principal: named(principal),
    tenant: named(tenant),
    host: event.raisedBy?.name ?? event.host ?? 'hookline',
    permissionMode: typeof mode === 'string' ? mode : 'default',
    subagent: isOfSubAgent(event.payload),
    now,
    get git() {
      if (git === null) git = gitOf(look, cwd)
      return git
    },
  }
}

const named = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

function gitOf(look: Look, cwd: string): Git | undefined {
  const found = look.git?.(cwd)
  if (!found) return undefined
  return {
    branch: found.branch,
    ...(found.remotes && { remotes: found.remotes }),
    get dirty() {
      return found.dirty
    },
  }
}

/** Layers whose files lie in the project that they are about. */
const inProject = new Set(['project', 'local', 'session'])

/** Where relative patterns begin: with the file of a project, beside it; with any other, where the agent works. */
export function baseOf(
  { origin: { layer, where } }: Hook,
  payload: Readonly<Record<string, unknown>>,
  cwd: string,
): string {
  if (where && inProject.has(layer)) {
    // Files are named as the user would, from where the process runs.
    const directory = dirname(resolve(where.file))
    return ownDirectories.has(basename(directory))
      ? dirname(directory)
      : basename(directory) === 'hooks.d' && ownDirectories.has(basename(dirname(directory)))
        ? dirname(dirname(directory))
        : directory
  }
  return typeof payload['project_dir'] === 'string' ? payload['project_dir'] : cwd
}

const ownDirectories = new Set(['.hookline'])
