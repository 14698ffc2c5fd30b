import { describe, expect, it } from 'vitest'
import type { Event, EventName, Hook, Opinion, Source, Verdict } from '../../src/core/index.ts'
import { eventRow, hookDefaults, validate } from '../../src/core/index.ts'
import { compilePattern } from '../../src/core/regex.ts'
import { claudeCode } from '../../src/dialects/claude-code/index.ts'
import fc from '../support/property.ts'

const source: Source = {
  file: '/p/.claude/settings.json',
  layer: 'user',
  locate: (path) => ({ file: `#${path.join('.')}` }),
}
const decode = (document: unknown, from = source) => claudeCode.config.decode(document, from)
const one = (event: string, handler: object, matcher?: string) =>
  decode({ hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }] } })
const codes = (notes: readonly { code: string }[]) => notes.map((each) => each.code)
const eventOf = (name: EventName, payload: Record<string, unknown>) =>
  ({ name, payload, depth: 0, synthetic: false }) as unknown as Event
const hookOf = (event: EventName): Hook => ({
  ...hookDefaults,
  id: 'h',
  event,
  dialect: 'claude-code',
  run: { type: 'command', command: 'true' },
  origin: { layer: 'code' },
})
const decodeReply = (event: EventName, stdout: unknown, exit = 0, stderr = '') => {
  const text = typeof stdout === 'string' ? stdout : JSON.stringify(stdout)
  const context = { event: eventOf(event, {}), hook: hookOf(event) }
  const decoded = claudeCode.reply.decode({ kind: 'wire', exit, stdout: text, stderr }, context)
  return decoded.ok ? { ...decoded.opinion, notes: codes(decoded.notes) } : { failure: decoded.failure.kind }
}
const command = { type: 'command', command: 'x' }

describe('a settings.json', () => {
  it('is known by its name or its shape', () => {
    const groups = { hooks: { PreToolUse: [{ hooks: [command] }] } }
    expect(claudeCode.config.detect({}, 'settings.json')).toBe(true)
    expect(claudeCode.config.detect({ hooks: {} }, 'settings.local.json')).toBe(true)
    expect(claudeCode.config.detect(groups, 'hooks.json')).toBe(true)
    expect(claudeCode.config.detect(groups, 'crush.json')).toBe(false)
    expect(claudeCode.config.detect({ hooks: { PreToolUse: [command] } }, 'a.json')).toBe(false)
    expect(claudeCode.config.detect({ hooks: { pre_tool_use: [{ hooks: [command] }] } }, 'a.yaml')).toBe(false)
  })

  it.each([
    ['PreToolUse', command, 600_000],
    ['PreToolUse', { ...command, timeout: 5 }, 5_000],
    ['UserPromptSubmit', command, 30_000],
    ['SessionEnd', command, 1_500],
    ['SessionEnd', { ...command, timeout: 20 }, 20_000],
    ['PreToolUse', { type: 'prompt', prompt: 'p' }, 30_000],
    ['PreToolUse', { type: 'http', url: 'https://x.example' }, 600_000],
  ])('gives %s %j its time', (event, handler, timeoutMs) => {
    expect(one(event, handler).hooks[0]?.timeoutMs).toBe(timeoutMs)
  })

  it.each([
    ['PreToolUse', { onFailure: 'block' }, 'closed', []],
    ['PreToolUse', {}, 'open', []],
    ['PreToolUse', { onFailure: 'continue' }, 'open', []],
    ['Stop', { onFailure: 'block' }, 'open', ['config-shape']],
    ['PostToolUse', { onFailure: 'block' }, 'open', ['config-shape']],
    ['PreToolUse', { onFailure: 'block', async: true }, 'open', ['config-shape']],
  ])('%s with %j fails %s', (event, more, policy, notes) => {
    const decoded = one(event, { ...command, ...more })
    expect(decoded.hooks[0]?.onFailure).toBe(policy)
    expect(codes(decoded.notes)).toEqual(notes)
  })

  it('runs each type of handler by an executor of ours', () => {
    const run = (handler: object) => one('PreToolUse', handler).hooks[0]?.run
    expect(run(command)).toEqual({ type: 'command', command: 'x', shell: 'auto' })
    expect(run({ ...command, args: ['a b'] })).toEqual({ type: 'command', command: 'x', args: ['a b'] })
    expect(run({ ...command, shell: 'powershell' })).toMatchObject({ command: 'pwsh' })
    expect(
      run({
        type: 'http',
        url: 'https://x.example',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it
        headers: { A: 'Bearer $T ${U}', B: '$V' },
        allowedEnvVars: ['T', 'U'],
      }),
    ).toEqual({
      type: 'http',
      url: 'https://x.example',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it
      headers: { A: 'Bearer ${env:T} ${env:U}', B: '' },
      allowed_env: ['T', 'U'],
      allow_local: true,
    })
    expect(run({ type: 'prompt', prompt: 'Safe? $ARGUMENTS', model: 'sonnet' })).toEqual({
      type: 'model',
      model: 'anthropic/claude-sonnet-4-5',
      prompt: expect.stringContaining('"tool_input": {{ tool_input | toJSON }}'),
      schema: 'objection',
    })
    expect(one('PreToolUse', { ...command, async: true }).hooks[0]?.background).toBe(true)
  })

  it.each([
    ['PreToolUse', 'closed', 'answer "ask"'],
    ['Stop', 'open', 'answer "allow"'],
  ])(
    'lets a model judge where an agent would on %s, failing %s, and says what it cannot do',
    (event, policy, unsure) => {
      const decoded = one(event, { type: 'agent', prompt: 'Do the tests pass? $ARGUMENTS' })
      expect(decoded.hooks).toMatchObject([
        {
          onFailure: policy,
          timeoutMs: 60_000,
          run: { type: 'model', schema: 'objection', system: expect.any(String) },
        },
      ])
      expect(decoded.hooks[0]?.run['system']).toContain(unsure)
      expect(codes(decoded.notes)).toEqual(['translation-lost'])
    },
  )

  it('refuses what a tool of an MCP server guards, and leaves it out where it guards nothing', () => {
    const handler = { type: 'mcp_tool', server: 's', tool: 't', input: { path: 'a' } }
    const guard = one('PreToolUse', handler, 'Write')
    expect(guard.hooks).toEqual([])
    expect(codes(guard.problems)).toEqual(['handler-unsupported'])
    expect(guard.broken).toMatchObject([{ event: 'pre_tool_use', matcher: [{ test: { names: ['Write'] } }] }])
    const watcher = one('PostToolUse', handler)
    expect([watcher.problems, codes(watcher.notes)]).toEqual([[], ['handler-unsupported']])
  })

  it('does not let a project reach local addresses', () => {
    const document = { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: 'http://127.0.0.1' }] }] } }
    expect(decode(document, { ...source, layer: 'project' }).hooks[0]?.run).not.toHaveProperty('allow_local')
  })

  it('gives a plugin its own directory', () => {
    const document = { description: 'd', hooks: { Stop: [{ hooks: [command] }] } }
    const { hooks } = decode(document, { ...source, file: '/plugins/a/hooks/hooks.json' })
    expect(hooks[0]?.env).toEqual({ CLAUDE_PLUGIN_ROOT: '/plugins/a' })
  })

  it('says which events nothing here raises, and refuses names that nobody has', () => {
    expect(codes(decode({ hooks: { FileChanged: [], Setup: [] } }).notes)).toEqual(Array(2).fill('event-not-raised'))
    expect(decode({ hooks: { PreToolUsed: [] } }).problems).toMatchObject([
      { code: 'unknown-event', message: expect.stringContaining('`PreToolUse`') },
    ])
    expect(one('pre_tool_use', command).hooks[0]?.event).toBe('pre_tool_use')
  })

  it.each([
    [{ hooks: [] }, '#hooks'],
    ['x', '#'],
    [{ hooks: { Stop: {} } }, '#hooks.Stop'],
    [{ hooks: { Stop: [command] } }, '#hooks.Stop.0.hooks'],
    [{ hooks: { Stop: [{ hooks: ['x'] }] } }, '#hooks.Stop.0.hooks.0'],
    [{ hooks: { Stop: [{ hooks: [{ type: 'comand' }] }] } }, '#hooks.Stop.0.hooks.0.type'],
    [{ hooks: { Stop: [{ hooks: [{ command: 'x' }] }] } }, '#hooks.Stop.0.hooks.0.type'],
    [{ hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } }, '#hooks.Stop.0.hooks.0.command'],
    [{ hooks: { Stop: [{ hooks: [{ ...command, timeout: '5' }] }] } }, '#hooks.Stop.0.hooks.0.timeout'],
    [{ hooks: { Stop: [{ hooks: [{ ...command, onFailure: 'closed' }] }] } }, '#hooks.Stop.0.hooks.0.onFailure'],
    [{ hooks: { Stop: [{ hooks: [{ ...command, if: 'Bash(x)' }] }] } }, '#hooks.Stop.0.hooks.0.if'],
    [{ hooks: { PreToolUse: [{ hooks: [{ ...command, if: 'Bash(x) && y' }] }] } }, '#hooks.PreToolUse.0.hooks.0.if'],
    [{ hooks: { PreToolUse: [{ matcher: 5, hooks: [command] }] } }, '#hooks.PreToolUse.0.matcher'],
  ])('says what is wrong with %j', (document, file) => {
    const { hooks, problems } = decode(document)
    expect(hooks).toEqual([])
    expect(problems.map((problem) => problem.where?.file)).toEqual([file])
  })

  it.each([
    ['PreToolUse', 'Bash', 'tool', { names: ['Bash'] }],
    ['PreToolUse', 'Edit|Write', 'tool', { names: ['Edit', 'Write'] }],
    ['PreToolUse', 'Edit, Write', 'tool', { names: ['Edit', 'Write'] }],
    ['PreToolUse', 'mcp__.*', 'tool', { regex: 'mcp__.*', whole: false }],
    ['SubagentStart', 'Explore', 'agent', { names: ['Explore'] }],
    ['PostCompact', 'auto', 'source', { names: ['threshold', 'overflow', 'tool_overflow'] }],
    ['Notification', 'idle_prompt', 'text', { regex: '"notification_type":"(?:idle_prompt)"', whole: false }],
  ])('matches %s on %s', (event, matcher, facet, test) => {
    expect(one(event, command, matcher).hooks[0]?.matcher).toMatchObject([{ facet, test }])
  })

  it('warns of a matcher that names a server of tools', () => {
    expect(codes(one('PreToolUse', command, 'mcp__memory').notes)).toEqual(['matcher-dead'])
  })

  it.each([
    [
      'Bash(git *)',
      'command',
      ['git', 'git push', 'A=1 git x', 'cd y && git x', '(git x)', 'echo `git x`'],
      ['gitk', 'echo git'],
    ],
    ['Bash(npm run test:*)', 'command', ['npm run test', 'npm run test --x'], ['npm run tests', 'npm run']],
    ['Bash(ls)', 'command', ['ls', 'ls; pwd', 'true|ls'], ['ls -l', 'lsof']],
    ['Edit(*.ts)', 'file_path', ['/a/b.ts', 'b.ts'], ['/a/b.tsx']],
    ['Read(/etc/**)', 'file_path', ['/etc/passwd'], ['/home/x']],
    [
      'WebFetch(domain:example.com)',
      'url',
      ['https://example.com/x', 'http://u@example.com'],
      ['https://example.com.evil.net', 'https://x.com/example.com'],
    ],
  ])('reads the rule %s', (rule, argument, matching, other) => {
    const [tool, test] = one('PreToolUse', { ...command, if: rule }).hooks[0]?.matcher ?? []
    expect(tool?.test).toEqual({ names: [rule.replace(/\(.*/, '')] })
    expect(test?.path).toEqual([argument])
    const compiled = compilePattern(test && 'regex' in test.test ? test.test.regex : '', false)
    if (!compiled.ok) throw new Error(compiled.detail)
    expect(matching.filter((text) => !compiled.pattern.test(text))).toEqual([])
    expect(other.filter((text) => compiled.pattern.test(text))).toEqual([])
  })

  const handler = fc.oneof(
    fc.record(
      {
        type: fc.constant('command'),
        command: fc.constantFrom('x', './a.sh "$CLAUDE_PROJECT_DIR"'),
        args: fc.array(fc.string()),
        timeout: fc.integer({ min: 1, max: 900 }),
        async: fc.constant(true),
        if: fc.constantFrom('Bash(git *)', 'Edit(src/**)', 'WebFetch(domain:a.b)', 'Bash(ls)'),
      },
      { requiredKeys: ['type', 'command'] },
    ),
    fc.record({ type: fc.constant('command'), command: fc.constant('x'), onFailure: fc.constant('block') }),
    fc.record({
      type: fc.constant('http'),
      url: fc.constant('https://a.example'),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it
      headers: fc.constant({ A: '${T}' }),
      allowedEnvVars: fc.constant(['T']),
    }),
    fc.record({ type: fc.constant('prompt'), prompt: fc.constantFrom('ok?', 'a $ARGUMENTS b') }),
  )
  const group = fc.record(
    {
      matcher: fc.constantFrom('Bash', 'Edit|Write', 'mcp__.*'),
      hooks: fc.array(handler, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['hooks'] },
  )

  it('comes back from its hooks as it was', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 3 }), (groups) => {
        const { hooks } = decode({ hooks: { PreToolUse: groups } })
        const { value, notes } = claudeCode.config.encode(hooks)
        expect(notes).toEqual([])
        expect(decode(value).hooks.map(placeless)).toEqual(hooks.map(placeless))
      }),
    )
  })

  it.each([
    ['Notification', 'idle_prompt'],
    ['Notification', '^idle'],
    ['StopFailure', 'a|b'],
    ['PreCompact', 'auto'],
    ['PostCompact', 'manual'],
    ['SessionStart', 'startup|resume'],
  ])('writes the matcher of %s as it was: %s', (event, matcher) => {
    const { hooks } = one(event, command, matcher)
    expect(claudeCode.config.encode(hooks)).toEqual({
      value: { hooks: { [event]: [{ matcher, hooks: [command] }] } },
      notes: [],
    })
  })

  it('notes what of a foreign hook it cannot carry', () => {
    const foreign: Hook = { ...hookOf('turn_start'), dialect: 'native' }
    const builtin: Hook = { ...hookOf('stop'), run: { type: 'builtin', name: 'x' } }
    const strict: Hook = { ...hookOf('pre_tool_use'), dialect: 'native', stage: 1, env: { A: 'b' }, timeoutMs: 600_000 }
    const { value, notes } = claudeCode.config.encode([foreign, builtin, strict])
    expect(value).toEqual({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } })
    expect(notes.map((note) => note.hook)).toHaveLength(6)
  })

  function placeless({ origin: _origin, matcher, ...hook }: Hook) {
    return { ...hook, matcher: matcher.map(({ where: _where, ...test }) => test) }
  }
})

/** One payload of each event, with fields as the reference lists them. */
const tool = { tool_name: 'Bash', tool_input: { command: 'ls' } }
const payloads: Record<string, Record<string, unknown>> = {
  SessionStart: { source: 'resume', model: 'm' },
  SessionEnd: { reason: 'logout' },
  StopFailure: { error: 'rate_limit', error_details: 'd' },
  UserPromptSubmit: { prompt: 'hi', source: 'user' },
  PreModelSwitch: { from_model: 'a', to_model: 'b', requested_model: 'b', source: 'x' },
  PreToolUse: { ...tool, tool_use_id: 't', mcp_server: { name: 'n', source: 's' } },
  PermissionRequest: { ...tool, permission_suggestions: [] },
  PermissionDenied: { ...tool, tool_use_id: 't', reason: 'r' },
  PostToolUse: { ...tool, tool_response: { a: 1 }, tool_use_id: 't', duration_ms: 5 },
  PostToolUseFailure: { ...tool, tool_use_id: 't', error: 'e', is_interrupt: false },
  Notification: { message: 'm', title: 't', notification_type: 'idle_prompt' },
  Stop: { stop_hook_active: true, last_assistant_message: 'done' },
  TaskCompleted: { task_id: '1', task_subject: 's', task_description: 'd' },
  SubagentStart: {},
  SubagentStop: { agent_transcript_path: '/t', stop_hook_active: false, last_assistant_message: 'x' },
  PreCompact: { trigger: 'manual', custom_instructions: 'short' },
  PostCompact: { trigger: 'auto', compact_summary: 's' },
  WorktreeCreate: { name: 'n' },
}

describe('a payload of Claude Code', () => {
  const base = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/w', permission_mode: 'plan' }

  it('is known for every event that has a counterpart', () => {
    expect(Object.keys(payloads).sort()).toEqual(Object.values(claudeCode.events).sort())
  })

  it.each(Object.keys(payloads))('%s survives there and back, in its order', (name) => {
    const own = payloads[name] as Record<string, unknown>
    const agent = { agent_id: 'a', agent_type: 'Explore', effort: { level: 'high' } }
    const host = { ...base, ...agent, hook_event_name: name, ...own }
    const decoded = claudeCode.event.decode(host)
    if (!decoded.ok) throw new Error(decoded.problem.message)
    expect(validate(eventRow(decoded.event).payload, decoded.payload).ok).toBe(true)
    expect(decoded.payload['sub_agent']).toBe(true)
    const { body, env } = claudeCode.event.encode(eventOf(decoded.event, decoded.payload), hookOf(decoded.event))
    expect(body).toBe(JSON.stringify(host))
    expect(env).toEqual({ CLAUDE_PROJECT_DIR: '/w', CLAUDE_EFFORT: 'high' })
  })

  it('always has the fields that are always there', () => {
    const { body } = claudeCode.event.encode(eventOf('stop', { permission_mode: 'yolo' }), hookOf('stop'))
    expect(JSON.parse(body)).toEqual({
      session_id: '',
      transcript_path: '',
      cwd: '',
      permission_mode: 'bypassPermissions',
      hook_event_name: 'Stop',
      stop_hook_active: false,
    })
  })

  it('names its event once, and one that Claude Code has', () => {
    const problem = (code: string) => ({ ok: false, problem: { code } })
    expect(claudeCode.event.decode({})).toMatchObject(problem('payload-invalid'))
    expect(claudeCode.event.decode({ hook_event_name: 'Setups' })).toMatchObject(problem('unknown-event'))
    expect(claudeCode.event.decode({ hook_event_name: 'Setup' })).toMatchObject(problem('event-without-counterpart'))
    expect(claudeCode.event.decode({ hook_event_name: 'Stop' }, 'pre_tool_use')).toMatchObject(
      problem('payload-invalid'),
    )
    expect(claudeCode.event.decode({}, 'turn_start')).toMatchObject(problem('unknown-event'))
    expect(claudeCode.event.decode({ hook_event_name: 'STOP' })).toMatchObject({ ok: true, event: 'stop' })
  })
})

describe('a reply in the way of Claude Code', () => {
  it.each<[EventName, unknown, number, string, object]>([
    ['pre_tool_use', '', 0, '', { notes: [] }],
    ['pre_tool_use', '', 2, '', { decision: { ruling: 'deny', reason: 'blocked by hook "h"' }, notes: [] }],
    ['pre_tool_use', { decision: 'deny' }, 0, '', { failure: 'invalid-output' }],
    ['pre_tool_use', { continue: 'no' }, 0, '', { failure: 'invalid-output' }],
    ['pre_tool_use', { hookSpecificOutput: { permissionDecision: 'yes' } }, 0, '', { failure: 'invalid-output' }],
    ['pre_tool_use', '[1]', 0, '', { notes: ['reply-value-ignored'] }],
    [
      'pre_tool_use',
      { decision: 'approve', hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'n' } },
      0,
      '',
      { decision: { ruling: 'deny', reason: 'n' }, notes: [] },
    ],
    [
      'pre_tool_use',
      { systemMessage: 'm', hookSpecificOutput: { permissionDecision: 'allow', updatedInput: {} } },
      2,
      'no',
      { decision: { ruling: 'deny', reason: 'no' }, message: ['m'], notes: [] },
    ],
    [
      'pre_tool_use',
      { hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'deny' } },
      0,
      '',
      { decision: { ruling: 'deny', reason: 'blocked by hook "h"' }, notes: ['reply-value-ignored'] },
    ],
    [
      'user_prompt_submit',
      { decision: 'block', reason: 'r' },
      0,
      '',
      { decision: { ruling: 'deny', reason: 'r' }, notes: [] },
    ],
    ['user_prompt_submit', { hookSpecificOutput: { updatedInput: {} } }, 0, '', { notes: ['reply-value-ignored'] }],
    ['post_tool_use_failure', '', 2, 'e', { context: ['e'], notes: [] }],
    ['run_error', '', 2, 'e', { notes: ['reply-value-ignored'] }],
    [
      'subagent_stop',
      { decision: 'block', reason: 'r' },
      0,
      '',
      { decision: { ruling: 'deny', reason: 'r' }, notes: [] },
    ],
    [
      'pre_compact',
      { decision: 'block', reason: 'r' },
      0,
      '',
      { decision: { ruling: 'deny', reason: 'r' }, notes: [] },
    ],
    ['worktree_create', '/path', 0, '', { notes: ['reply-value-ignored'] }],
    ['stop', { decision: 'approve' }, 0, '', { notes: ['reply-value-ignored'] }],
    ['stop', { async: true }, 0, '', { notes: [] }],
    ['stop', { async: true, decision: 'block' }, 0, '', { notes: ['reply-value-ignored'] }],
    ['pre_tool_use', '{"async":true}\nmore {', 2, 'too late', { notes: [] }],
    ['pre_tool_use', '{"async": true, "asyncTimeout": 900}\n{"decision":"block"}', 1, '', { notes: [] }],
    ['user_prompt_submit', '{"async":true}\nplain', 0, '', { notes: [] }],
    ['pre_tool_use', '{"async": false}', 2, 'no', { decision: { ruling: 'deny', reason: 'no' }, notes: [] }],
    ['turn_start', '', 2, 'x', { notes: ['reply-value-ignored'] }],
    [
      'post_tool_use',
      { hookSpecificOutput: { updatedMCPToolOutput: [1] } },
      0,
      '',
      { rewrite: { mode: 'replace', value: [1] }, notes: [] },
    ],
  ])('%s %j, exit %i %s', (event, stdout, exit, stderr, expected) => {
    expect(decodeReply(event, stdout, exit, stderr)).toEqual(expected)
  })

  const text = fc.stringMatching(/^[a-z]{1,9}$/)
  /** The effects that each event can carry, one text each. */
  const representable: [EventName, Record<string, (word: string) => Opinion>][] = [
    [
      'pre_tool_use',
      {
        allow: (reason) => ({ decision: { ruling: 'allow', reason } }),
        ask: (reason) => ({ decision: { ruling: 'ask', reason } }),
        deny: (reason) => ({ decision: { ruling: 'deny', reason } }),
        rewrite: (value) => ({ rewrite: { mode: 'replace', value: { command: value } } }),
        context: (word) => ({ context: [word] }),
      },
    ],
    ['permission_request', { deny: (reason) => ({ decision: { ruling: 'deny', reason } }) }],
    [
      'user_prompt_submit',
      { deny: (reason) => ({ decision: { ruling: 'deny', reason } }), context: (word) => ({ context: [word] }) },
    ],
    [
      'post_tool_use',
      { rewrite: (value) => ({ rewrite: { mode: 'replace', value } }), context: (word) => ({ context: [word] }) },
    ],
    ['stop', { deny: (reason) => ({ decision: { ruling: 'deny', reason } }) }],
    ['session_start', { context: (word) => ({ context: [word] }) }],
  ]

  it.each(representable)('of %s is the same after encoding and decoding', (event, parts) => {
    const halts = (reason: string): Opinion => ({ halt: { reason } })
    const messages = (word: string): Opinion => ({ message: [word] })
    const makers = Object.values({ ...parts, halts, messages })
    fc.assert(
      fc.property(fc.subarray(makers), text, (chosen, word) => {
        const opinion: Opinion = Object.assign({}, ...chosen.map((make) => make(word)))
        const verdict: Verdict = { event, ...opinion, payload: {}, reports: [], notes: [] }
        const { value, notes } = claudeCode.reply.encode(verdict)
        expect(notes).toEqual([])
        expect(decodeReply(event, value.stdout, value.exit, value.stderr)).toEqual({ ...opinion, notes: [] })
      }),
    )
  })

  it('approves a permission request together with the input it approves', () => {
    const verdict: Verdict = {
      event: 'permission_request',
      decision: { ruling: 'allow', reason: '' },
      rewrite: { mode: 'replace', value: { command: 'ls' } },
      payload: {},
      reports: [],
      notes: [],
    }
    const { value, notes } = claudeCode.reply.encode(verdict)
    expect(notes).toEqual([])
    expect(JSON.parse(value.stdout).hookSpecificOutput).toEqual({
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'allow', updatedInput: { command: 'ls' } },
    })
  })

  it('notes what of a verdict Claude Code cannot carry', () => {
    const encode = (event: EventName, opinion: Opinion) =>
      codes(claudeCode.reply.encode({ event, ...opinion, payload: {}, reports: [], notes: [] }).notes)
    expect(encode('user_prompt_submit', { rewrite: { mode: 'replace', value: 'x' } })).toEqual(['translation-lost'])
    expect(encode('session_end', { context: ['x'] })).toEqual(['translation-lost'])
    expect(encode('notification', { decision: { ruling: 'deny', reason: '' } })).toEqual(['translation-lost'])
    expect(encode('stop', { decision: { ruling: 'ask', reason: '' }, metadata: { a: 'b' } })).toHaveLength(2)
  })
})

describe('no input makes the codec throw', () => {
  const anything = fc.anything({ withNullPrototype: true })
  const event = fc.constantFrom(...(Object.keys(claudeCode.events) as EventName[]))
  it('config, payload and reply', () => {
    fc.assert(
      fc.property(anything, fc.jsonValue(), fc.string(), fc.nat(255), event, (value, json, stdout, exit, name) => {
        decode(value)
        decode({ hooks: { PreToolUse: [value, { hooks: [value, { type: 'command', command: json, if: stdout }] }] } })
        one('PreToolUse', { type: 'prompt', prompt: stdout, model: json }, stdout)
        claudeCode.config.detect(value, 'x.json')
        const fields = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { a: json }
        claudeCode.event.decode(fields)
        claudeCode.event.decode({ ...fields, trigger: json }, name)
        claudeCode.event.encode(eventOf(name, fields as Record<string, unknown>), hookOf(name))
        decodeReply(name, stdout, exit)
        decodeReply(name, { ...fields, hookSpecificOutput: json }, exit)
      }),
      { numRuns: 2_000 },
    )
  })
})
