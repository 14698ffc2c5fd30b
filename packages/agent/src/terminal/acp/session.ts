import type * as acp from '@agentclientprotocol/sdk'
import { methods, RequestError } from '@agentclientprotocol/sdk'
import { type Invocation, type Paint, paintFor } from 'hookline/internal'
import type { Attachment, Happening } from '../../core/index.ts'
import type { RunEnd } from '../../loop/index.ts'
import { permissionModes } from '../../permissions/index.ts'
import { composeRemote } from '../remote.ts'
import type { RunRequest } from '../request.ts'
import { offered, runSlash } from '../slash.ts'
import { personAtEditor } from './person.ts'
import { createUpdates, type Update } from './updates.ts'

/** One session of an editor. */
export interface AcpSession {
  readonly id: string
  prompt(content: readonly acp.ContentBlock[], signal: AbortSignal): Promise<acp.PromptResponse>
  cancel(): void
  /** Tells the editor what was said before. */
  replay(): Promise<void>
  offerCommands(): void
  /** What may run without a question: ours, in the editor's words. */
  modes(): acp.SessionModeState
  setMode(mode: string): void
  close(reason: string): Promise<void>
}

export interface AcpSessionOptions {
  client: acp.AgentContext
  invocation: Invocation
  request: RunRequest
  say(lines: readonly string[]): void
  paint: Paint
}

/** In the order in which they happen: an editor shows what it gets. */
export async function openAcpSession(options: AcpSessionOptions): Promise<AcpSession> {
  const { client, invocation, request, say, paint } = options
  const opening = new AbortController()
  let id = ''
  let sent: Promise<unknown> = Promise.resolve()
  let cwd = String(invocation.values['cwd'])
  const { watch, ofMessages } = createUpdates(() => cwd, send)

  function send(update: Update | Promise<Update | undefined>): void {
    sent = sent
      .then(async () => {
        const ready = await update
        if (ready) await client.notify(methods.client.session.update, { sessionId: id, update: ready })
      })
      .catch(() => {})
  }
  const write = (text: string) =>
    send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${text}\n` } })

  const composed = await composeRemote(invocation, request, {
    ...{ paint, say, signal: opening.signal, channel: 'acp' },
    watch(happening: Happening) {
      id ||= happening.session_id
      watch(happening)
    },
    person: (permissions) =>
      personAtEditor(
        client,
        () => id,
        permissions,
        () => cwd,
      ),
  })
  if ('refused' in composed)
    throw RequestError.internalError(composed.refused, composed.refused.detail ?? 'The session was refused.')
  const { agent, hooks, team, record, close } = composed
  cwd = composed.cwd
  id = agent.sessionId
  await agent.awaitInput()

  /** What the prompt is: a command of ours, or words for the agent. */
  async function run(text: string, attachments: readonly Attachment[]): Promise<RunEnd> {
    if (!/^\/[a-z][\w-]*(?:\s|$)/.test(text)) return agent.prompt(text, { attachments })
    let end: RunEnd = { reason: 'normal', response: '' }
    await runSlash(
      text,
      {
        ...{ agent, hooks, team, cwd, record, invocation },
        paint: paintFor({ isTTY: false }),
        width: () => 80,
        say: (lines) => write(`\`\`\`\n${lines.join('\n')}\n\`\`\``),
        async work(job) {
          end = await job()
        },
        quit: () => write('The editor ends the session.'),
      },
      false,
    )
    return end
  }

  return {
    id,
    async prompt(content, signal) {
      const cancel = () => agent.cancel()
      signal.addEventListener('abort', cancel)
      try {
        const end = await run(textOf(content), content.flatMap(attachmentOf))
        await sent
        return { stopReason: stopReasonOf(end) }
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
    cancel: () => agent.cancel(),
    async replay() {
      for (const update of ofMessages(agent.messages)) send(update)
      await sent
    },
    offerCommands: () =>
      send({
        sessionUpdate: 'available_commands_update',
        availableCommands: offered(team.agents[agent.agentName])
          .filter(({ name }) => name !== 'quit')
          .map(({ name, usage, doc }) => ({ name, description: doc, ...(usage && { input: { hint: usage } }) })),
      }),
    modes: () => ({
      currentModeId: agent.permissionMode,
      availableModes: permissionModes.map((mode) => ({ id: mode, name: mode })),
    }),
    setMode(mode) {
      const known = permissionModes.find((each) => each === mode)
      if (known === undefined) throw RequestError.invalidParams({ mode }, `There is no mode ${mode}.`)
      agent.setPermissionMode(known)
      send({ sessionUpdate: 'current_mode_update', currentModeId: known })
    },
    async close(reason) {
      opening.abort()
      await agent.end(reason)
      await hooks.close()
      await close()
    },
  }
}

/** How a run ended, in the editor's words. What went wrong is an error there. */
function stopReasonOf({ reason, detail }: RunEnd): acp.StopReason {
  if (reason === 'error') throw RequestError.internalError({ details: detail }, detail ?? 'The model failed.')
  return reasons[reason] ?? 'refusal'
}

/** An editor takes `end_turn` for done, so that nothing else may be that. */
const reasons: Readonly<Record<string, acp.StopReason>> = {
  normal: 'end_turn',
  gave_up: 'max_turn_requests',
  canceled: 'cancelled',
  max_iterations: 'max_turn_requests',
  loop_detected: 'max_turn_requests',
  budget_exceeded: 'max_turn_requests',
  refused: 'refusal',
  halted: 'refusal',
  hook_blocked: 'refusal',
}

/** A prompt as text: files that the editor names or brings along are part of it. */
function textOf(content: readonly acp.ContentBlock[]): string {
  return content
    .map((part) => {
      if (part.type === 'text') return part.text
      if (part.type === 'resource_link') return part.uri.replace(/^file:\/\//, '')
      if (part.type === 'resource' && 'text' in part.resource)
        return `\n<file path="${part.resource.uri.replace(/^file:\/\//, '')}">\n${part.resource.text}\n</file>\n`
      return attachmentOf(part).length > 0 ? '' : `(${part.type} that cannot be read here)`
    })
    .join('')
}

function attachmentOf(part: acp.ContentBlock): Attachment[] {
  if (part.type === 'image') return [{ name: part.uri ?? 'picture', media_type: part.mimeType, data: part.data }]
  if (part.type !== 'resource' || !('blob' in part.resource)) return []
  const { uri, mimeType, blob } = part.resource
  return [{ name: uri.replace(/^file:\/\//, ''), media_type: mimeType ?? 'application/octet-stream', data: blob }]
}
