import { PassThrough } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { createHooks, type HooksOptions } from 'hookline'
import { onTestFinished } from 'vitest'
import { type AcpGuardOptions, guardAcp, lineLink } from '../src/index.ts'
// @ts-expect-error It is plain, so that a process can run it.
import { overLines, scriptedAgent } from './scripted-agent.mjs'

export interface Step {
  request?: string
  notify?: string
  params?: object
  /** The agent takes its request back after a moment. */
  late?: true
  /** The agent waits until it is cancelled. */
  waits?: true
}

export interface Came {
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

export const { client: methods } = acp.methods

/** The files, terminals and person of an editor of the protocol's own making. */
export function makeEditor(stream: acp.Stream) {
  const seen = {
    updates: [] as acp.SessionUpdate[],
    questions: [] as acp.RequestPermissionRequest[],
    requests: [] as { method: string; params: unknown }[],
    notified: [] as unknown[],
  }
  const files = new Map<string, string>()
  /** What the person answers: an option of this kind; else they dismiss the question. */
  const answers: acp.PermissionOptionKind[] = []
  const outputs: acp.TerminalOutputResponse[] = []
  const note = (method: string, params: unknown) => void seen.requests.push({ method, params })
  const connection = acp
    .client({ name: 'editor' })
    .onNotification(methods.session.update, ({ params }) => void seen.updates.push(params.update))
    .onRequest(methods.session.requestPermission, ({ params }) => {
      seen.questions.push(params)
      const kind = answers.shift()
      const option = params.options.find((each) => each.kind === kind)
      return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
    })
    .onRequest(methods.fs.readTextFile, ({ params }) => {
      note('read', params)
      if (params.path === '/never') return new Promise<never>(() => {})
      const content = files.get(params.path)
      if (content === undefined) throw acp.RequestError.resourceNotFound(params.path)
      return { content, _meta: { read: true } }
    })
    .onRequest(methods.fs.writeTextFile, ({ params }) => {
      note('write', params)
      files.set(params.path, params.content)
      return {}
    })
    .onRequest(methods.terminal.create, ({ params }) => {
      note('create', params)
      return { terminalId: `t${seen.requests.length}` }
    })
    .onRequest(methods.terminal.output, () => outputs.shift() ?? { output: '', truncated: false })
    .onRequest(methods.terminal.waitForExit, () => ({ exitCode: 0, signal: null }))
    .onRequest(methods.terminal.kill, () => ({}))
    .onRequest(methods.terminal.release, ({ params }) => {
      note('release', params)
      return {}
    })
    .onRequest('*', ({ params }) => ({ extended: params }))
    .onNotification(
      '_shop/tick',
      (params) => params,
      ({ params }) => void seen.notified.push(params),
    )
    .connect(stream)
  const { agent } = connection

  async function open(cwd = '/project') {
    const initialized = await agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    })
    const session = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] })
    return { initialized, session, sessionId: session.sessionId }
  }
  const prompt = (sessionId: string, text: string) =>
    agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })

  return {
    ...seen,
    ...{ connection, agent, files, answers, outputs, open, prompt },
    /** The agent does this in a turn. What came back of each request. */
    async play(sessionId: string, ...steps: Step[]): Promise<Came[]> {
      const { _meta } = await prompt(sessionId, JSON.stringify(steps))
      return (_meta?.['results'] ?? []) as Came[]
    },
    text: () =>
      seen.updates
        .flatMap((each) =>
          each.sessionUpdate === 'agent_message_chunk' && each.content.type === 'text' ? [each.content.text] : [],
        )
        .join('|'),
  }
}

/** An editor and an agent with the guard between them; without `options`, face to face. */
export async function between(options?: HooksOptions, more: Partial<AcpGuardOptions> = {}) {
  const [up, down, inner, outer] = [new PassThrough(), new PassThrough(), new PassThrough(), new PassThrough()]
  const { app, prompts } = scriptedAgent() as { app: ReturnType<typeof acp.agent>; prompts: acp.ContentBlock[][] }
  const warnings: string[] = []
  const hooks = await createHooks(options ?? {})
  onTestFinished(() => hooks.close())
  if (!options) {
    app.connect(overLines(down, up))
    return { ...makeEditor(overLines(up, down)), hooks, prompts, warnings, up, outer, close: async () => {} }
  }
  app.connect(overLines(outer, inner))
  const guard = await guardAcp({
    ...{ hooks, toAgent: lineLink(outer, inner), toEditor: lineLink(up, down) },
    warn: (text) => warnings.push(text),
    ...more,
  })
  onTestFinished(() => guard.close())
  return { ...makeEditor(overLines(up, down)), hooks, prompts, warnings, up, outer, close: () => guard.close() }
}
