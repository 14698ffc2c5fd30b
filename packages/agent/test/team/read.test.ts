import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../hookline/src/config/index.ts'
import type { Hook } from '../../../hookline/src/core/index.ts'
import { loadDialect } from '../../../hookline/src/dialects/index.ts'
import fc from '../../../hookline/test/support/property.ts'
import type { Team } from '../../src/core/team.ts'
import { defaultTeam, hooksOf, readTeam } from '../../src/team/index.ts'

async function read(yaml: string, env: Record<string, string> = {}) {
  const parsed = await parseConfig(yaml, 'agent.yaml')
  if (!parsed.ok) throw new Error(parsed.problem.message)
  return readTeam(parsed.document, { file: 'agent.yaml', locate: parsed.locate, env })
}

async function teamOf(yaml: string, env?: Record<string, string>): Promise<Team> {
  const { team, problems } = await read(yaml, env)
  expect(problems).toEqual([])
  return team!
}

const place = ({ where }: { where?: { line?: number; column?: number } }) => `${where?.line}:${where?.column}`

describe('a file of docker-agent', () => {
  test('is read as it is', async () => {
    const team = await teamOf(`
version: "7"
metadata: { author: somebody }
providers:
  router:
    base_url: https://router.example.com/v1
    token_key: ROUTER_KEY
    temperature: 0.5
    headers: { x-team: a }
models:
  claude: { provider: anthropic, model: claude-sonnet-4-5, max_tokens: 64000, thinking_budget: high }
  local:
    provider: dmr
    model: ai/qwen3
    provider_opts: { context_size: 32768, unload_api: /engines/_unload, runtime_flags: [--ngl=33] }
  routed: { provider: router, model: some/model, temperature: 1, cost: { input: 1, output: 2 } }
mcps:
  github: { command: github-mcp, args: [stdio] }
agents:
  root:
    model: claude
    description: Coordinates.
    instruction: You coordinate.
    welcome_message: Hello!
    sub_agents: [coder]
    handoffs: [coder]
    max_iterations: 30
    fallback: { models: [local, router/other], retries: 1 }
    commands:
      fix: Fix the lint errors.
      plan: { description: Plans., instruction: Plan it. }
    toolsets:
      - type: think
      - { type: mcp, ref: github, tools: [get_issue] }
  coder:
    model: openai/gpt-4o
    description: Codes.
    instruction: You code.
    handoffs: [root]
    toolsets: [{ type: filesystem }, { type: shell }]
permissions:
  allow: [read_*, "shell:cmd=ls*"]
  deny: ["shell:cmd=sudo*"]
settings: { snapshot: true }
`)
    expect(team).toMatchObject({
      file: 'agent.yaml',
      root: 'root',
      snapshot: true,
      permissions: { allow: ['read_*', 'shell:cmd=ls*'], ask: [], deny: ['shell:cmd=sudo*'] },
    })
    expect(team.models).toEqual({
      claude: { provider: 'anthropic', model: 'claude-sonnet-4-5', maxOutputTokens: 64_000, thinking: 'high' },
      local: {
        ...{ provider: 'dmr', model: 'ai/qwen3', contextLimit: 32_768, unloadApi: '/engines/_unload' },
        options: { runtime_flags: ['--ngl=33'] },
      },
      routed: {
        ...{ provider: 'openai', model: 'some/model', baseURL: 'https://router.example.com/v1' },
        ...{ keyVariable: 'ROUTER_KEY', temperature: 1, price: { input: 1, output: 2 }, headers: { 'x-team': 'a' } },
      },
      'router/other': {
        ...{ provider: 'openai', model: 'other', baseURL: 'https://router.example.com/v1' },
        ...{ keyVariable: 'ROUTER_KEY', temperature: 0.5, headers: { 'x-team': 'a' } },
      },
    })
    expect(team.agents['root']).toMatchObject({
      models: ['claude', 'local', 'router/other'],
      subAgents: ['coder'],
      handoffs: ['coder'],
      maxIterations: 30,
      maxConsecutiveToolCalls: 5,
      retries: 1,
      welcome: 'Hello!',
      commands: { fix: 'Fix the lint errors.', plan: 'Plan it.' },
      toolsets: [
        { type: 'think' },
        { type: 'mcp', name: 'github', command: 'github-mcp', args: ['stdio'], tools: ['get_issue'] },
      ],
    })
  })

  test('the first agent begins when none is called root; agents may hand over in a circle', async () => {
    const team = await teamOf(`
agents:
  one: { model: rehearsal, handoffs: [two] }
  two: { model: rehearsal, handoffs: [one, two] }
`)
    expect(team.root).toBe('one')
  })

  test('0 is no limit, and -1 no retries', async () => {
    const { root } = (
      await teamOf('agents: { root: { model: rehearsal, max_iterations: 0, fallback: { retries: -1 } } }')
    ).agents
    expect(root).not.toHaveProperty('maxIterations')
    expect(root).toMatchObject({ retries: 0 })
  })

  test('the first model that is available is chosen by its key', async () => {
    const yaml = `
models: { any: { first_available: [openai/gpt-5, anthropic/claude-opus-5, ollama/qwen3] } }
agents: { root: { model: any } }
`
    expect((await teamOf(yaml, { ANTHROPIC_API_KEY: 'x' })).models['any']).toMatchObject({ provider: 'anthropic' })
    expect((await teamOf(yaml)).models['any']).toMatchObject({ provider: 'ollama' })
  })

  test('toolsets and commands of the top level are taken by name', async () => {
    const team = await teamOf(`
toolsets: { web: { type: fetch, timeout: 5 } }
commands: { usual: { fix: Fix it. } }
agents: { root: { model: rehearsal, toolsets: [{ type: think }], use_toolsets: [web], use_commands: [usual] } }
`)
    expect(team.agents['root']?.toolsets).toEqual([{ type: 'think' }, { type: 'fetch', timeout: 5 }])
    expect(team.agents['root']?.commands).toEqual({ fix: 'Fix it.' })
  })
})

describe('what has no effect is noted at its place', () => {
  test.each([
    ['rag: { docs: { docs: [./docs] } }', '2:1', '`rag` has no effect'],
    ['models: { m: { provider: openai, model: x, track_usage: true } }', '2:44', 'track_usage'],
    ['models: { m: { provider: openai, model: x, base_url: "https://elsewhere.example" } }', '2:11', 'OPENAI_API_KEY'],
    ['models: { m: { provider: amazon-bedrock, model: x } }', '2:16', 'amazon-bedrock'],
    ['zzz: 1', '2:1', '`zzz` is not known'],
    ['settings: { theme: dark }', '2:13', 'settings.theme'],
    ['workflow: []', '2:1', '`workflow` has no effect'],
  ])('%s', async (line, where, words) => {
    const { team, notes, problems } = await read(`agents: { root: { model: rehearsal } }\n${line}\n`)
    expect(problems).toEqual([])
    expect(team).toBeDefined()
    expect(notes).toHaveLength(1)
    expect(place(notes[0]!)).toBe(where)
    expect(notes[0]!.message).toContain(words)
    expect(notes[0]!.remedy).not.toBe('')
  })

  test('an agent of a registry, a command that is no prompt', async () => {
    const { team, notes } = await read(`
agents:
  root:
    model: rehearsal
    sub_agents: [agentcatalog/pirate, "reviewer:myorg/review-pr"]
    commands: { docs: { url: https://example.com } }
    num_history_items: 5
    toolsets: [{ type: think }, { type: lsp, command: gopls }]
`)
    expect(notes.map(place)).toEqual(['5:18', '5:39', '6:17', '7:5', '8:35'])
    expect(team!.agents['root']).toMatchObject({ subAgents: [], toolsets: [{ type: 'think' }] })
  })
})

test('compaction, cooldown, routing and toolset options are read', async () => {
  const { team, notes, problems } = await read(`
agents:
  root:
    model: usual
    instruction: You help.
    fallback: { models: [coder], cooldown: 1m30s }
    compaction_threshold: 0.8
    compaction_model: coder
    session_compaction: false
    toolsets: [{ type: shell, instruction: "Keep to {ORIGINAL_INSTRUCTIONS}the root." }]
models:
  usual:
    provider: openai
    model: gpt-5
    compaction_threshold: 0.5
    routing: [{ model: coder, examples: [fix the test] }]
  coder: { provider: openai, model: gpt-5-codex }
`)
  expect([notes, problems]).toEqual([[], []])
  expect(team!.agents['root']).toMatchObject({
    instruction: 'You help.\n\nKeep to the root.',
    cooldownMs: 90_000,
    compactAt: 0.8,
    compactionModel: 'coder',
    noCompaction: true,
    toolsets: [{ type: 'shell' }],
  })
  expect(team!.models['usual']).toMatchObject({
    compactAt: 0.5,
    routes: [{ model: 'coder', examples: ['fix the test'] }],
  })
})

describe('problems name their place and a likely fix', () => {
  test.each([
    ['agents: {}', '1:1', 'has no agent'],
    ['models: {}', '1:1', 'is missing'],
    ['agents: [root]', '1:1', 'must be'],
    ['agents: { root: yes please }', '1:11', 'must be a mapping'],
    ['agents: { root: { instuction: hi } }', '1:19', 'Did you mean `instruction`'],
    ['agents: { root: { model: 5 } }', '1:19', 'must be a string'],
    ['agents: { root: { fallback: { cooldown: soon } } }', '1:31', 'must be a duration'],
    ['agents: { root: { compaction_threshold: 80 } }', '1:19', 'must be'],
    [
      'agents: { root: { model: a } }\nmodels: { a: { provider: openai, model: m, routing: [{ model: b, examples: [] }] } }',
      '2:56',
      'the model `b`',
    ],
    ['agents: { root: { max_iterations: -1 } }', '1:19', 'max_iterations'],
    [
      'agents: { root: { model: claud } }\nmodels: { claude: { provider: anthropic, model: x } }',
      '1:19',
      'Did you mean `claude`',
    ],
    ['agents: { root: { model: antropic/x } }', '1:19', 'Did you mean `anthropic`'],
    [
      'agents: { root: { model: rehearsal, sub_agents: [codr] }, coder: { model: rehearsal } }',
      '1:50',
      'Did you mean `coder`',
    ],
    ['agents: { root: { model: rehearsal, handoffs: [rooot] } }', '1:48', 'Did you mean `root`'],
    ['agents: { root: { model: rehearsal, toolsets: [{ typ: shell }] } }', '1:48', 'is missing'],
    ['agents: { root: { model: rehearsal, toolsets: [{ type: filesytem }] } }', '1:50', 'Did you mean `filesystem`'],
    ['agents: { root: { model: rehearsal, use_toolsets: [web] } }', '1:52', 'There are none'],
    ['agents: { root: { model: m } }\nmodels: { m: { provider: opnai, model: x } }', '2:16', 'Did you mean `openai`'],
    ['agents: { root: { model: m } }\nmodels: { m: { provider: openai } }', '2:11', 'has no `model`'],
    ['agents: { root: { model: m } }\nmodels: { m: { provider: azure, model: x } }', '2:11', 'has no `base_url`'],
    [
      'agents: { root: { model: m } }\nmodels: { m: { provider: openai, model: x, temperature: 3 } }',
      '2:44',
      'temperature',
    ],
    [
      'agents: { root: { model: m } }\nmodels: { m: { provider: openai, model: x, thinking_budget: lots } }',
      '2:44',
      'thinking_budget',
    ],
    ['agents: { root: { model: rehearsal } }\npermissions: { dny: [shell] }', '2:16', 'Did you mean `deny`'],
    ['agents: { root: { model: rehearsal } }\npermisions: { deny: [shell] }', '2:1', 'Did you mean `permissions`'],
    ['agents: { root: { model: rehearsal } }\nsettings: { snapshot: 3 }', '2:13', 'snapshot'],
  ])('%s', async (yaml, where, words) => {
    const { team, problems } = await read(yaml)
    expect(team).toBeUndefined()
    expect(problems.map(place)).toContain(where)
    const text = problems.map(({ message, remedy }) => `${message} ${remedy}`).join('\n')
    expect(text).toContain(words)
  })

  test('all of it at once, in the order of the file', async () => {
    const { problems } = await read(`
agents:
  root: { model: nope, max_iterations: many }
  other: { model: rehearsal, handoffs: [roof] }
permissions: { deny: shell }
`)
    expect(problems.map(({ where }) => where?.line)).toEqual([3, 4, 5])
  })
})

describe('hooks', () => {
  const decode = async (team: Team): Promise<readonly Hook[]> => {
    const dialect = await loadDialect('docker-agent')
    const source = { file: 'agent.yaml', layer: 'session' as const, locate: () => ({ file: 'agent.yaml' }) }
    const { hooks, problems } = dialect.config.decode(hooksOf(team), source)
    expect(problems).toEqual([])
    return hooks
  }
  const builtins = (hooks: readonly Hook[]) =>
    hooks.map(({ event, run }) => `${event} ${String(run['name'] ?? run['command'])}`)

  test('flags imply the documented hooks, and long results are always cut', async () => {
    const team = await teamOf(`
agents:
  root:
    model: rehearsal
    add_date: true
    add_environment_info: true
    add_prompt_files: [AGENTS.md]
    redact_secrets: true
    toolsets: [{ type: shell, safer: true }]
    hooks: { stop: [{ type: command, command: ./log.sh }] }
settings: { snapshot: true }
`)
    expect(builtins(await decode(team)).toSorted()).toEqual(
      [
        'stop ./log.sh',
        'turn_start add_date',
        'session_start add_environment_info',
        'turn_start add_prompt_files',
        'pre_tool_use redact_secrets',
        'before_llm_call redact_secrets',
        'tool_response_transform redact_secrets',
        'tool_guard safer_shell',
        ...['session_start', 'turn_start', 'turn_end', 'session_end'].map((event) => `${event} snapshot`),
        'tool_response_transform limit_large_tool_results',
        'session_end limit_large_tool_results',
      ].toSorted(),
    )
  })

  test('without flags there is only what is always there', async () => {
    const hooks = builtins(await decode(await teamOf('agents: { root: { model: rehearsal, add_date: false } }')))
    expect(hooks).toEqual(['tool_response_transform limit_large_tool_results', 'session_end limit_large_tool_results'])
  })

  test('the default agent keeps secrets to itself, and can be undone', async () => {
    const hooks = builtins(await decode(defaultTeam({ env: {} })))
    expect(hooks).toContain('before_llm_call redact_secrets')
    expect(hooks).toContain('turn_end snapshot')
  })
})

test('the default agent takes the given model, the one whose key is set, or the rehearsal', () => {
  const models = (options: Parameters<typeof defaultTeam>[0]) => defaultTeam(options).agents['root']?.models
  expect(models({ env: {} })).toEqual(['rehearsal'])
  expect(models({ env: { ANTHROPIC_API_KEY: 'x' } })?.[0]).toMatch(/^anthropic\//)
  expect(models({ env: { ANTHROPIC_API_KEY: 'x' }, model: 'ollama/qwen3' })).toEqual(['ollama/qwen3'])
})

describe('laws', () => {
  const name = fc.constantFrom('root', 'coder', 'critic')
  const agent = fc.record(
    {
      model: fc.constantFrom('rehearsal', 'openai/gpt-5', 'mine', 'nope'),
      description: fc.string(),
      handoffs: fc.array(name, { maxLength: 3 }),
      sub_agents: fc.array(name, { maxLength: 3 }),
      max_iterations: fc.oneof(fc.nat(50), fc.constant('x')),
      toolsets: fc.array(fc.record({ type: fc.constantFrom('shell', 'think') }), { maxLength: 2 }),
      hooks: fc.constant({ stop: [] }),
      cache: fc.constant({}),
    },
    { requiredKeys: [] },
  )
  const document = fc.record({
    agents: fc.dictionary(name, agent, { minKeys: 1, maxKeys: 3 }),
    models: fc.constant({ mine: { provider: 'ollama', model: 'qwen3' } }),
  })
  const locate = () => ({ file: 'agent.yaml' })

  test('there is a team, or there are problems; and every name in a team leads somewhere', () =>
    fc.assert(
      fc.property(document, (written) => {
        const { team, problems } = readTeam(written, { file: 'agent.yaml', locate })
        expect(team === undefined).toBe(problems.length > 0)
        for (const { models, handoffs, subAgents } of Object.values(team?.agents ?? {})) {
          expect(models.length).toBeGreaterThan(0)
          for (const other of [...handoffs, ...subAgents, team!.root]) expect(team!.agents).toHaveProperty(other)
        }
      }),
    ))

  test('nothing that can be parsed makes it throw', () =>
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ agents: fc.jsonValue(), models: fc.jsonValue() })),
        (written) => {
          expect(readTeam(written, { file: 'agent.yaml', locate })).toHaveProperty('problems')
        },
      ),
    ))
})
