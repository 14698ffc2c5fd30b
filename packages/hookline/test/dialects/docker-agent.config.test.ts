import { describe, expect, it } from 'vitest'
import type { Hook, Source } from '../../src/core/index.ts'
import { dockerAgent } from '../../src/dialects/docker-agent/index.ts'
import fc from '../support/property.ts'

const source: Source = { file: 'agent.yaml', layer: 'project', locate: (path) => ({ file: path.join('.') }) }
const decode = (document: unknown) => dockerAgent.config.decode(document, source)
const root = (agent: object) => decode({ agents: { root: agent } })
const block = (hooks: object) => root({ hooks })
const flat = (entry: object, event = 'session_start') => block({ [event]: [entry] })
const command = { type: 'command', command: './hook.sh' }
const isLimiter = (hook: Hook) => hook.run['name'] === 'limit_large_tool_results'
const own = (hooks: readonly Hook[]) => hooks.filter((hook) => !isLimiter(hook))
const codes = (notes: readonly { code: string }[]) => notes.map((each) => each.code)
const short = (hook: Hook) => [hook.event, hook.run['name'] ?? hook.run['command']]

describe('a hooks block', () => {
  it('becomes hooks with every setting of the document', () => {
    const [hook] = block({
      post_tool_use: [
        {
          matcher: 'shell',
          hooks: [
            {
              ...command,
              name: 'summarize shell output',
              timeout: 120,
              working_dir: './hooks',
              env: { PROFILE: 'dev', PORT: 80 },
              on_error: 'block',
            },
          ],
        },
      ],
    }).hooks
    expect(hook).toMatchObject({
      id: 'post_tool_use_1',
      event: 'post_tool_use',
      dialect: 'docker-agent',
      description: 'summarize shell output',
      matcher: [{ facet: 'tool', test: { names: ['shell'] } }],
      run: { type: 'command', command: './hook.sh' },
      timeoutMs: 120_000,
      workingDir: './hooks',
      env: { PROFILE: 'dev', PORT: '80' },
      onFailure: 'closed',
      judgesOnce: true,
    })
    expect(hook?.unlessRuled).toBeUndefined()
  })

  it('has defaults: 60 seconds, warn; closed before a tool runs, and skipped when a rule has decided', () => {
    const { hooks } = block({ pre_tool_use: { hooks: command }, stop: command })
    expect(own(hooks)).toMatchObject([
      { event: 'pre_tool_use', timeoutMs: 60_000, onFailure: 'closed', unlessRuled: true, matcher: [] },
      { event: 'stop', timeoutMs: 60_000, onFailure: 'warn', matcher: [] },
    ])
    const ignored = block({ pre_tool_use: [{ hooks: [{ ...command, on_error: 'ignore' }] }] })
    expect(ignored.hooks[0]?.onFailure).toBe('closed')
  })

  it('puts preempt_yolo entries on the guard lane, where they always run', () => {
    const { hooks, notes } = block({ pre_tool_use: [{ matcher: '*', preempt_yolo: true, hooks: [command] }] })
    expect(hooks[0]).toMatchObject({ event: 'tool_guard', onFailure: 'closed' })
    expect(hooks[0]?.unlessRuled).toBeUndefined()
    expect(notes).toEqual([])
    expect(codes(block({ post_tool_use: [{ preempt_yolo: true, hooks: [command] }] }).notes)).toEqual(['config-shape'])
  })

  it('reads matchers as whole-name regexes, and plain names without one', () => {
    const matcher = (text: unknown) => block({ pre_tool_use: [{ matcher: text, hooks: [command] }] }).hooks[0]?.matcher
    for (const all of ['*', '', null, undefined]) expect(matcher(all)).toEqual([])
    expect(matcher('shell|edit_file')).toMatchObject([{ test: { names: ['shell', 'edit_file'] } }])
    expect(matcher('mcp:.*')).toMatchObject([{ test: { regex: 'mcp:.*', whole: true } }])
  })

  it.each([0, -1])('a time-out of %i is the default, with a note', (timeout) => {
    const { hooks, notes } = flat({ ...command, timeout })
    expect(hooks[0]?.timeoutMs).toBe(60_000)
    expect(codes(notes)).toEqual(['config-shape'])
  })

  it('cannot block where nothing can be blocked, and says so', () => {
    const { hooks, notes } = flat({ ...command, on_error: 'block' })
    expect(hooks[0]?.onFailure).toBe('warn')
    expect(codes(notes)).toEqual(['cannot-fail-closed'])
  })

  it.each<[string, object, string, string]>([
    ['an unknown event', { pre_tool_used: [] }, 'unknown-event', 'agents.root.hooks.pre_tool_used'],
    ['an event of ours that is not theirs', { tool_guard: [] }, 'unknown-event', 'agents.root.hooks.tool_guard'],
    ['a hook where a group belongs', { pre_tool_use: [command] }, 'config-shape', 'agents.root.hooks.pre_tool_use.0'],
    ['a group where a hook belongs', { stop: [{ hooks: [] }] }, 'config-shape', 'agents.root.hooks.stop.0.hooks'],
    ['a group of nothing', { pre_tool_use: [{}] }, 'config-shape', 'agents.root.hooks.pre_tool_use.0.hooks'],
    ['a hook without type', { stop: { command: 'x' } }, 'config-shape', 'agents.root.hooks.stop.type'],
    ['an unknown type', { stop: { type: 'comand' } }, 'unknown-executor', 'agents.root.hooks.stop.type'],
    ['a misspelt key', { stop: { ...command, timout: 3 } }, 'config-unknown-key', 'agents.root.hooks.stop.timout'],
    ['no command', { stop: { type: 'command' } }, 'config-shape', 'agents.root.hooks.stop.command'],
    ['an odd on_error', { stop: { ...command, on_error: 'deny' } }, 'config-shape', 'agents.root.hooks.stop.on_error'],
    ['an odd time-out', { stop: { ...command, timeout: '30s' } }, 'config-shape', 'agents.root.hooks.stop.timeout'],
    ['odd variables', { stop: { ...command, env: ['A=b'] } }, 'config-shape', 'agents.root.hooks.stop.env'],
    [
      'a model without prompt',
      { stop: { type: 'model', model: 'a/b' } },
      'config-shape',
      'agents.root.hooks.stop.prompt',
    ],
    [
      'an unknown schema',
      { stop: { type: 'model', model: 'a/b', prompt: 'x', schema: 'y' } },
      'config-shape',
      'agents.root.hooks.stop.schema',
    ],
  ])('%s is a problem at its place, and the rest still loads', (_what, hooks, code, place) => {
    const decoded = block({ ...hooks, turn_end: command })
    expect(decoded.problems).toMatchObject([{ code, where: { file: place } }])
    expect(own(decoded.hooks).map((hook) => hook.event)).toEqual(['turn_end'])
  })
})

describe('a file', () => {
  it('implies hooks by flags', () => {
    const { hooks, problems } = root({
      add_date: true,
      add_environment_info: true,
      add_prompt_files: ['A.md', 'B.md'],
      redact_secrets: true,
      toolsets: [{ type: 'filesystem' }, { type: 'shell', safer: true }],
    })
    expect(problems).toEqual([])
    expect(own(hooks).map(short)).toEqual([
      ['turn_start', 'add_date'],
      ['session_start', 'add_environment_info'],
      ['pre_tool_use', 'redact_secrets'],
      ['before_llm_call', 'redact_secrets'],
      ['tool_response_transform', 'redact_secrets'],
      ['turn_start', 'add_prompt_files'],
      ['tool_guard', 'safer_shell'],
    ])
    expect(hooks.find((hook) => hook.run['name'] === 'add_prompt_files')?.run['args']).toEqual(['A.md', 'B.md'])
    expect(own(root({ add_date: false, redact_secrets: false }).hooks)).toEqual([])
    expect(codes(root({ add_date: 'yes', add_prompt_files: [1] }).problems)).toEqual(['config-shape', 'config-shape'])
  })

  it('always limits large tool results, last', () => {
    for (const document of [{}, { agents: {} }, { hooks: { tool_response_transform: [{ hooks: [command] }] } }]) {
      const { hooks } = decode(document)
      expect(hooks.slice(-2).map(short)).toEqual([
        ['tool_response_transform', 'limit_large_tool_results'],
        ['session_end', 'limit_large_tool_results'],
      ])
    }
  })

  it('takes snapshots at both ends of sessions and turns when the settings say so', () => {
    const { hooks } = decode({ settings: { snapshot: true } })
    expect(own(hooks).map((hook) => hook.event)).toEqual(['session_start', 'turn_start', 'turn_end', 'session_end'])
    expect(own(decode({ settings: { snapshot: false } }).hooks)).toEqual([])
  })

  it('lets rewriters of results see each other, and redacts after the other rewriters', () => {
    const redact = { type: 'builtin', command: 'redact_secrets' }
    const { hooks } = root({
      redact_secrets: true,
      hooks: {
        pre_tool_use: [{ hooks: [redact, command] }],
        tool_response_transform: [{ hooks: [redact, command] }],
      },
    })
    const stages = (event: string) => hooks.filter((hook) => hook.event === event).map((hook) => hook.stage)
    expect(stages('pre_tool_use')).toEqual([1, 0, 1])
    expect(stages('tool_response_transform')).toEqual([0, 1, 2, 3])
  })

  it('runs the hooks of an agent unless another agent of the file is active', () => {
    const agents = { root: { hooks: { stop: command, subagent_stop: command } }, coder: {}, tester: {} }
    const { hooks } = decode({ agents })
    expect(hooks[0]?.matcher).toEqual([{ facet: 'agent', test: { names: ['coder', 'tester'] }, negate: true }])
    expect(hooks[1]?.matcher).toEqual([])
  })

  it('runs for a sub-agent that stops only where no other agent alone has it', () => {
    const hooks = { subagent_stop: command }
    const agents = { root: { hooks, sub_agents: ['coder'] }, coder: { hooks, sub_agents: ['tester'] }, tester: {} }
    const [ofRoot, ofCoder] = own(decode({ agents }).hooks)
    expect(ofRoot?.matcher).toEqual([{ facet: 'agent', test: { names: ['tester'] }, negate: true }])
    expect(ofCoder?.matcher).toEqual([{ facet: 'agent', test: { names: ['coder'] }, negate: true }])
  })

  it('says so when an event stands beside the hooks instead of among them', () => {
    const { problems } = decode({ stop: [command], agents: { root: { turn_end: command, hooks: { stop: command } } } })
    expect(problems.map(({ code, where }) => [code, where?.file])).toEqual([
      ['config-shape', 'stop'],
      ['config-shape', 'agents.root.turn_end'],
    ])
    expect(decode({ stop: 'x', agents: { root: { notification: true } } }).problems).toEqual([])
  })

  it('is distinguished from the files of other systems', () => {
    const detect = (document: unknown, name = 'agent.yaml') => dockerAgent.config.detect(document, name)
    expect(detect({ agents: { root: { model: 'a/b' } } })).toBe(true)
    expect(detect({ hooks: { session_start: [command] } })).toBe(true)
    expect(detect({ hooks: { pre_tool_use: { hooks: [command] } } })).toBe(true)
    expect(detect({ settings: { snapshot: true } }, 'config.yaml')).toBe(true)
    expect(detect({ hooks: { PreToolUse: [{ hooks: [command] }] } }, 'settings.json')).toBe(false)
    expect(detect({ hooks: { PreToolUse: [{ hooks: [command] }] } })).toBe(false)
    expect(detect({ hooks: { pre_tool_use: [{ command: 'x' }] } }, 'crush.json')).toBe(false)
    expect(detect({ hooks: { pre_tool_use: [{ command: 'x' }] } })).toBe(false)
    expect(detect({ version: 1, hooks: [] }, 'hookline.yaml')).toBe(false)
    for (const document of [null, [], 'x', {}, { agents: {} }]) expect(detect(document)).toBe(false)
  })
})

describe('prompts of model hooks', () => {
  const judge = (prompt: string, event = 'user_prompt_submit') => flat({ type: 'model', model: 'a/b', prompt }, event)
  const prompt = (text: string, event?: string) => judge(text, event).hooks[0]?.run['prompt']

  it.each([
    ['{{ .Prompt }}', '{{ prompt }}'],
    ['{{.SessionID}}: {{ .Prompt | toJSON }}', '{{ session_id }}: {{ prompt | toJSON }}'],
    ['{{ truncate 200 .Prompt }}', '{{ prompt | truncate 200 }}'],
    ['{{ truncate 9 (toJSON .Prompt) }}', '{{ prompt | toJSON | truncate 9 }}'],
    ['{{ (.Prompt | toJSON) | truncate 9 }}', '{{ prompt | toJSON | truncate 9 }}'],
    ['on {{ .HookEventName }}', 'on user_prompt_submit'],
    ['a  {{- .Prompt -}}  b', 'a{{ prompt }}b'],
    ['a{{/* to whom it may concern */}}b', 'ab'],
    ['no template { here }', 'no template { here }'],
  ])('%s', (theirs, ours) => expect(prompt(theirs)).toBe(ours))

  it('reach into arguments, and know fields that have another name here', () => {
    const { hooks } = block({
      pre_tool_use: [
        {
          hooks: [
            {
              type: 'model',
              model: 'openai/gpt-4o-mini',
              schema: 'pre_tool_use_decision',
              prompt: 'Tool: {{ .ToolName }} {{ .ToolUseID }}\nArgs: {{ .ToolInput | toJSON }} {{ .ToolInput.cmd }}',
            },
          ],
        },
      ],
    })
    expect(hooks[0]?.run).toEqual({
      type: 'model',
      model: 'openai/gpt-4o-mini',
      schema: 'pre_tool_use_decision',
      prompt: 'Tool: {{ tool_name }} {{ tool_use_id }}\nArgs: {{ tool_input | toJSON }} {{ tool_input.cmd }}',
    })
    expect(prompt('{{ .StopResponse }}', 'stop')).toBe('{{ response }}')
  })

  it('are empty, with a note, where the event never has the field', () => {
    expect(prompt('[{{ .ToolName }}]')).toBe('[]')
    expect(codes(judge('[{{ .ToolName }}]').notes)).toEqual(['config-shape'])
  })

  it.each(['{{ if .Prompt }}x{{ end }}', '{{ printf "%s" .Prompt }}', '{{ index .SteeringMessages 0 }}'])(
    'that say more than ours can are kept as Go templates: %s',
    (text) => expect(judge(text).hooks[0]?.run).toMatchObject({ prompt: text, template: 'go' }),
  )

  it.each(['{{ .Promt }}', '{{ }}', '{{ if .Prompt }}x', '{{ if .Promt }}x{{ end }}'])(
    'that cannot be carried are a problem: %s',
    (text) => expect(codes(judge(text).problems)).toEqual(['config-shape']),
  )
})

describe('writing a file', () => {
  const word = fc.constantFrom('shell', 'edit_file', 'mcp:.*', '*', 'a|b')
  const option = fc.record(
    {
      name: fc.constantFrom('first', 'second one'),
      timeout: fc.integer({ min: 1, max: 600 }),
      env: fc.constant({ A: 'b' }),
      working_dir: fc.constantFrom('./hooks', '/srv'),
      on_error: fc.constantFrom('warn', 'ignore', 'block'),
    },
    { requiredKeys: [] },
  )
  const what = fc.oneof(
    fc.record({ type: fc.constant('command'), command: fc.constantFrom('./a.sh', 'echo hi | cat') }),
    fc.record({ type: fc.constant('builtin'), command: fc.constantFrom('add_date', 'redact_secrets') }),
    fc.record({ type: fc.constant('builtin'), command: fc.constant('max_iterations'), args: fc.constant(['5']) }),
    fc.record({
      type: fc.constant('model'),
      model: fc.constant('a/b'),
      prompt: fc.constantFrom('{{ .SessionID | toJSON | truncate 9 }}', 'Is {{ .Cwd }} fine?'),
    }),
  )
  const entry = fc.tuple(what, option).map(([one, more]) => ({ ...one, ...more }))
  const group = fc.record({ matcher: word, hooks: fc.array(entry, { minLength: 1, maxLength: 2 }) })
  const hooksBlock = fc.record(
    {
      pre_tool_use: fc.array(
        fc.oneof(
          group,
          group.map((one) => ({ ...one, preempt_yolo: true })),
        ),
        { maxLength: 3 },
      ),
      tool_response_transform: fc.array(group, { maxLength: 2 }),
      user_prompt_submit: fc.array(entry, { maxLength: 2 }),
      stop: fc.array(entry, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  /** Places and notes aside; ids follow the order of the file. */
  const essence = (hooks: readonly Hook[]) =>
    hooks.map(({ origin: _origin, id: _id, ...hook }) => ({
      ...hook,
      matcher: hook.matcher.map(({ where: _where, ...test }) => test),
    }))
  const byEvent = (hooks: readonly Hook[]) => essence(hooks).sort((a, b) => a.event.localeCompare(b.event))

  it('decode undoes encode for every file that can be read', () => {
    const agents = fc.oneof(
      fc.record({ root: fc.record({ hooks: hooksBlock }) }),
      fc.record({ root: fc.record({ hooks: hooksBlock }), coder: fc.record({ hooks: hooksBlock }) }),
    )
    fc.assert(
      fc.property(agents, (file) => {
        const { hooks, problems } = decode({ agents: file })
        expect(problems).toEqual([])
        const written = dockerAgent.config.encode(hooks)
        expect(written.notes).toEqual([])
        const again = dockerAgent.config.decode(written.value, source)
        expect(again.problems).toEqual([])
        expect(byEvent(again.hooks)).toEqual(byEvent(hooks))
      }),
      { numRuns: 200 },
    )
  })

  it('notes what a hook of another system loses', () => {
    const [theirs] = block({ pre_tool_use: [{ hooks: [command] }] }).hooks
    const { unlessRuled: _ruled, ...always } = theirs!
    const lost = (change: Partial<Hook>) => dockerAgent.config.encode([{ ...always, ...change } as Hook])
    const what = (change: Partial<Hook>) => lost(change).notes.map((each) => each.message.split(' has no')[0])
    expect(what({})).toEqual(['Running under `--yolo`'])
    expect(what({ unlessRuled: true, mode: 'shadow', background: true, onFailure: 'open' })).toEqual([
      'Shadow mode',
      'Running in the background',
      'Failing `open`',
    ])
    expect(what({ event: 'before_run' })).toEqual(['The event before_run'])
    expect(lost({ event: 'before_run' }).value).toEqual({ agents: { root: {} } })
    expect(what({ unlessRuled: true, run: { type: 'http', url: 'https://example.com' } })).toHaveLength(1)
    expect(what({ unlessRuled: true, timeoutMs: 1_500 })).toEqual(['A time-out in fractions of a second'])
    expect(
      what({ unlessRuled: true, matcher: [{ facet: 'args', path: ['cmd'], test: { regex: 'rm', whole: false } }] }),
    ).toHaveLength(1)
    const program = lost({ unlessRuled: true, run: { type: 'command', command: 'my guard', args: ["it's"] } })
    expect(JSON.stringify(program.value)).toContain("'my guard' 'it'\\\\''s'")
  })
})
