import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createHooks } from '../../src/hooks/index.ts'
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

it('pi goes on working where a hook sends it back, before its run has ended', async () => {
  const { handlers } = await loaded('pi', `cat >/dev/null; echo '{"followUp":"Not yet."}'`)
  const end = { message: { stopReason: 'stop', content: [] }, toolResults: [] }
  // Without a screen, pi does not wait for anything.
  handlers['turn_end']!(...([end, { hasUI: false }] as never[]))
  expect(await handlers['sent']!()).toEqual({ text: 'Not yet.' })
  expect(await handlers['input']!(...([{ text: 'Not yet.' }, {}] as never[]))).toBeUndefined()
})

describe('programs in the hooks directory of Cline, which judge where it did not load our plugin', () => {
  const payload = (more: object = {}) => ({
    ...{ clineVersion: '', taskId: 'conv_1', workspaceRoots: ['/p'], hookName: 'tool_call', iteration: 1 },
    ...{ tool_call: { id: 'c', name: 'run_commands', input: { commands: ['ls'] } }, ...more },
  })

  /** What Cline, which is this process, reads from them; and what the plugin leaves there. */
  async function installed(script: string) {
    const home = scratch({ 'bin/hookline-hook': `#!/bin/sh\n${script}\n` })
    const entry = join(home, 'bin/hookline-hook')
    chmodSync(entry, 0o755)
    const mark = join(home, 'cline.json')
    const files = (await loadHost('cline'))!.setup.files('user', { home, project: home, env: {} }, { entry, mark })!
    const run = (event: string, given: object = payload()) => {
      const file = files.find(({ path }) => path.endsWith(`/.cline/hooks/${event}.bash`))
      if (file?.kind !== 'own') throw new Error('it is a file of ours alone')
      writeFileSync(join(home, event), file.content)
      const input = JSON.stringify(given)
      const { stdout, status } = spawnSync('sh', [join(home, event)], { input, encoding: 'utf8' })
      return [status, stdout === '' ? undefined : JSON.parse(stdout)]
    }
    writeFileSync(join(home, 'plugin.mjs'), files[0]!.kind === 'own' ? files[0]!.content : '')
    const plugin = await import(pathToFileURL(join(home, 'plugin.mjs')).href)
    return { run, hooks: plugin.default.hooks as Record<string, Handler>, atWork: join(home, 'cline') }
  }
  const denies = `cat >/dev/null; echo '{"cancel":true,"errorMessage":"No."}'`
  const snapshot = { conversationId: 'conv_1', messages: [] }

  it('hand the call to the entry, with its own words for the event, and give its answer', async () => {
    const { run } = await installed(
      `[ "$1 $2" = 'cline PreToolUse' ] && grep -q '"taskId":"conv_1"' && echo '{"cancel":true,"errorMessage":"No."}'`,
    )
    expect(run('PreToolUse')).toEqual([0, { cancel: true, errorMessage: 'No.' }])
  })

  it('say nothing while the plugin is at work in the conversation, in that very process', async () => {
    const { run, hooks, atWork } = await installed(denies)
    await hooks['beforeRun']!(...([{ snapshot }] as never[]))
    // It runs in a process that Cline has started; here it is this one, whose parent stands for Cline.
    expect(readFileSync(join(atWork, 'conv_1'), 'utf8')).toBe(String(process.ppid))
    expect(run('PreToolUse')[1]).toEqual({ cancel: true, errorMessage: 'No.' })
    writeFileSync(join(atWork, 'conv_1'), String(process.pid))
    expect(run('PreToolUse')).toEqual([0, undefined])
    expect(run('PostToolUse')).toEqual([0, undefined])
    expect(run('PreToolUse', payload({ taskId: 'conv_2' }))[1]).toMatchObject({ cancel: true })
    expect(run('PreToolUse', payload({ taskId: '../cline/conv_1' }))[1]).toMatchObject({ cancel: true })
    await hooks['afterRun']!(...([{ snapshot }] as never[]))
    expect(readdirSync(atWork)).toEqual([])
    expect(run('PreToolUse')[1]).toMatchObject({ cancel: true })
  })

  it.each(['exit 1', 'kill -9 $$', 'cat >/dev/null', 'echo fine', 'echo 1', "echo '{}'; exit 2"])(
    'end the run when the entry does this: %s; after a call they warn',
    async (script) => {
      const { run } = await installed(script)
      expect(run('PreToolUse')).toEqual([
        0,
        { cancel: true, errorMessage: expect.stringContaining('npx hookline install cline') },
      ])
      expect(run('PostToolUse')).toEqual([0, { context: expect.stringContaining('npx hookline install cline') }])
    },
  )

  it('a call is refused where a hook at the prompt has not run, and a result that a hook changes is not shown', async () => {
    const answer = async (add: (hooks: Awaited<ReturnType<typeof createHooks>>) => void, given: object) => {
      const hooks = await createHooks({ journal: false })
      add(hooks)
      const { stdout } = await hooks.replyAs('cline', await hooks.raiseAs('cline', given as Record<string, unknown>))
      await hooks.close()
      return JSON.parse(stdout)
    }
    const done = payload({
      hookName: 'tool_result',
      tool_call: undefined,
      tool_result: {
        id: 'c',
        name: 'run_commands',
        input: { commands: ['ls'] },
        output: [{ query: 'ls', result: 'x', success: true }],
      },
    })
    expect(await answer(() => {}, payload())).toEqual({})
    expect(await answer((hooks) => hooks.on('user_prompt_submit', () => undefined), payload())).toEqual({
      cancel: true,
      errorMessage: expect.stringContaining('CLINE_PLUGIN_IMPORT_TIMEOUT_MS'),
    })
    expect(
      await answer((hooks) => hooks.on('post_tool_use', () => ({ rewrite: { mode: 'replace', value: 'y' } })), done),
    ).toMatchObject({
      cancel: true,
    })
  })
})
