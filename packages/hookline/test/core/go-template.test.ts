import { describe, expect, it } from 'vitest'
import { parseGoTemplate, renderGoTemplate } from '../../src/core/index.ts'
import fc from '../support/property.ts'

const payload = {
  session_id: 's1',
  tool_name: 'shell',
  tool_input: { cmd: 'rm -rf /tmp/x', cwd: '.', files: ['a', 'b'] },
  steering_messages: [],
}

function render(text: string): string {
  const parsed = parseGoTemplate(text)
  if (!parsed.ok) return `problem: ${parsed.detail}`
  const rendered = renderGoTemplate(parsed.template, payload)
  return rendered.ok ? rendered.text : `failure: ${rendered.detail}`
}

describe('a Go template over the payload', () => {
  it.each([
    ['{{ .ToolName }} {{ .ToolInput.cmd }} in {{.SessionID}}', 'shell rm -rf /tmp/x in s1'],
    ['{{ .ToolInput | toJSON }}', '{"cmd":"rm -rf /tmp/x","cwd":".","files":["a","b"]}'],
    ['{{ index .ToolInput "cmd" | truncate 2 }}', 'rm…'],
    ['{{ index .ToolInput.files 1 }}', 'b'],
    ['{{ if eq .ToolName "shell" }}yes{{ else }}no{{ end }}', 'yes'],
    ['{{ if .SteeringMessages }}a{{ else if .ToolName }}b{{ else }}c{{ end }}', 'b'],
    ['{{ if and (eq .ToolName "shell") (not .SteeringMessages) }}both{{ end }}', 'both'],
    ['{{ range .ToolInput.files }}[{{ . }}]{{ end }}', '[a][b]'],
    ['{{ range $i, $file := .ToolInput.files }}{{ $i }}={{ $file }} {{ end }}', '0=a 1=b '],
    ['{{ range $key, $value := .ToolInput }}{{ $key }};{{ end }}', 'cmd;cwd;files;'],
    ['{{ range .SteeringMessages }}x{{ else }}none{{ end }}', 'none'],
    ['{{ with .ToolInput }}{{ .cmd }} of {{ $.ToolName }}{{ end }}', 'rm -rf /tmp/x of shell'],
    ['{{ $name := .ToolName }}{{ $name | printf "%s/%q" "a" }}', 'a/"shell"'],
    ['{{ len .ToolInput.files }}{{ if gt (len .ToolInput.files) 1 }}!{{ end }}', '2!'],
    ['a  {{- /* nothing */ -}}  b{{- " c" }}', 'ab c'],
    ['{{ range .ToolInput.files }}{{ if eq . "b" }}{{ break }}{{ end }}{{ . }}{{ end }}', 'a'],
    ['{{ .ToolInput.nothing }}|{{ .Nothing }}', '|'],
    ['plain { text }', 'plain { text }'],
  ])('%s', (text, expected) => expect(render(text)).toBe(expected))

  it.each([
    '{{ if .ToolName }}x',
    '{{ end }}',
    '{{ else }}',
    '{{ }}',
    '{{ .A | }}',
    '{{ exec "rm" }}',
    '{{ template "x" }}',
    '{{ (.A }}',
    '{{ "',
  ])('what cannot be read is a problem: %s', (text) => expect(render(text)).toMatch(/^problem: /))

  it('fails where Go fails', () => {
    expect(render('{{ lt .ToolName 3 }}')).toMatch(/^failure: /)
    expect(render('{{ range .ToolName }}x{{ end }}')).toMatch(/^failure: /)
    expect(render('{{ $x }}')).toMatch(/^failure: /)
  })

  it('never throws, whatever it reads', () => {
    const part = fc.constantFrom(
      '{{',
      '}}',
      ' ',
      'if',
      'range',
      'end',
      'else',
      '.',
      '.ToolInput',
      '"',
      '(',
      ')',
      '|',
      '$x',
      ':=',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        render(parts.join(''))
      }),
      { numRuns: 300 },
    )
  })
})
