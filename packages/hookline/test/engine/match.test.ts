import { describe, expect, it } from 'vitest'
import { eventRow, type MatchTest } from '../../src/core/index.ts'
import { compilePattern } from '../../src/core/regex.ts'
import { compileTest } from '../../src/engine/index.ts'

const compile = (source: string, whole: boolean) => {
  const compiled = compilePattern(source, whole)
  if (!compiled.ok) throw new Error(compiled.detail)
  return compiled.pattern
}
const passes = (test: MatchTest, payload: Record<string, unknown>) =>
  compileTest(test, eventRow('pre_tool_use'), compile).passes(payload)
const call = (tool_input: unknown, tool_name = 'shell') => ({ tool_name, tool_input })

describe('tool', () => {
  it.each([
    [{ names: ['shell', 'bash'] }, 'bash', true],
    [{ names: ['shell'] }, 'shell_background', false],
    [{ names: [], prefixes: ['mcp_'] }, 'mcp_github', true],
    [{ regex: 'mcp__.*', whole: true }, 'mcp__github', true],
    [{ regex: 'bash', whole: true }, 'bash_output', false],
    [{ regex: 'bash', whole: false }, 'bash_output', true],
    [{ regex: '(?i)BASH', whole: true }, 'bash', true],
    [{ any: true }, 'anything', true],
  ] as const)('%j on %s is %s', (test, name, expected) => {
    expect(passes({ facet: 'tool', test }, call({}, name))).toBe(expected)
  })
})

describe('args', () => {
  const at = (path: (string | number)[], regex: string, negate?: boolean): MatchTest => ({
    facet: 'args',
    path,
    test: { regex, whole: false },
    ...(negate ? { negate } : {}),
  })

  it('a path of keys only enters no list, and finds the empty text where there is nothing', () => {
    const only = (path: string[], regex: string): MatchTest => ({ ...at(path, regex), keysOnly: true })
    expect(passes(only(['a', 'b'], 'x'), call({ a: { b: 'x' } }))).toBe(true)
    expect(passes(only(['a', 'b'], 'x'), call({ a: [{ b: 'x' }] }))).toBe(false)
    expect(passes(only(['*'], 'x'), call({ a: 'x' }))).toBe(false)
    expect(passes(only(['*'], 'x'), call({ '*': 'x' }))).toBe(true)
    expect(passes(only(['nothing'], '^(rm)?$'), call({}))).toBe(true)
    expect(passes(only(['null'], '^$'), call({ null: null }))).toBe(true)
    expect(passes({ facet: 'args', path: ['nothing'], keysOnly: true, test: { any: true } }, call({}))).toBe(false)
  })

  it('a path is followed into objects and lists', () => {
    const input = {
      headers: { Authorization: 'Bearer x' },
      edits: [{ path: 'a.ts' }, { path: 'b.go' }],
      items: ['zero', 'one'],
    }
    expect(passes(at(['headers', 'Authorization'], '^Bearer'), call(input))).toBe(true)
    expect(passes(at(['edits', '*', 'path'], '\\.go$'), call(input))).toBe(true)
    expect(passes(at(['edits', 'path'], '\\.go$'), call(input))).toBe(true)
    expect(passes(at(['items', 1], '^one$'), call(input))).toBe(true)
    expect(passes(at(['items', 0], '^one$'), call(input))).toBe(false)
  })

  it('what is not text is tested as JSON', () => {
    expect(passes(at(['timeout'], '^5$'), call({ timeout: 5 }))).toBe(true)
    expect(passes(at(['flags'], '"force"'), call({ flags: ['force'] }))).toBe(true)
  })

  it('a missing value matches nothing, and is not what a guard expects', () => {
    expect(passes(at(['command'], '.*'), call({}))).toBe(false)
    expect(passes(at(['path'], '^/workspace/', true), call({}))).toBe(true)
    expect(passes(at(['path'], '^/workspace/', true), call({ path: '/etc/passwd' }))).toBe(true)
    expect(passes(at(['path'], '^/workspace/', true), call({ path: '/workspace/a' }))).toBe(false)
  })

  it('inherited names are not arguments', () => {
    expect(passes(at(['constructor'], '.'), call({}))).toBe(false)
    expect(passes(at(['__proto__'], '.'), call({}))).toBe(false)
  })

  it('a path alone requires a value that is not empty', () => {
    const present: MatchTest = { facet: 'args', path: ['command'], test: { any: true } }
    expect(passes(present, call({ command: 'ls' }))).toBe(true)
    expect(passes(present, call({ command: '' }))).toBe(false)
    expect(passes(present, call({ command: null }))).toBe(false)
  })
})

describe('text', () => {
  it('looks at the text of the call, and at each string as it is', () => {
    const dangerous: MatchTest = { facet: 'text', test: { regex: '\\brm\\s+-rf|^mkfs', whole: false } }
    expect(passes(dangerous, call({ command: 'rm -rf /' }))).toBe(true)
    expect(passes(dangerous, call({ command: 'echo hi\nrm -rf /' }))).toBe(true)
    expect(passes(dangerous, call({ steps: ['ls', 'mkfs /dev/sda'] }))).toBe(true)
    expect(passes(dangerous, call({ command: 'ls' }))).toBe(false)
    expect(passes({ facet: 'text', test: { regex: '"tool_name":"shell"', whole: false } }, call({}))).toBe(true)
  })
})

describe('patterns', () => {
  it.each(['(?=x)', '(?!x)', '(?<=x)y', '(?<!x)y', '(a)\\1'])('%s is refused with a reason', (source) => {
    const compiled = compilePattern(source, true)
    expect(compiled.ok).toBe(false)
    if (!compiled.ok) expect(compiled.detail).toMatch(/look-ahead|look-behind|back-reference/)
  })

  it('a group that only our wrapping would close is refused', () => {
    expect(compilePattern('a)|(b', true).ok).toBe(false)
  })

  it('evil patterns end at once', () => {
    const text = `${'a'.repeat(50_000)}!`
    expect(compile('^(a+)+$', true).test(text)).toBe(false)
    expect(compile('(.*)(.*)(.*)(.*)x', false).test(text)).toBe(false)
  })
})
