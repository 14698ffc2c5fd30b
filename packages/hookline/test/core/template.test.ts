import { describe, expect, test } from 'vitest'
import { checkTemplate, parseTemplate, renderTemplate } from '../../src/core/index.ts'
import fc from '../support/property.ts'

const payload = { tool_name: 'shell', tool_input: { command: 'ls', deep: { list: [1, 'two'] } }, prompt: 'x'.repeat(9) }

function render(text: string, given: Record<string, unknown> = payload): string {
  const parsed = parseTemplate(text)
  if (!parsed.ok) return `problem: ${parsed.detail}`
  const rendered = renderTemplate(parsed.template, 'pre_tool_use', given)
  return rendered.ok ? rendered.text : `problem: ${rendered.detail}`
}

describe('a prompt template', () => {
  test.each([
    ['plain text', 'plain text'],
    ['{{ tool_name }}', 'shell'],
    ['{{tool_name}}', 'shell'],
    ['{{ .tool_name }}', 'shell'],
    ['{{ .ToolName }}', 'shell'],
    ['{{- .ToolName -}}', 'shell'],
    ['{{ tool_input.command }}', 'ls'],
    ['{{ .ToolInput.deep.list.1 }}', 'two'],
    ['{{ tool_input | toJSON }}', '{"command":"ls","deep":{"list":[1,"two"]}}'],
    ['{{ tool_input }}', '{"command":"ls","deep":{"list":[1,"two"]}}'],
    ['{{ toJSON .ToolInput.deep }}', '{"list":[1,"two"]}'],
    ['{{ prompt | truncate 4 }}', 'xxxx…'],
    ['{{ truncate 4 .prompt }}', 'xxxx…'],
    ['{{ prompt | truncate 9 }}', 'xxxxxxxxx'],
    ['{{ prompt | truncate 0 }}', 'xxxxxxxxx'],
    ['{{ tool_input | toJSON | truncate 3 }}', '{"c…'],
    ['{{ agent_name }}', ''],
    ['{{ agent_name | toJSON }}', 'null'],
    ['{{ tool_input.missing.deeper }}', ''],
  ])('%s becomes %s', (text, expected) => {
    expect(render(text)).toBe(expected)
  })

  test('a field that the event does not have is a problem, with the nearest one named', () => {
    expect(render('{{ tool_imput }}')).toContain('which pre_tool_use does not have. Did you mean `tool_input`?')
  })

  test('what is inserted is never read as a template again', () => {
    expect(render('{{ prompt }}', { prompt: '{{ tool_input | toJSON }}' })).toBe('{{ tool_input | toJSON }}')
  })

  test('characters are not cut in two', () => {
    expect(render('{{ prompt | truncate 1 }}', { prompt: '🙂🙂' })).toBe('🙂…')
  })

  test.each([
    ['a {{ b', 'opened at character 3'],
    ['{{ }}', 'empty part'],
    ['{{ a | }}', 'empty part'],
    ['{{ a | upper }}', 'no helper `upper`'],
    ['{{ a | toJSN }}', 'Did you mean `toJSON`?'],
    ['{{ if .a }}', 'no helper `if`'],
    ['{{ truncate 5 }}', 'names no field'],
    ['{{ a | truncate }}', 'needs one number'],
    ['{{ a | truncate b }}', 'more arguments'],
    ['{{ a | toJSON 4 }}', 'takes no argument'],
    ['{{ a..b }}', 'is not a path'],
    ['{{ "text" }}', 'is not a path'],
  ])('%s is a problem at load', (text, expected) => {
    expect(checkTemplate(text)).toContain(expected)
  })

  test('text without braces is always itself', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('{{')),
        (text) => render(text) === text,
      ),
    )
  })

  test('no text makes it throw, and what is checked as sound also parses', () => {
    const pieces = fc.constantFrom('{{', '}}', '|', ' ', '.', 'toJSON', 'truncate', '5', 'prompt', 'x', '-')
    fc.assert(
      fc.property(fc.array(pieces), (words) => {
        const text = words.join('')
        expect(parseTemplate(text).ok).toBe(checkTemplate(text) === undefined)
        render(text)
      }),
    )
  })
})
