import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratch } from '../../../hookline/test/support/scratch.ts'
import type { ModelError } from '../../src/core/index.ts'
import { missingKey, openModels } from '../../src/models/index.ts'
import { loadTeam } from '../../src/team/index.ts'
import { bench } from '../tools-support.ts'

/** The forms in which people have written such files over the years: they load, and what has no effect is noted. */
async function load(yaml: string, files: Readonly<Record<string, string>> = {}, env: Record<string, string> = {}) {
  const file = join(scratch({ ...files, 'agent.yaml': yaml }), 'agent.yaml')
  const { team, notes } = await loadTeam(file, env)
  for (const { where, remedy } of notes) {
    expect(where).toMatchObject({ file, line: expect.any(Number) })
    expect(remedy).not.toBe('')
  }
  return { team, root: team.agents[team.root]!, notes, codes: notes.map(({ code }) => code) }
}

describe('version 0', () => {
  test('models have a type, and agents have think, todo and memory', async () => {
    const { root, team, notes } = await load(`
agents:
  root:
    name: helper
    model: gpt
    instruction: You help.
    think: true
    todo: true
    memory: { path: ./memory.db }
    toolsets: [{ type: mcp, command: npx, args: [some-server] }]
models:
  gpt: { type: openai, model: gpt-4o, max_tokens: 0, parallel_tool_calls: true }
env: { SOME: thing }
`)
    expect(team.models).toEqual({ gpt: { provider: 'openai', model: 'gpt-4o' } })
    expect(root.toolsets).toEqual([
      { type: 'mcp', command: 'npx', args: ['some-server'] },
      { type: 'think' },
      { type: 'todo' },
      { type: 'memory', path: './memory.db' },
    ])
    expect(notes.map(({ where }) => where?.line)).toEqual([4, 12, 13])
  })

  test('todo can be a mapping, and false turns them off', async () => {
    const toolsets = async (keys: string) => (await load(`agents: { root: { ${keys} } }`)).root.toolsets
    expect(await toolsets('todo: { shared: true }')).toEqual([{ type: 'todo', shared: true }])
    expect(await toolsets('think: false, todo: false')).toEqual([])
  })

  test('later, a workflow stood beside the agents', async () => {
    const { codes } = await load(`
version: "1"
agents: { root: { model: rehearsal } }
workflow: [{ type: agent, name: root }]
`)
    expect(codes).toEqual(['agent-key-unsupported'])
  })
})

describe('instruction_file', () => {
  const naming = (name: string) => `agents: { root: { model: rehearsal, instruction_file: ${name} } }`

  test('is read from beside the file; several are joined', async () => {
    const files = { 'prompt.md': 'You help.\n', 'prompts/style.md': '\nBriefly.\n' }
    expect((await load(naming('prompt.md'), files)).root.instruction).toBe('You help.')
    const { root, notes } = await load(naming('[prompt.md, ./prompts/style.md]'), files)
    expect(root.instruction).toBe('You help.\n\nBriefly.')
    expect(notes).toEqual([])
  })

  test('one that is missing is noted, and the agent loads', async () => {
    const { root, codes } = await load(naming('[prompt.md, gone.md]'), { 'prompt.md': 'You help.' })
    expect(root.instruction).toBe('You help.')
    expect(codes).toEqual(['agent-instruction-missing'])
  })

  test('none leads out of the directory: not by its path, and not by a link', async () => {
    const elsewhere = join(scratch({ 'key.txt': 'a secret' }), 'key.txt')
    await expect(load(naming(JSON.stringify(elsewhere)))).rejects.toThrow('is not below this file')
    await expect(load(naming('sub/../../key.txt'))).rejects.toThrow('is not below this file')
    const directory = scratch({ 'agent.yaml': naming('prompt.md') })
    symlinkSync(elsewhere, join(directory, 'prompt.md'))
    const { team, notes } = await loadTeam(join(directory, 'agent.yaml'), {})
    expect(team.agents['root']?.instruction).toBe('')
    expect(notes.map(({ code }) => code)).toEqual(['agent-instruction-missing'])
  })

  test('there is one instruction, not two', async () => {
    const both = 'agents: { root: { instruction: You help., instruction_file: prompt.md } }'
    await expect(load(both, { 'prompt.md': 'x' })).rejects.toThrow('stands beside `instruction`')
  })
})

describe('readonly', () => {
  test('of an agent is that of all its toolsets, shared and old ones too', async () => {
    const { root, notes } = await load(`
toolsets: { web: { type: fetch } }
agents:
  root: { model: rehearsal, readonly: true, think: true, toolsets: [{ type: shell }], use_toolsets: [web] }
`)
    expect(root.toolsets.map(({ type, readonly }) => [type, readonly])).toEqual([
      ['shell', true],
      ['fetch', true],
      ['think', true],
    ])
    expect(notes).toEqual([])
  })

  test('leaves the tools of which no call changes anything', async () => {
    const { names, notes } = await bench([
      { type: 'filesystem', readonly: true },
      { type: 'shell', readonly: true },
      { type: 'fetch', readonly: true },
      { type: 'think', readonly: false },
    ])
    expect(names().toSorted()).toEqual(
      [
        ...['read_file', 'read_multiple_files', 'list_directory', 'directory_tree'],
        ...['search_files', 'search_files_content', 'fetch', 'think'],
        ...['list_background_jobs', 'view_background_job'],
      ].toSorted(),
    )
    expect(notes).toEqual([])
  })

  test('holds for tools that are looked for later', async () => {
    const { call, names } = await bench([{ type: 'file', defer: true, readonly: true }])
    expect((await call('search_tool', { query: 'file' })).content).not.toMatch(/write_file|edit_file/)
    await call('add_tool', { name: 'write_file' })
    expect(names()).not.toContain('write_file')
  })
})

describe('commands', () => {
  const commandsOf = async (commands: string) => {
    const { root, notes } = await load(`agents: { root: { model: rehearsal, commands: ${commands} } }`)
    return { commands: root.commands, notes: notes.length }
  }

  test.each([
    ['{ fix: Fix it. }', { fix: 'Fix it.' }],
    ['[{ fix: Fix it. }, { plan: Plan it. }]', { fix: 'Fix it.', plan: 'Plan it.' }],
    ['{ fix: { instruction: Fix it., description: Fixes. } }', { fix: 'Fix it.' }],
    ['[{ fix: { description: Fix it. } }]', { fix: 'Fix it.' }],
    ['{}', undefined],
    ['null', undefined],
  ])('%s', async (written, commands) => {
    expect(await commandsOf(written)).toEqual({ commands, notes: 0 })
  })

  test.each([
    ['{ docs: { url: "https://example.com" }, fix: Fix it. }', { fix: 'Fix it.' }],
    ['{ plan: { agent: root, instruction: Plan it. } }', { plan: 'Plan it.' }],
    ['{ empty: null, fix: Fix it. }', { fix: 'Fix it.' }],
    ['{ many: 5 }', undefined],
    ['[Fix it., { fix: Fix it. }]', { fix: 'Fix it.' }],
    ['Fix it.', undefined],
  ])('%s is noted in part', async (written, commands) => {
    expect(await commandsOf(written)).toEqual({ commands, notes: 1 })
  })
})

describe('models', () => {
  const modelOf = async (settings: string) =>
    (await load(`agents: { root: { model: m } }\nmodels: { m: ${settings} }`)).team.models['m']

  test.each([
    ['{ effort: high }', 'high'],
    ['{ tokens: 2048 }', 2048],
    ['"4096"', 4096],
    ['-1', -1],
    ['0', 0],
    ['none', 'none'],
    ['adaptive/low', 'adaptive/low'],
  ])('thinking_budget: %s', async (budget, thinking) => {
    expect(await modelOf(`{ provider: anthropic, model: x, thinking_budget: ${budget} }`)).toMatchObject({ thinking })
  })

  test('a text is a provider and a model; headers are sent', async () => {
    expect(await modelOf('openrouter/some/model')).toEqual({ provider: 'openrouter', model: 'some/model' })
    expect(await modelOf('{ provider: openai, model: x, headers: { x-team: a } }')).toMatchObject({
      headers: { 'x-team': 'a' },
    })
  })

  test('several of an agent are tried one after the other', async () => {
    const { root, notes } = await load(`
agents: { root: { model: "openai/gpt-5, m,router/x,", compaction_model: "m,openai/gpt-5" } }
models: { m: { provider: mistral, model: x } }
providers: { router: { base_url: "http://127.0.0.1:4000/v1" } }
`)
    expect(root.models).toEqual(['openai/gpt-5', 'm', 'router/x'])
    expect(root.compactionModel).toBe('m')
    expect(notes).toEqual([])
  })

  test.each([
    ...['groq', 'mistral', 'xai', 'nebius', 'requesty', 'openrouter', 'ollama', 'dmr', 'opencode-zen', 'opencode-go'],
    ...['vercel', 'huggingface', 'nvidia', 'minimax', 'orcarouter', 'ovhcloud'],
  ])('%s is known by its name', async (provider) => {
    const { root, notes } = await load(`agents: { root: { model: ${provider}/some/model } }`)
    expect([root.models, notes]).toEqual([[`${provider}/some/model`], []])
  })

  test('whoever names a server may call its provider as they like', async () => {
    const { team, notes } = await load(`
agents: { root: { model: m } }
models: { m: { provider: house-llm, model: x, base_url: "http://127.0.0.1:9/v1" } }
`)
    expect(team.models['m']).toMatchObject({ provider: 'house-llm', baseURL: 'http://127.0.0.1:9/v1' })
    expect(notes).toEqual([])
  })

  test.each([
    ['agents: { root: { model: amazon-bedrock/claude } }', 'agent-provider-unsupported'],
    [
      'agents: { root: { model: m } }\nmodels: { m: { provider: amazon-bedrock, model: x } }',
      'agent-provider-unsupported',
    ],
    [
      'agents: { root: { model: mine/x } }\nproviders: { mine: { provider: amazon-bedrock } }',
      'agent-provider-unsupported',
    ],
    ['agents: { root: { harness: { type: pi } } }', 'agent-harness-unsupported'],
  ])('what cannot be called is noted, and says so when it is called: %s', async (yaml, code) => {
    const { team, root, codes } = await load(yaml)
    expect(codes).toEqual([code])
    const sources = { team, env: {} }
    expect(missingKey(root.models[0]!, sources)?.message).toContain('is not supported')
    const model = await openModels(sources)(root.models[0]!)
    const stream = model.stream({ system: [], messages: [], tools: [] } as never, new AbortController().signal)
    const failure = await stream[Symbol.asyncIterator]()
      .next()
      .then(() => undefined)
      .catch((error: ModelError) => error)
    expect(failure).toMatchObject({ kind: 'invalid', message: expect.stringContaining('is not supported') })
  })

  test('another that can be called is chosen instead', async () => {
    const { team } = await load(`
agents: { root: { model: any } }
models: { any: { first_available: [amazon-bedrock/claude, ollama/qwen3] } }
`)
    expect(team.models['any']).toMatchObject({ provider: 'ollama' })
  })
})

test('what only docker-agent knows is noted wherever it stands', async () => {
  const { notes, root } = await load(`
x-shared: &shared { model: rehearsal, instruction: You help. }
agents:
  root:
    <<: *shared
    rag: [docs]
    force_handoff: myorg/agent
    fallback: { models: [ollama/qwen3], no_fallback_status_codes: [401] }
`)
  expect(root).toMatchObject({ instruction: 'You help.', models: ['rehearsal', 'ollama/qwen3'] })
  expect(notes.map(({ where }) => where?.line)).toEqual([2, 6, 7, 8])
})
