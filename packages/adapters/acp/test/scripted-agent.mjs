import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as acp from '@agentclientprotocol/sdk'

const { agent: methods } = acp.methods

/**
 * An agent of the protocol's own making. A prompt that is JSON lists what it does, one after the other: `request` or `notify`, with
 * params; it then says what came back, in `_meta` of its response. Any other prompt it says back. Made plain, so that a process can run it.
 */
export function scriptedAgent() {
  const prompts = []
  const turns = new Map()
  let sessions = 0
  const update = (client, sessionId, words) =>
    client.notify(acp.methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } },
    })
  const app = acp
    .agent({ name: 'scripted' })
    .onRequest(methods.initialize, ({ params }) => ({
      protocolVersion: params.protocolVersion,
      agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {} } },
      authMethods: [],
      _meta: { heard: params.clientCapabilities },
    }))
    .onRequest(methods.session.new, ({ client }) => {
      const sessionId = `s${++sessions}`
      // Comes right behind the response.
      queueMicrotask(() => setImmediate(() => update(client, sessionId, 'ready')))
      return {
        sessionId,
        modes: {
          currentModeId: 'a',
          availableModes: [
            { id: 'a', name: 'A' },
            { id: 'b', name: 'B' },
          ],
        },
      }
    })
    .onRequest(methods.session.load, async ({ client, params }) => {
      await update(client, params.sessionId, 'said before')
      return { modes: null, _meta: { kept: 1 } }
    })
    .onRequest(methods.session.resume, () => ({}))
    .onRequest(methods.session.close, () => ({}))
    .onRequest(methods.session.setMode, ({ params }) => ({ _meta: { mode: params.modeId } }))
    .onRequest(methods.session.prompt, async ({ client, params, signal }) => {
      const cancelled = new Promise((resolve) => turns.set(params.sessionId, resolve))
      prompts.push(params.prompt)
      const words = params.prompt.map((block) => block.text ?? '').join('\n')
      if (!words.startsWith('[')) {
        await update(client, params.sessionId, `You said: ${words}`)
        return { stopReason: 'end_turn' }
      }
      const results = []
      for (const { request, notify, waits, ...step } of JSON.parse(words)) {
        const given = { sessionId: params.sessionId, ...step.params }
        if (waits) return { stopReason: await Promise.race([cancelled, aborted(signal)]) }
        if (notify) await client.notify(notify, given)
        else
          results.push(
            await client.request(request, given, step.late ? { cancellationSignal: AbortSignal.timeout(50) } : {}).then(
              (result) => ({ result }),
              ({ code, message, data }) => ({ error: { code, message, data } }),
            ),
          )
      }
      return { stopReason: 'end_turn', _meta: { results } }
    })
    .onNotification(methods.session.cancel, ({ params }) => turns.get(params.sessionId)?.('cancelled'))
    .onRequest('*', ({ params }) => ({ extended: params }))
  return { app, prompts }
}

const aborted = (signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('cancelled'), { once: true }))

/** The web streams of the SDK over those of Node. */
export const overLines = (output, input) => acp.ndJsonStream(Writable.toWeb(output), Readable.toWeb(input))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const connection = scriptedAgent().app.connect(overLines(process.stdout, process.stdin))
  await connection.closed
}
