import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Verdict } from '../../src/core/index.ts'
import { ourDialects } from '../../src/dialects/index.ts'
import { createHooks } from '../../src/hooks/index.ts'
import { callerOf, dialectOfHost, installable, loadHost, raisedAs, triedHosts } from '../../src/hosts/index.ts'
import { hasAll } from '../../src/install/change.ts'
import { installHost, uninstallHost } from '../../src/install/index.ts'
import { scratch } from '../support/scratch.ts'

/**
 * Agents that nobody has run with Hookline: payloads as their documents show them (`documents` of each row names these), what
 * a hook reads of each, and the refusal that the documents ask for.
 */
const cwd = '/p'
const golden: Record<string, Golden> = {
  cursor: {
    run: { ...{ conversation_id: 'c', hook_event_name: 'preToolUse', workspace_roots: [cwd] }, ...call('Shell') },
    write: {
      ...{ conversation_id: 'c', hook_event_name: 'preToolUse', workspace_roots: [cwd], tool_name: 'Write' },
      tool_input: { file_path: '/p/a.txt', content: 'x' },
    },
    refused: { permission: 'deny', user_message: 'No.', agent_message: 'No.' },
  },
  vscode: {
    run: { sessionId: 's', hookEventName: 'PreToolUse', cwd, ...call('run_in_terminal') },
    write: {
      ...{ sessionId: 's', hookEventName: 'PreToolUse', cwd, tool_name: 'create_file' },
      tool_input: { filePath: '/p/a.txt', content: 'x' },
    },
    refused: {
      hookSpecificOutput: {
        ...{ hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'No.' },
      },
    },
  },
  windsurf: {
    run: {
      ...{ agent_action_name: 'pre_run_command', trajectory_id: 't', execution_id: 'e' },
      tool_info: { command_line: 'ls -l', cwd },
    },
    write: {
      ...{ agent_action_name: 'pre_write_code', trajectory_id: 't' },
      tool_info: { file_path: '/p/a.txt', edits: [{ old_string: '', new_string: 'x' }] },
    },
    refused: 'exit code',
  },
  kiro: {
    run: { hook_event_name: 'preToolUse', cwd, ...call('execute_bash') },
    write: {
      ...{ hook_event_name: 'preToolUse', cwd, tool_name: 'fs_write' },
      tool_input: { command: 'create', path: '/p/a.txt', file_text: 'x' },
    },
    refused: 'exit code',
  },
  factory: {
    run: { session_id: 's', hook_event_name: 'PreToolUse', cwd, ...call('Execute') },
    write: {
      ...{ session_id: 's', hook_event_name: 'PreToolUse', cwd, tool_name: 'Create' },
      tool_input: { file_path: '/p/a.txt', content: 'x' },
    },
    refused: {
      hookSpecificOutput: {
        ...{ hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'No.' },
      },
    },
  },
  antigravity: {
    run: {
      ...{ conversationId: 'c', workspacePaths: [cwd] },
      toolCall: { name: 'run_command', args: { CommandLine: 'ls -l' } },
    },
    write: {
      ...{ conversationId: 'c', workspacePaths: [cwd] },
      toolCall: { name: 'write_to_file', args: { TargetFile: '/p/a.txt', CodeContent: 'x' } },
    },
    refused: { decision: 'deny', reason: 'No.' },
  },
  crush: {
    run: { event: 'PreToolUse', session_id: 's', cwd, ...call('bash') },
    write: {
      ...{ event: 'PreToolUse', session_id: 's', cwd, tool_name: 'write' },
      tool_input: { file_path: '/p/a.txt', content: 'x' },
    },
    refused: { version: 1, decision: 'deny', reason: 'No.' },
  },
  'docker-agent': {
    run: {
      ...{ hook_event_name: 'pre_tool_use', session_id: 's', cwd, tool_use_id: 'c', agent_name: 'root' },
      ...{ tool_name: 'shell', tool_input: { cmd: 'ls -l', cwd: '.' } },
    },
    write: {
      ...{ hook_event_name: 'pre_tool_use', session_id: 's', cwd, tool_use_id: 'c', tool_name: 'write_file' },
      tool_input: { path: '/p/a.txt', content: 'x' },
    },
    refused: {
      hook_specific_output: {
        ...{ hook_event_name: 'pre_tool_use', permission_decision: 'deny', permission_decision_reason: 'No.' },
      },
    },
  },
}

interface Golden {
  run: Record<string, unknown>
  write: Record<string, unknown>
  refused: object | 'exit code'
}
function call(tool_name: string) {
  return { tool_name, tool_input: { command: 'ls -l' } }
}

afterEach(() => vi.unstubAllEnvs())

const names = installable.filter((name) => !triedHosts.includes(name))

it('every agent that was not run says where what is known of it stands, and has golden cases', async () => {
  expect(names.toSorted()).toEqual(Object.keys(golden).toSorted())
  for (const name of installable)
    expect([name, ((await loadHost(name))!.documents ?? []).length > 0]).toEqual([name, names.includes(name)])
})

describe.each(names)('%s', (name) => {
  const { run, write, refused } = golden[name]!

  it('means by its calls what every agent means', async () => {
    const hooks = await createHooks({ journal: false })
    hooks.rule({ deny: { run: 'ls -l' } })
    hooks.rule({ deny: { write: '**/a.txt' } })
    for (const payload of [run, write]) {
      const { decision } = await hooks.raiseAs(raisedAs(name), payload, { event: 'pre_tool_use' })
      expect(decision?.ruling, JSON.stringify(payload)).toBe('deny')
    }
    await hooks.close()
  })

  it('reads a refusal as its documents say, with a reason', async () => {
    const dialect = await dialectOfHost(raisedAs(name), ourDialects)
    const said = (decision: object) =>
      dialect.reply.encode({
        event: 'pre_tool_use',
        payload: {},
        reports: [],
        notes: [],
        ...decision,
      } as unknown as Verdict).value
    const value = said({ decision: { ruling: 'deny', reason: 'No.' } })
    if (refused === 'exit code') expect(value).toMatchObject({ exit: 2, stderr: 'No.\n' })
    else expect([value.exit, JSON.parse(value.stdout)]).toEqual([0, refused])
    expect(JSON.parse(said({}).stdout)).not.toMatchObject({ decision: 'deny' })
  })

  it('gives its files back byte for byte', async () => {
    const home = scratch({})
    vi.stubEnv('XDG_STATE_HOME', join(home, 'state'))
    const ground = { home, project: join(home, 'project'), env: {} }
    const host = (await loadHost(name))!
    const engine = () => ({ entry: join(home, 'bin/hookline-hook') })
    const [wanted] = host.setup.files('user', ground, { entry: join(home, 'bin/hookline-hook'), mark: '' })!
    const { path } = wanted!
    installHost(host, 'user', ground, engine)
    const once = readFileSync(path, 'utf8')
    if (wanted!.kind === 'shared') expect(hasAll(once, wanted!.format, wanted!.entries)).toBe(true)
    installHost(host, 'user', ground, engine)
    expect(readFileSync(path, 'utf8')).toBe(once)
    uninstallHost(host, 'user', ground)
    expect(existsSync(path)).toBe(false)
    if (wanted!.kind === 'own') return
    const mine = `{ "theme": "dark",\r\n  "hooks": {"stop": [{ "command": "true" }]} }\r\n`
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, mine)
    installHost(host, 'user', ground, engine)
    expect(readFileSync(path, 'utf8')).toContain('hookline-hook')
    writeFileSync(path, readFileSync(path, 'utf8').replace('dark', 'light'))
    uninstallHost(host, 'user', ground)
    expect(readFileSync(path, 'utf8')).toBe(mine.replace('dark', 'light'))
  })
})

describe('an agent that has the name of a dialect', () => {
  it('is careful where it is installed, and as documented where its dialect is named', async () => {
    const asks = { decision: { ruling: 'ask', reason: 'Sure?' } }
    const verdict = { event: 'pre_tool_use', payload: {}, reports: [], notes: [], ...asks } as unknown as Verdict
    const said = async (name: string) => (await dialectOfHost(name, ourDialects)).reply.encode(verdict).value.stdout
    expect(JSON.parse(await said(raisedAs('crush')))).toMatchObject({
      decision: 'deny',
      reason: 'Sure? crush cannot ask its user about this, so it does not run.',
    })
    expect(await said('crush')).toBe('')
    expect(await said(raisedAs('docker-agent'))).toContain('"permission_decision":"ask"')
  })

  it('crush starts no sub-agent, which would run no hooks', async () => {
    const hooks = await createHooks({ journal: false })
    const payload = { ...golden['crush']!.run, tool_name: 'agent', tool_input: { prompt: 'Delete it.' } }
    expect((await hooks.raiseAs(raisedAs('crush'), payload)).decision?.ruling).toBe('deny')
    expect((await hooks.raiseAs('crush', payload)).decision).toBeUndefined()
    await hooks.close()
  })

  it('docker-agent runs our entry under --yolo too, and gets a refusal in place of new input', async () => {
    const { setup } = (await loadHost('docker-agent'))!
    const [file] = setup.files('user', { home: '/h', project: '/p', env: {} }, { entry: '/e/hookline-hook', mark: '' })!
    const { parse } = await import('yaml')
    const written = parse((file as { content: string }).content) as Record<string, Record<string, unknown>[]>
    expect(written['pre_tool_use']).toMatchObject([{ matcher: '*', preempt_yolo: true, hooks: [{ type: 'command' }] }])
    expect(Object.keys(written)).toContain('session_end')
    const hooks = await createHooks({ journal: false })
    hooks.on('pre_tool_use', { tool: 'shell' }, () => ({ rewrite: { mode: 'merge', value: { command: 'ls -la' } } }))
    const { decision, rewrite } = await hooks.raiseAs(raisedAs('docker-agent'), golden['docker-agent']!.run)
    expect([decision?.ruling, rewrite]).toEqual(['deny', undefined])
    expect(decision?.reason).toContain('ls -la')
    await hooks.close()
  })
})

it('an agent that reads the files of another is recognised by its payload', () => {
  expect(callerOf('copilot', golden['vscode']!.run)).toBe('vscode')
  expect(callerOf('copilot', { sessionId: 's', toolName: 'bash', toolArgs: {} })).toBe('copilot')
  expect(callerOf('cursor', { hookEventName: 'pre_tool_use', workspaceRoot: '/p' })).toBe('grok')
  expect(callerOf('cursor', golden['cursor']!.run)).toBe('cursor')
})
