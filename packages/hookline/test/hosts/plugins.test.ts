import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadHost } from '../../src/hosts/index.ts'
import { scratch } from '../support/scratch.ts'

type Handler = (...given: never[]) => Promise<Record<string, unknown> | undefined>

/** The plugin of a host as it is installed, with an entry that runs this script; its handlers, by the name of the event. */
async function loaded(host: string, script: string) {
  const home = scratch({ 'bin/hookline-hook': `#!/bin/sh\n${script}\n` })
  const entry = join(home, 'bin/hookline-hook')
  chmodSync(entry, 0o755)
  const mark = join(home, 'mark.json')
  const [file] = (await loadHost(host))!.setup.files('user', { home, project: home, env: {} }, { entry, mark })!
  if (file?.kind !== 'own') throw new Error('a plugin is a file of ours alone')
  const path = join(home, 'plugin.mjs')
  writeFileSync(path, file.content)
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>
  return { handlers: await handlersIn[host]!(module), mark, home }
}

const handlersIn: Record<string, (module: Record<string, unknown>) => Promise<Record<string, Handler>>> = {
  async opencode({ Hookline }) {
    return (Hookline as (context: object) => Promise<Record<string, Handler>>)({ directory: '/p' })
  },
  async pi({ default: extension }) {
    const handlers: Record<string, Handler> = {}
    ;(extension as (pi: object) => void)({
      on: (event: string, handler: Handler) => {
        handlers[event] = handler
      },
      sendUserMessage: (text: string) => {
        handlers['sent'] = async () => ({ text })
      },
    })
    return handlers
  },
  async cline({ default: plugin }) {
    return (plugin as { hooks: Record<string, Handler> }).hooks
  },
}

/** A call of the shell, as each host hands it to its handler before it runs; `args` is what would run. */
const calls: Record<string, () => { event: string; given: object[]; args: Record<string, unknown> }> = {
  opencode() {
    const args = { command: 'ls', workdir: '/' }
    return { event: 'tool.execute.before', given: [{ tool: 'bash', sessionID: 's', callID: 'c' }, { args }], args }
  },
  pi() {
    const args = { command: 'ls', timeout: 1 }
    return { event: 'tool_call', given: [{ toolName: 'bash', toolCallId: 'c', input: args }, { cwd: '/p' }], args }
  },
  cline() {
    const args = { commands: ['ls'] }
    const toolCall = { toolCallId: 'c', toolName: 'run_commands' }
    return {
      event: 'beforeTool',
      given: [{ snapshot: { conversationId: 's', messages: [] }, toolCall, input: args }],
      args,
    }
  },
}

/** Whether the host would refuse the call: by what the handler throws or gives back. */
async function refusedBy(host: string, script: string): Promise<string | undefined> {
  const { handlers } = await loaded(host, script)
  const { event, given } = calls[host]!()
  try {
    const answer = await handlers[event]!(...(given as never[]))
    return answer?.['block'] === true || answer?.['skip'] === true ? String(answer['reason']) : undefined
  } catch (error) {
    return (error as Error).message
  }
}

const answers: Record<string, { deny: string; rewrite: string; after: object }> = {
  opencode: { deny: '{"throw":"No."}', rewrite: '{"args":{"command":"ls -l"}}', after: { command: 'ls -l' } },
  pi: { deny: '{"block":true,"reason":"No."}', rewrite: '{"input":{"command":"ls -l"}}', after: { command: 'ls -l' } },
  cline: { deny: '{"skip":true,"reason":"No."}', rewrite: '{"input":{"commands":["x"]}}', after: { commands: ['x'] } },
}

describe.each(Object.keys(handlersIn))('the plugin for %s', (host) => {
  it('leaves a mark when it is loaded', async () => {
    const { mark } = await loaded(host, 'echo "{}"')
    expect(existsSync(mark)).toBe(true)
  })

  it('refuses what the entry refuses, and nothing else', async () => {
    expect(await refusedBy(host, `cat >/dev/null; echo '${answers[host]!.deny}'`)).toBe('No.')
    expect(await refusedBy(host, `cat >/dev/null; echo '{}'`)).toBeUndefined()
  })

  it.each([
    ['fails', 'exit 1'],
    ['is killed', 'kill -9 $$'],
    ['says nothing', 'cat >/dev/null'],
    ['says something else', 'cat >/dev/null; echo hello'],
    ['says a line beside the answer', "cat >/dev/null; echo hello; echo '{}'"],
    ['says no object', 'cat >/dev/null; echo 1'],
  ])('refuses, with a reason, when the entry %s', async (_how, script) => {
    expect(await refusedBy(host, script)).toContain(`npx hookline install ${host}`)
  })

  it('refuses when the entry is gone', async () => {
    const { handlers, home } = await loaded(host, 'exit 0')
    writeFileSync(join(home, 'bin/hookline-hook'), '#!/nowhere/interpreter\n')
    const { event, given } = calls[host]!()
    const outcome = await handlers[event]!(...(given as never[])).catch((error: Error) => ({
      skip: true,
      reason: error.message,
    }))
    expect(JSON.stringify(outcome)).toContain('could not judge')
  })

  it('puts new input in the place of the old', async () => {
    const { handlers } = await loaded(host, `cat >/dev/null; echo '${answers[host]!.rewrite}'`)
    const { event, given, args } = calls[host]!()
    const answer = await handlers[event]!(...(given as never[]))
    expect(answer?.['input'] ?? args).toEqual(answers[host]!.after)
  })

  it('lets an agent stop when the entry fails', async () => {
    const { handlers } = await loaded(host, 'exit 1')
    const stop: Record<string, [string, ...object[]]> = {
      opencode: ['event', { event: { type: 'session.idle', properties: { sessionID: 's' } } }],
      pi: ['turn_end', { message: { stopReason: 'stop', content: [] }, toolResults: [] }, {}],
      cline: ['afterRun', { snapshot: {}, result: { outputText: 'done' } }],
    }
    const [event, ...given] = stop[host]!
    expect(await handlers[event]!(...(given as never[]))).toBeUndefined()
  })
})
