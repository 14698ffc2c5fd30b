import { describe, expect, it } from 'vitest'
import {
  type Event,
  type EventName,
  eventRow,
  type Hook,
  hookDefaults,
  type Opinion,
  type Source,
  type Verdict,
  validate,
} from '../../src/core/index.ts'
import { dockerAgent } from '../../src/dialects/docker-agent/index.ts'
import fc from '../support/property.ts'

const source: Source = {
  file: 'agent.yaml',
  layer: 'project',
  locate: (path) => ({ file: `agent.yaml#${path.join('.')}` }),
}
const decode = (document: unknown) => dockerAgent.config.decode(document, source)
const codes = (notes: readonly { code: string }[]) => notes.map((each) => each.code)
const eventOf = (name: EventName, payload: Record<string, unknown>) =>
  ({ name, payload, depth: 0, synthetic: false }) as unknown as Event
const hookOf = (event: EventName): Hook => ({
  ...hookDefaults,
  id: 'h',
  event,
  dialect: 'docker-agent',
  run: { type: 'command', command: 'true' },
  origin: { layer: 'code' },
})
const reply = (event: EventName, stdout: unknown, exit = 0, stderr = '') =>
  dockerAgent.reply.decode(
    { kind: 'wire', exit, stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout), stderr },
    { event: eventOf(event, {}), hook: hookOf(event) },
  )
const decodeReply = (event: EventName, stdout: unknown, exit?: number, stderr?: string) => {
  const decoded = reply(event, stdout, exit, stderr)
  return decoded.ok ? { opinion: decoded.opinion, notes: codes(decoded.notes) } : { failure: decoded.failure.kind }
}

/** One payload of each of the 26 events, as its table lists the fields. */
const call = { tool_name: 'shell', tool_use_id: 'call_1', tool_input: { cmd: 'ls', cwd: '.' } }
const compaction = { input_tokens: 9000, output_tokens: 400, context_limit: 0, compaction_reason: 'overflow' }
const payloads: Record<string, Record<string, unknown>> = {
  pre_tool_use: { agent_name: 'root', ...call },
  tool_response_transform: { ...call, tool_response: '' },
  post_tool_use: { agent_name: 'root', ...call, tool_response: 'boom', tool_error: true },
  permission_request: { agent_name: 'root', ...call },
  session_start: { source: 'startup' },
  user_prompt_submit: { prompt: 'hello' },
  user_steering_messages_submit: { steering_messages: ['no', 'this way'] },
  user_followup_submit: { prompt: 'and now?' },
  turn_start: {},
  turn_end: { agent_name: 'root', reason: 'steered' },
  before_llm_call: { iteration: 1, model_id: 'openai/gpt-4o' },
  after_llm_call: {
    agent_name: 'root',
    stop_response: 'done',
    last_user_message: 'hello',
    model_id: 'openai/gpt-4o',
    usage: { input_tokens: 3, output_tokens: 0 },
    cost: 0,
  },
  session_end: { reason: 'logout' },
  pre_compact: { source: 'tool_overflow' },
  before_compaction: compaction,
  after_compaction: { ...compaction, summary: 'short' },
  subagent_stop: { agent_name: 'coder', parent_session_id: 's0', stop_response: 'built' },
  on_user_input: {},
  stop: { agent_name: 'root', stop_response: 'done', last_user_message: 'hello' },
  notification: { notification_level: 'warning', notification_message: 'slow' },
  on_error: { notification_level: 'error', notification_message: 'down' },
  on_max_iterations: { notification_level: 'warning', notification_message: 'enough' },
  on_agent_switch: { from_agent: 'root', to_agent: 'coder', agent_switch_kind: 'handoff' },
  on_session_resume: { previous_max_iterations: 50, new_max_iterations: 100 },
  on_tool_approval_decision: { ...call, approval_decision: 'allow', approval_source: 'yolo' },
  worktree_create: { worktree_path: '/w', worktree_branch: 'b', worktree_source_dir: '/src' },
}
const names = Object.keys(payloads) as EventName[]

describe('payloads', () => {
  it('there are 26 events, and the lane is not one of them', () => {
    expect(Object.keys(dockerAgent.events).sort()).toEqual([...names].sort())
    expect(dockerAgent.lanes).toEqual({ pre_tool_use: 'tool_guard' })
  })

  it.each(names)('%s: what a host sends is what a hook gets, key by key', (name) => {
    const wire = { session_id: 's1', cwd: '/work', hook_event_name: name, ...payloads[name] }
    const decoded = dockerAgent.event.decode(wire)
    if (!decoded.ok) throw new Error(decoded.problem.message)
    expect(decoded.event).toBe(name)
    expect(validate(eventRow(name).payload, decoded.payload).ok).toBe(true)
    const request = dockerAgent.event.encode(eventOf(name, decoded.payload), hookOf(name))
    expect(request.body).toBe(JSON.stringify(wire))
    expect(request.env).toEqual({})
    expect(dockerAgent.event.decode(JSON.parse(request.body), name)).toEqual(decoded)
  })

  it('the guard lane gets its event as pre_tool_use', () => {
    const { body } = dockerAgent.event.encode(eventOf('tool_guard', call), hookOf('tool_guard'))
    expect(JSON.parse(body).hook_event_name).toBe('pre_tool_use')
    expect(dockerAgent.event.decode(JSON.parse(body), 'tool_guard')).toMatchObject({ ok: true, event: 'tool_guard' })
  })

  it('documented fields are there when they are empty or false too; what nobody knows is left out', () => {
    const ran = { ...call, tool_input: {}, agent_name: '', tool_response: '', tool_error: false }
    const { body } = dockerAgent.event.encode(eventOf('post_tool_use', ran), hookOf('post_tool_use'))
    expect(JSON.parse(body)).toEqual({
      session_id: '',
      cwd: '',
      hook_event_name: 'post_tool_use',
      agent_name: '',
      tool_name: 'shell',
      tool_use_id: 'call_1',
      tool_input: {},
      tool_response: '',
      tool_error: false,
    })
    const unknown = { ...call, agent_name: undefined, tool_response: null }
    const sent = JSON.parse(dockerAgent.event.encode(eventOf('post_tool_use', unknown), hookOf('post_tool_use')).body)
    expect(sent).not.toHaveProperty('agent_name')
    expect(sent).not.toHaveProperty('tool_response')
    const answered = { response: '', last_user_message: '', model_id: 'a/b', agent_name: 'root' }
    const priced = JSON.parse(dockerAgent.event.encode(eventOf('after_llm_call', answered), hookOf('stop')).body)
    expect(priced).toMatchObject({ stop_response: '', last_user_message: '' })
    expect(priced).not.toHaveProperty('cost')
    expect(dockerAgent.event.decode({ hook_event_name: 'post_tool_use', tool_name: 'shell' })).toMatchObject({
      payload: { tool_name: 'shell', tool_input: {} },
    })
  })

  it('fields that are not of the event stay at home, and extra keys of a host are kept for builtins', () => {
    const payload = { ...call, agent_name: 'root', tool_category: 'shell', org_id: 'o', ts: 'now' }
    const { body } = dockerAgent.event.encode(eventOf('on_tool_approval_decision', payload), hookOf('stop'))
    expect(Object.keys(JSON.parse(body))).toEqual([
      ...['session_id', 'cwd', 'hook_event_name', 'tool_name', 'tool_use_id', 'tool_input'],
    ])
    const decoded = dockerAgent.event.decode({ hook_event_name: 'pre_tool_use', ...payload })
    expect(decoded).toMatchObject({ payload: { tool_category: 'shell' } })
  })

  it('worktree_create runs inside the new worktree', () => {
    const decoded = dockerAgent.event.decode({ hook_event_name: 'worktree_create', worktree_path: '/w' })
    expect(decoded).toMatchObject({ payload: { cwd: '/w' } })
  })

  it('an event that docker-agent does not have is refused, with the nearest name', () => {
    const unknown = dockerAgent.event.decode({ hook_event_name: 'pre_tool_used' })
    expect(unknown).toMatchObject({ ok: false, problem: { code: 'unknown-event' } })
    expect(!unknown.ok && unknown.problem.message).toContain('`pre_tool_use`')
    expect(dockerAgent.event.decode({}, 'before_run')).toMatchObject({ ok: false, problem: { code: 'unknown-event' } })
    expect(dockerAgent.event.decode({})).toMatchObject({ ok: false, problem: { code: 'payload-invalid' } })
    expect(dockerAgent.event.decode({ hook_event_name: 'stop' }, 'turn_end')).toMatchObject({ ok: false })
  })
})

describe('replies', () => {
  const specific = (fields: object) => ({ hook_specific_output: fields })

  it.each(names)('%s blocks exactly when the table says so, in all four ways', (name) => {
    const can = [
      ...['pre_tool_use', 'post_tool_use', 'permission_request', 'user_prompt_submit', 'before_llm_call'],
      ...[
        'user_steering_messages_submit',
        'user_followup_submit',
        'pre_compact',
        'before_compaction',
        'worktree_create',
      ],
    ].includes(name)
    const blocked = { opinion: { decision: { ruling: 'deny', reason: 'no' } }, notes: [] }
    const ignored = { opinion: {}, notes: ['reply-value-ignored'] }
    expect(decodeReply(name, { decision: 'block', reason: 'no' })).toEqual(can ? blocked : ignored)
    expect(decodeReply(name, { continue: false, stop_reason: 'no' })).toEqual(can ? blocked : ignored)
    expect(decodeReply(name, '', 2, 'no\n')).toEqual(can ? blocked : ignored)
    const deny = specific({ permission_decision: 'deny', permission_decision_reason: 'no' })
    expect(decodeReply(name, deny)).toEqual(can ? blocked : ignored)
  })

  it.each(names)('%s takes text as context exactly when it is listed', (name) => {
    const takes = [
      ...['session_start', 'user_prompt_submit', 'user_steering_messages_submit', 'user_followup_submit', 'turn_start'],
      ...['post_tool_use', 'pre_compact', 'stop', 'worktree_create'],
    ].includes(name)
    const expected = takes
      ? { opinion: { context: ['hi'] }, notes: [] }
      : { opinion: {}, notes: ['reply-value-ignored'] }
    expect(decodeReply(name, ' hi\n')).toEqual(expected)
    expect(decodeReply(name, specific({ additional_context: 'hi' }))).toEqual(expected)
  })

  it('silence, an empty object and nulls are no opinion', () => {
    for (const stdout of [
      '',
      ' \n',
      '{}',
      { decision: null, continue: null, hook_specific_output: null },
      { continue: true },
    ])
      expect(decodeReply('pre_tool_use', stdout)).toEqual({ opinion: {}, notes: [] })
  })

  it.each([1, 3, 49, 126, 127, 255])('exit code %i is a failure, whatever is printed', (exit) => {
    expect(decodeReply('pre_tool_use', { decision: 'block' }, exit)).toEqual({ failure: 'exit' })
    expect(decodeReply('session_start', 'hello', exit)).toEqual({ failure: 'exit' })
  })

  it.each([
    { decision: 'blok' },
    { decision: 5 },
    { continue: 'false' },
    { hook_specific_output: 'deny' },
    { hook_specific_output: { permission_decision: 'alow' } },
    { hook_specific_output: { updated_input: ['ls'] } },
    { hook_specific_output: { metadata: { risk: 3 } } },
    { hook_specific_output: { updated_tool_response: 3 } },
  ])('what is JSON but not documented is a failure: %j', (stdout) => {
    expect(decodeReply('pre_tool_use', stdout)).toEqual({ failure: 'invalid-output' })
    expect(decodeReply('session_start', stdout)).toEqual({ failure: 'invalid-output' })
  })

  it('text that only begins like JSON is text where text is read, with a note, and else a failure', () => {
    expect(decodeReply('session_start', '{ braces')).toEqual({
      opinion: { context: ['{ braces'] },
      notes: ['reply-not-json'],
    })
    expect(decodeReply('before_llm_call', '{ braces')).toEqual({ failure: 'invalid-output' })
    expect(decodeReply('user_prompt_submit', '{"decision":"block","decision":"allow"}')).toEqual({
      failure: 'invalid-output',
    })
    expect(decodeReply('turn_start', '[1, 2]')).toEqual({ opinion: { context: ['[1, 2]'] }, notes: [] })
  })

  it('a harmless decision of another system is noted, and keys are read in any case', () => {
    expect(decodeReply('pre_tool_use', { decision: 'approve' })).toEqual({
      opinion: {},
      notes: ['reply-value-ignored'],
    })
    expect(decodeReply('pre_tool_use', { Decision: 'block', Reason: 'no' })).toMatchObject({
      opinion: { decision: { reason: 'no' } },
    })
    expect(decodeReply('pre_tool_use', { hookSpecificOutput: {} })).toEqual({
      opinion: {},
      notes: ['reply-field-ignored'],
    })
  })

  it('the reason of an allow is no reason of a refusal', () => {
    const allowed = { hook_specific_output: { permission_decision: 'allow', permission_decision_reason: 'safe' } }
    expect(decodeReply('pre_tool_use', allowed, 2, 'no')).toMatchObject({ opinion: { decision: { reason: 'no' } } })
    const both = decodeReply('pre_tool_use', { decision: 'block', ...allowed })
    expect(both).toMatchObject({
      opinion: { decision: { ruling: 'deny', reason: expect.not.stringContaining('safe') } },
    })
  })

  it('exit 2 keeps the reason on stdout, else that on stderr, else what was printed', () => {
    const reason = (stdout: unknown, stderr: string) => {
      const decoded = reply('pre_tool_use', stdout, 2, stderr)
      return decoded.ok && decoded.opinion.decision?.reason
    }
    expect(reason({ decision: 'block', reason: 'from json' }, 'from stderr')).toBe('from json')
    expect(reason(specific({ permission_decision_reason: 'from json' }), '')).toBe('from json')
    expect(reason({ permission: 1 }, 'from stderr')).toBe('from stderr')
    expect(reason('printed', '')).toBe('printed')
    expect(reason('', '')).toBe('blocked by hook "h"')
    expect(reason(specific({ permission_decision: 'allow' }), 'still no')).toBe('still no')
  })

  it('each rewrite is read on its own event, and replaces', () => {
    const rewrite = (value: unknown) => ({ opinion: { rewrite: { mode: 'replace', value } }, notes: [] })
    expect(decodeReply('pre_tool_use', specific({ updated_input: { cmd: 'ls' } }))).toEqual(rewrite({ cmd: 'ls' }))
    expect(decodeReply('tool_response_transform', specific({ updated_tool_response: '' }))).toEqual(rewrite(''))
    expect(decodeReply('before_llm_call', specific({ updated_messages: [{ role: 'user' }] }))).toEqual(
      rewrite([{ role: 'user' }]),
    )
    expect(decodeReply('before_compaction', specific({ summary: 'short' }))).toEqual(rewrite('short'))
    expect(decodeReply('before_compaction', specific({ summary: '' }))).toEqual({ opinion: {}, notes: [] })
    const ignored = { opinion: {}, notes: ['reply-value-ignored'] }
    expect(decodeReply('post_tool_use', specific({ updated_tool_response: 'x' }))).toEqual(ignored)
    expect(decodeReply('tool_guard', specific({ updated_input: { cmd: 'ls' } }))).toEqual(ignored)
  })

  it('control characters are taken out of what people read', () => {
    const decoded = decodeReply('pre_tool_use', { decision: 'block', reason: 'no\u001b[2J way' })
    expect(decoded).toEqual({ opinion: { decision: { ruling: 'deny', reason: 'no way' } }, notes: ['text-sanitised'] })
  })

  it('decode undoes encode, except for what the notes list as lost', () => {
    const word = fc.string({ minLength: 1, maxLength: 8 }).map((text) => text.replace(/[^\w ]/g, 'x').trim() || 'x')
    const opinion = fc.record(
      {
        decision: fc.record({
          ruling: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
          reason: word,
        }),
        halt: fc.record({ reason: word }),
        context: fc.tuple(word).map(([text]) => [text]),
        rewrite: fc.record({ mode: fc.constant('replace' as const), value: fc.dictionary(word, word, { minKeys: 1 }) }),
        message: fc.tuple(word).map(([text]) => [text]),
        metadata: fc.dictionary(word, word, { minKeys: 1 }),
      },
      { requiredKeys: [] },
    )
    const all: EventName[] = [...names, 'tool_guard']
    fc.assert(
      fc.property(fc.constantFrom(...all), opinion, (event, original: Opinion) => {
        const verdict: Verdict = { event, ...original, payload: {}, reports: [], notes: [] }
        const encoded = dockerAgent.reply.encode(verdict)
        const decoded = dockerAgent.reply.decode(encoded.value, { event: eventOf(event, {}), hook: hookOf(event) })
        if (!decoded.ok) {
          // A rewrite of this shape does not fit every event; the value is then refused, never misread.
          expect(original.rewrite).toBeDefined()
          return
        }
        const notes = [...encoded.notes, ...decoded.notes]
        if (notes.length === 0 && typeof decoded.opinion.rewrite?.value !== 'string')
          expect(decoded.opinion).toEqual(original)
      }),
    )
  })

  it('a reply is always one that docker-agent understands in full', () => {
    const verdict = (event: EventName, opinion: Opinion): Verdict => ({
      event,
      ...opinion,
      payload: {},
      reports: [],
      notes: [],
    })
    const encoded = (event: EventName, opinion: Opinion) => dockerAgent.reply.encode(verdict(event, opinion)).value
    expect(encoded('stop', {})).toEqual({ kind: 'wire', exit: 0, stdout: '', stderr: '' })
    expect(JSON.parse(encoded('tool_guard', { decision: { ruling: 'deny', reason: 'no' } }).stdout)).toEqual({
      hook_specific_output: {
        hook_event_name: 'pre_tool_use',
        permission_decision: 'deny',
        permission_decision_reason: 'no',
      },
    })
    expect(JSON.parse(encoded('user_prompt_submit', { decision: { ruling: 'deny', reason: 'no' } }).stdout)).toEqual({
      decision: 'block',
      reason: 'no',
    })
    expect(JSON.parse(encoded('pre_compact', { halt: { reason: 'end' }, message: ['a', 'b'] }).stdout)).toEqual({
      continue: false,
      stop_reason: 'end',
      system_message: 'a\nb',
    })
  })
})

describe('nothing makes a codec throw', () => {
  const value = fc.jsonValue({ maxDepth: 2 })
  const keys = ['hooks', 'matcher', 'type', 'command', 'args', 'timeout', 'env', 'prompt', 'model', '__proto__']
  const entry = fc.dictionary(
    fc.constantFrom(...keys),
    fc.oneof(value, fc.constantFrom('command', 'model', '{{ .ToolName', '{{}}')),
    { maxKeys: 6 },
  )
  const runs = { numRuns: 1_000 }

  it('configs', () => {
    const block = fc.dictionary(
      fc.constantFrom('pre_tool_use', 'stop', 'toString', '__proto__'),
      fc.oneof(value, entry, fc.record({ hooks: fc.array(entry, { maxLength: 2 }) })),
      { maxKeys: 2 },
    )
    const agents = fc.dictionary(
      fc.constantFrom('root', 'b', '__proto__'),
      fc.record({ hooks: block, toolsets: value }),
    )
    fc.assert(
      fc.property(fc.oneof(value, fc.record({ agents, hooks: block, settings: value })), (document) => {
        dockerAgent.config.detect(document, 'a.yaml')
        dockerAgent.config.encode(decode(document).hooks)
      }),
      runs,
    )
  })

  it('payloads and replies', () => {
    const payload = fc.dictionary(fc.constantFrom('hook_event_name', 'tool_input', 'cwd', 'x', '__proto__'), value)
    const text = fc.oneof(
      fc.string(),
      value.map((output) => JSON.stringify(output)),
      value.map((output) => JSON.stringify({ hook_specific_output: output })),
    )
    fc.assert(
      fc.property(fc.constantFrom(...names), payload, text, fc.nat(3), (name, host, stdout, exit) => {
        dockerAgent.event.decode(host)
        const decoded = dockerAgent.event.decode({ ...host, hook_event_name: name })
        expect(decoded.ok).toBe(true)
        reply(name, stdout, exit, stdout)
      }),
      runs,
    )
  })
})
