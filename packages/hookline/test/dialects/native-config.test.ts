import { describe, expect, test } from 'vitest'
import {
  type EventName,
  eventNames,
  eventRow,
  failurePolicies,
  type Hook,
  hookDefaults,
  type MatchTest,
  modes,
  type Source,
  type TextTest,
} from '../../src/core/index.ts'
import { native } from '../../src/dialects/native/index.ts'
import fc from '../support/property.ts'

const source: Source = { file: 'hookline.yaml', layer: 'user', locate: () => ({ file: 'hookline.yaml' }) }
const decode = (...hooks: unknown[]) => native.config.decode({ version: 1, hooks }, source)
const codes = (entry: object) => decode({ event: 'pre_tool_use', run: 'x', ...entry }).problems.map((note) => note.code)
const testsOf = (matcher: object, event = 'pre_tool_use') =>
  decode({ event, run: 'x', matcher }).hooks[0]?.matcher.map(({ where: _, ...test }) => test)

describe('matchers', () => {
  test('plain names and lists never reach the regex engine', () => {
    expect(testsOf({ tool: 'shell' })).toEqual([{ facet: 'tool', test: { names: ['shell'] } }])
    expect(testsOf({ tool: 'a|b-c|mcp:d/e' })).toEqual([{ facet: 'tool', test: { names: ['a', 'b-c', 'mcp:d/e'] } }])
    expect(testsOf({ tool: '*' })).toEqual([{ facet: 'tool', test: { any: true } }])
    expect(testsOf({ tool_glob: 'a|mcp_*|x.y' })).toEqual([
      { facet: 'tool', test: { names: ['a', 'x.y'], prefixes: ['mcp_'] } },
    ])
  })

  test('anything else is a regex of the whole name', () => {
    for (const tool of ['mcp__.*', '^shell$', '(a|b)c', 'x.y'])
      expect(testsOf({ tool })).toEqual([{ facet: 'tool', test: { regex: tool, whole: true } }])
  })

  test.each(['*foo', 'a*b', 'a||', '|a', 'a|', 'a**', 'a?', 'a[b]', ' a', 'a | b', '*|*a*'])(
    'the glob %j can never match',
    (tool_glob) => {
      if (tool_glob.split('|').includes('*')) return expect(codes({ matcher: { tool_glob } })).toEqual([])
      expect(codes({ matcher: { tool_glob } })).toEqual(['matcher-dead'])
    },
  )

  test('a facet that the event has no subject for is a load error, on every event', () => {
    for (const event of eventNames)
      for (const [facet, matcher] of [
        ['tool', { tool: 'x' }],
        ['tool', { tool_glob: 'x*' }],
        ['args', { args: { path: 'x' } }],
        ['agent', { agent: 'x' }],
        ['source', { source: 'x.*' }],
      ] as const) {
        const expected = eventRow(event).subject[facet] === undefined ? ['matcher-dead'] : []
        expect(codes({ event, matcher })).toEqual(expected)
      }
  })

  test('paths lead into the arguments, lists included', () => {
    const path = (text: string) => testsOf({ args: { path: text } })?.[0]?.path
    expect(path('$.command')).toEqual(['command'])
    expect(path('headers.Authorization')).toEqual(['headers', 'Authorization'])
    expect(path('edits[*].path')).toEqual(['edits', '*', 'path'])
    expect(path('items[0]')).toEqual(['items', 0])
    expect(path('$[0].x')).toEqual([0, 'x'])
    expect(path('["odd key"].x')).toEqual(['odd key', 'x'])
    expect(path('$["a\\"b"][\'c d\']')).toEqual(['a"b', 'c d'])
    expect(path('$')).toEqual([])
    expect(path('$ref')).toEqual(['$ref'])
  })

  test.each(['$..a', 'a..b', 'a.', 'a[', 'a[-1]', 'a[?(@.b)]', 'a]', '  '])('the path %j is refused', (path) => {
    expect(codes({ matcher: { args: { path } } })).toEqual(['matcher-path'])
  })

  test('a path alone requires that something is there; patterns are found anywhere', () => {
    expect(testsOf({ args: [{ path: 'a' }, { path: 'b', matches: 'x', not_matches: 'y' }] })).toEqual([
      { facet: 'args', path: ['a'], test: { any: true } },
      { facet: 'args', path: ['b'], test: { regex: 'x', whole: false } },
      { facet: 'args', path: ['b'], test: { regex: 'y', whole: false }, negate: true },
    ])
  })
})

describe('hooks', () => {
  test.each([
    [30, 30_000],
    [0.0004, 1],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['2m', 120_000],
    ['1h', 3_600_000],
  ])('the time-out %j is %d ms', (timeout, ms) => {
    expect(decode({ event: 'stop', run: 'x', timeout }).hooks[0]?.timeoutMs).toBe(ms)
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 86_401, '', '30', 's', '-5s', '5 days', '25h', [5], null])(
    'the time-out %j is refused',
    (timeout) => {
      expect(codes({ timeout })).toEqual(['config-shape'])
    },
  )

  test('closed is refused exactly where there is nothing to deny', () => {
    for (const event of eventNames) {
      const expected = eventRow(event).effects.includes('decision') ? [] : ['cannot-fail-closed']
      expect(codes({ event, on_failure: 'closed' })).toEqual(expected)
    }
  })

  test('a string is a shell command; nothing to run is refused', () => {
    expect(decode({ event: 'stop', run: 'ls -l' }).hooks[0]?.run).toEqual({ type: 'command', command: 'ls -l' })
    for (const run of ['', ' \n', { type: 'command', command: ' ' }, {}, { type: '' }, null, 5, [], { type: 5 }])
      expect(codes({ run })).toHaveLength(1)
  })

  test('a made id never takes one that is written', () => {
    const { hooks } = decode(
      { event: 'stop', run: 'a' },
      { id: 'stop_1', event: 'stop', run: 'b' },
      { event: 'Stop', run: 'c' },
    )
    expect(hooks.map((hook) => hook.id)).toEqual(['stop_2', 'stop_1', 'stop_3'])
  })

  test('one broken entry does not sink the others', () => {
    const { hooks, problems } = decode(
      { event: 'stop', run: 'a' },
      { event: 'stpo', run: 'b' },
      { event: 'stop', run: 'c' },
    )
    expect(hooks).toHaveLength(2)
    expect(problems).toHaveLength(1)
  })

  test('event names are read in any case, with or without underscores', () => {
    for (const event of ['PreToolUse', 'PRE_TOOL_USE', 'pretooluse', 'pre-tool-use'])
      expect(decode({ event, run: 'x' }).hooks[0]?.event).toBe('pre_tool_use')
  })
})

describe('laws', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
  const names = fc.uniqueArray(word, { minLength: 1, maxLength: 3 })
  const nameTest: fc.Arbitrary<TextTest> = fc.oneof(
    fc.constant<TextTest>({ any: true }),
    names.map((names) => ({ names })),
    word.map((start) => ({ regex: `${start}.*`, whole: true })),
  )
  const step = fc.oneof(fc.string({ minLength: 1 }), fc.nat(99))
  const argumentTest: fc.Arbitrary<MatchTest> = fc
    .record({
      path: fc.array(step, { maxLength: 4 }),
      regex: fc.string({ minLength: 1 }),
      negate: fc.boolean(),
      any: fc.boolean(),
    })
    .map(({ path, regex, negate, any }) =>
      any
        ? { facet: 'args', path, test: { any: true } }
        : { facet: 'args', path, test: { regex, whole: false }, ...(negate && { negate }) },
    )
  const matcherFor = (event: EventName): fc.Arbitrary<MatchTest[]> => {
    const { subject } = eventRow(event)
    const maybe = (facet: 'tool' | 'agent') =>
      subject[facet] ? fc.option(nameTest, { nil: undefined }) : fc.constant(undefined)
    const args = subject.args ? fc.array(argumentTest, { maxLength: 3 }) : fc.constant([])
    return fc
      .tuple(maybe('tool'), args, maybe('agent'))
      .map(([tool, args, agent]) => [
        ...(tool ? [{ facet: 'tool' as const, test: tool }] : []),
        ...args,
        ...(agent ? [{ facet: 'agent' as const, test: agent }] : []),
      ])
  }
  const json = fc.jsonValue({ maxDepth: 3 })
  const hook: fc.Arbitrary<Hook> = fc.constantFrom(...eventNames).chain((event) => {
    const policies = failurePolicies.filter((policy) => policy !== 'closed' || eventRow(event).deny)
    return fc
      .record(
        {
          id: fc.uuid(),
          event: fc.constant(event),
          dialect: fc.constant('native'),
          matcher: matcherFor(event),
          run: fc.record({ type: word, option: json }).map((run) => ({ ...run, command: 'x' })),
          timeoutMs: fc.integer({ min: 1, max: 86_400_000 }),
          onFailure: fc.constantFrom(...policies),
          mode: fc.constantFrom(...modes),
          background: fc.boolean(),
          stage: fc.maxSafeInteger(),
          enabled: fc.boolean(),
          env: fc.dictionary(
            fc.stringMatching(/^[A-Z_]{1,8}$/),
            fc.string().map((text) => text.replaceAll('\0', '')),
          ),
          workingDir: fc.string({ minLength: 1 }),
          description: fc.string(),
          canary: json,
          origin: fc.constant({ layer: 'user', where: { file: 'hookline.yaml' } } as const),
        },
        {
          requiredKeys: [
            'id',
            'event',
            'dialect',
            'matcher',
            'run',
            'timeoutMs',
            'mode',
            'background',
            'stage',
            'enabled',
            'env',
            'origin',
          ],
        },
      )
      .filter((hook) => !(hook.background && hook.onFailure === 'closed')) as fc.Arbitrary<Hook>
  })
  const withoutPlaces = (hook: Hook) => ({
    ...hook,
    env: { ...hook.env },
    matcher: hook.matcher.map(({ where: _, ...test }) => test),
  })

  test('hooks written as config and read again are the same', () => {
    fc.assert(
      fc.property(fc.uniqueArray(hook, { selector: ({ id }) => id, maxLength: 3 }), (hooks) => {
        const { value, notes } = native.config.encode(hooks)
        expect(notes).toEqual([])
        const decoded = native.config.decode(JSON.parse(JSON.stringify(value)), source)
        expect(decoded.problems).toEqual([])
        expect(decoded.hooks.map(withoutPlaces)).toEqual(JSON.parse(JSON.stringify(hooks.map(withoutPlaces))))
      }),
      { numRuns: 100 },
    )
  })

  test('no document makes the decoder throw, and no entry is dropped in silence', () => {
    const key = fc.constantFrom(
      'id',
      'event',
      'matcher',
      'run',
      'timeout',
      'on_failure',
      'env',
      'stage',
      'args',
      'tool',
      'tool_glob',
      'path',
      'type',
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('stop', 'pre_tool_use', 'x', '*', '', 1, null, true, undefined),
        fc.string(),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(key, fc.string()), tie('tree'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(fc.oneof(tree, fc.anything()), fc.array(tree, { maxLength: 4 }), (document, entries) => {
        native.config.decode(document, source)
        native.config.detect(document, 'x.yaml')
        const decoded = decode(...entries)
        expect(decoded.hooks.length + decoded.problems.length).toBeGreaterThanOrEqual(entries.length)
      }),
      { numRuns: 500 },
    )
  })

  test('what native cannot express is noted, never silently lost', () => {
    const foreign: Hook = {
      ...hookDefaults,
      id: 'theirs',
      event: 'pre_tool_use',
      dialect: 'crush',
      matcher: [{ facet: 'text', test: { regex: 'x', whole: false } }],
      run: { type: 'command', command: 'x' },
      topLevelOnly: true,
      unlessRuled: true,
      dedupe: 'x',
      origin: { layer: 'user' },
    }
    expect(native.config.encode([foreign]).notes.map((note) => note.code)).toEqual(Array(5).fill('translation-lost'))
  })

  test('an unanchored pattern of another system keeps its meaning', () => {
    const foreign: Hook = {
      ...hookDefaults,
      id: 'a',
      event: 'pre_tool_use',
      dialect: 'native',
      matcher: [{ facet: 'tool', test: { regex: '^mcp|edit', whole: false } }],
      run: { type: 'command', command: 'x' },
      origin: { layer: 'user' },
    }
    const { value } = native.config.encode([foreign])
    expect(native.config.decode(value, source).hooks[0]?.matcher[0]?.test).toEqual({
      regex: '(?s:.*)(?:^mcp|edit)(?s:.*)',
      whole: true,
    })
  })
})
