import { describe, expect, it } from 'vitest'
import type { EventName, Hook } from '../../src/core/index.ts'
import { relativeScript } from '../../src/dialects/starchild/config.ts'
import { starchild } from '../../src/dialects/starchild/index.ts'
import { quoteWords, splitWords } from '../../src/shell/index.ts'
import fc from '../support/property.ts'
import { codes, lawsOf } from './laws.ts'

const { decode, problems, decodeReply, passesOn, keepsHooks, keepsVerdict, neverThrows, hookOf } = lawsOf(starchild)
const entry = (more: object = {}) => ({ event: 'pre_tool_call', command: '/hooks/x.py', ...more })

describe('config', () => {
  it('is found by name and shape, and not taken for that of others', () => {
    const { detect } = starchild.config
    expect(detect({}, 'shell_hooks.yaml')).toBe(true)
    expect(detect({ hooks: [entry()] }, 'a.yaml')).toBe(true)
    expect(detect({ shell_hooks: { enabled: true } }, 'agent.yaml')).toBe(true)
    expect(detect({ hooks: [{ event: 'pre_tool_use', command: 'x' }] }, 'a.yaml')).toBe(false)
    expect(detect({ version: 1, hooks: [entry()] }, 'a.yaml')).toBe(false)
  })

  it('an entry without options has those of the document', () => {
    const [hook] = decode({ hooks: [entry({ command: 'python3 /hooks/x.py --fast' })] }).hooks
    expect(hook).toMatchObject({
      id: 'pre_tool_use_1',
      timeoutMs: 20_000,
      onFailure: 'open',
      enabled: true,
      matcher: [],
    })
    expect(hook?.run).toEqual({
      type: 'command',
      command: 'python3',
      args: ['/hooks/x.py', '--fast'],
      lend_python: true,
    })
  })

  it('http is a transport like any other; local services need an option', () => {
    const url = 'http://localhost:9/x'
    const runs = decode({
      hooks: [entry({ type: 'http', url }), entry({ type: 'http', url, allow_local: true })],
    }).hooks
    expect(runs.map(({ run }) => run)).toEqual([
      { type: 'http', url },
      { type: 'http', url, allow_local: true },
    ])
  })

  it('the variable of Starchild opens local services, but not to a project', () => {
    const document = { hooks: [entry({ type: 'http', url: 'http://localhost:9/x' })] }
    const variable = (name: string) => (name === 'STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL' ? '1' : undefined)
    const read = (layer: 'user' | 'project') =>
      starchild.config.decode(document, {
        file: 'f',
        layer,
        locate: () => ({ file: 'f', line: 1, column: 1 }),
        variable,
      }).hooks[0]?.run
    expect(read('user')).toMatchObject({ allow_local: true })
    expect(read('project')).not.toHaveProperty('allow_local')
  })

  it('the master switch stands in the file, or as in agent.yaml', () => {
    for (const off of [{ enabled: false }, { shell_hooks: { enabled: false } }]) {
      const { hooks, notes } = decode({ ...off, hooks: [entry()] })
      expect([hooks[0]?.enabled, codes(notes)]).toEqual([false, ['config-shape']])
    }
    expect(decode({ shell_hooks: { enabled: true, hooks: [entry()] } }).hooks).toHaveLength(1)
    expect(decode(null)).toEqual({ hooks: [], problems: [], notes: [] })
  })

  it.each([
    [{ command: undefined }, 'there is nothing to run'],
    [{ command: "echo 'x" }, 'a quotation does not end'],
    [{ command: 'echo \\' }, 'nothing follows'],
    [{ type: 'grpc' }, 'must be `command` or `http`'],
    [{ type: 'http' }, 'is missing'],
    [{ timeout: '10' }, 'must be a number of seconds'],
    [{ matcher: 5 }, 'must be text'],
    [{ event: 'PreToolUse' }, 'Unknown event'],
    [{ event: '' }, 'is missing'],
  ])('%j is refused', (more, words) =>
    expect(problems({ hooks: [entry(more)] })).toEqual([expect.stringContaining(words)]),
  )
})

describe('commands are split as Python does', () => {
  it.each([
    ['a b  c', ['a', 'b', 'c']],
    [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
    ['a\\ b', ['a b']],
    [`"a\\"b\\\\c\\n"`, ['a"b\\c\\n']],
    [`'a\\b'`, ['a\\b']],
    [`a''b ""`, ['ab', '']],
    ['$HOME ~ *', ['$HOME', '~', '*']],
    ['a\nb # c', ['a', 'b', '#', 'c']],
    ['', []],
  ])('%j', (command, words) => expect(splitWords(command)).toEqual({ ok: true, words }))

  it('joining and splitting again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitWords(quoteWords(words))).toEqual({ ok: true, words })
      }),
    )
  })

  it.each([
    [['./x.py'], './x.py'],
    [['~/x.py'], '~/x.py'],
    [['python3', '-u', 'hooks/x.py'], 'hooks/x.py'],
    [['python3', 'x.py'], 'x.py'],
    [['/x.py', 'a/b'], undefined],
    [['python3', '/x.py'], undefined],
    [['sh', '-c', 'cat a/b'], undefined],
    [['true'], undefined],
  ])('%j: relative is %s', (words, relative) => expect(relativeScript(words)).toBe(relative))
})

describe('payloads', () => {
  const head = { session_id: 's', agent_id: 'a', cwd: '/app' }
  it.each([
    ['on_user_message', { message: 'hi', channel: 'web' }],
    ['pre_tool_call', { tool_name: 'bash', tool_input: { command: 'ls' } }],
    ['post_tool_call', { tool_name: 'bash', tool_result: 'ok' }],
    ['transform_tool_result', { tool_name: 'bash', tool_result: null }],
    ['pre_llm_call', { system: 's', last_user_message: 'u', model: 'm' }],
    ['post_llm_call', { model: 'm' }],
    ['on_response_end', { response: 'r', model: 'm', tokens: { input: 1 }, tool_names: ['bash'], turn_cost_usd: 0.1 }],
    ['on_stop', { response: 'r', tool_names: [], stop_hook_active: false }],
    ['on_outbound_message', { notification: 'n', type: 'telegram' }],
    ['on_completion_claim', { goal: 'g', summary: 's', response: 'r', tool_names: ['x'] }],
    ['on_session_start', { status: 'started' }],
    ['on_session_end', { status: 'ended' }],
  ])('%s', (event, fields) => passesOn({ event, ...head, ...fields }))
})

describe('replies', () => {
  it.each([
    [
      { decision: 'block', reason: 'a', continue: false, stopReason: 'b' },
      { decision: { ruling: 'deny', reason: 'a\nb' }, notes: [] },
    ],
    [
      { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'r' } },
      { decision: { ruling: 'ask', reason: 'r' }, notes: [] },
    ],
    [{ hookSpecificOutput: { permissionDecision: 'allow' } }, { notes: [] }],
    [{ hookSpecificOutput: { permissionDecision: 'maybe' } }, { failure: 'invalid-output' }],
    [{ decision: 5 }, { failure: 'invalid-output' }],
    [{ decision: 'approve', reason: 'fine' }, { notes: ['reply-value-ignored'] }],
    [{ tool_input: 'x' }, { notes: ['reply-value-ignored'] }],
    [{ add_warning: 5 }, { notes: ['reply-value-ignored'] }],
    [{ tool_result: 'x' }, { notes: ['reply-field-ignored'] }],
    [{ decision: null, tool_input: null }, { notes: [] }],
  ])('%j', (stdout, expected) => expect(decodeReply('pre_tool_use', stdout)).toEqual(expected))

  it('an ask in the form of Claude Code counts only where a user can be prompted', () => {
    const askReply = { hookSpecificOutput: { permissionDecision: 'ask' } }
    expect(decodeReply('user_prompt_submit', askReply)).toEqual({ notes: ['reply-value-ignored'] })
  })

  it.each([
    [{ decision: 'block', reason: 'no', systemMessage: 42 }],
    [{ decision: 'block', reason: 'no', hookSpecificOutput: 'x' }],
    [{ continue: false, stopReason: 'no', suppressOutput: 'yes' }],
    [{ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no', additionalContext: 5 } }],
  ])('a block stands, whatever is wrong beside it: %j', (output) => {
    const decision = { ruling: 'deny', reason: 'no' }
    expect(decodeReply('pre_tool_use', JSON.stringify(output))).toEqual({ decision, notes: ['reply-value-ignored'] })
  })

  it('a message for the user that is given twice is shown once', () => {
    const output = { systemMessage: 'hm', add_warning: 'hm' }
    expect(decodeReply('pre_tool_use', JSON.stringify(output))).toMatchObject({ message: ['hm'] })
  })
})

describe('laws', () => {
  const word = fc.stringMatching(/^[\w.$'"-]{0,10}\w$/)
  const hook = fc.record({
    event: fc.constantFrom(...(Object.keys(starchild.events) as EventName[])),
    run: fc.oneof(
      fc.record({
        type: fc.constant('command'),
        command: fc.constant('/x.py'),
        args: fc.array(word),
        lend_python: fc.constant(true),
      }),
      fc.constant({ type: 'http', url: 'https://example.com/x' }),
    ),
    regex: fc.option(word),
    timeoutMs: fc.integer({ min: 1, max: 120_000 }),
  })

  it('a config survives encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(hook, { maxLength: 5 }), fc.boolean(), (drafts, enabled) => {
        const counts = new Map<string, number>()
        const hooks = drafts.map(({ regex, event, ...draft }, stage): Hook => {
          const number = (counts.get(event) ?? 0) + 1
          counts.set(event, number)
          const matcher = regex ? [{ facet: 'text' as const, test: { regex, whole: false } }] : []
          const fixed = { id: `${event}_${number}`, onFailure: 'open', judgesOnce: true } as const
          return { ...hookOf(event), ...draft, ...fixed, matcher, stage, enabled }
        })
        keepsHooks(hooks)
      }),
      { numRuns: 200 },
    )
  })

  it('a verdict that the dialect can represent survives encoding and decoding', () => {
    fc.assert(
      fc.property(word, fc.dictionary(word, word, { minKeys: 1 }), (text, value) => {
        keepsVerdict('pre_tool_use', { decision: { ruling: 'deny', reason: text }, message: [text] })
        keepsVerdict('pre_tool_use', { rewrite: { mode: 'merge', value } }, { tool_input: value })
        keepsVerdict('user_prompt_submit', { rewrite: { mode: 'replace', value: text } })
        keepsVerdict('on_response_end', { rewrite: { mode: 'replace', value: text }, message: [text] })
        keepsVerdict('before_llm_call', { context: [text] })
        keepsVerdict('stop', { decision: { ruling: 'deny', reason: text } })
      }),
      { numRuns: 200 },
    )
  })

  it('no codec throws, whatever comes in', () => neverThrows(2_000), 60_000)
})
