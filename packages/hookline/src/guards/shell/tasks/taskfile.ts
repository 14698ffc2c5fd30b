/** Taskfiles (taskfile.dev): the commands of each task, as far as plain YAML says them. */
import { asVariable, type Given, type Task, type TaskFile } from './task.ts'

const MOST_LINES = 4_000

interface Line {
  indent: number
  text: string
}

export function parseTaskfile(text: string, given: Given): TaskFile {
  const lines = readLines(text)
  const variables = new Map(scalarsOf(childrenOf(lines, 'vars')))
  const known = new Map([...variables, ...given.variables])
  const tasks = new Map<string, Task>()
  for (const [name, body] of blocksOf(childrenOf(lines, 'tasks'))) {
    const own = new Map([...known, ...scalarsOf(childrenOf(body, 'vars')), ...given.variables])
    tasks.set(name, taskIn(body, own))
  }
  const includes = childrenOf(lines, 'includes').flatMap(
    ({ text: line }) => /^(?:[\w-]+|taskfile):\s*['"]?([./\w-]+\.ya?ml)['"]?$/.exec(line)?.[1] ?? [],
  )
  return { tasks, first: tasks.has('default') ? 'default' : undefined, includes }
}

function taskIn(body: readonly Line[], variables: ReadonlyMap<string, string>): Task {
  const [head] = body
  const steps: string[] = []
  const needs: string[] = []
  // `build: go build`, `build: [a, b]`: a task that is nothing but its commands.
  const short = head && head.indent < 0 ? head.text : undefined
  if (short !== undefined) steps.push(...(listOf(short) ?? [unquoted(short)]))
  for (const key of ['cmds', 'cmd', 'deps'] as const)
    for (const item of itemsOf(body, key)) {
      const [, other] = /^task:\s*(.*)$/.exec(item) ?? []
      const [, command] = /^(?:cmd|defer):\s*(.*)$/s.exec(item) ?? []
      if (other !== undefined) needs.push(unquoted(other))
      else if (key === 'deps') needs.push(unquoted(item))
      else steps.push(unquoted(command ?? item))
    }
  const fill = (step: string) =>
    step.replace(/\{\{\s*\.?(\w+)[^}]*\}\}/g, (_, name: string) => variables.get(name) ?? asVariable(name))
  return { needs, steps: steps.map(fill) }
}

/** The entries below a key: of a list, inline or in lines, or one text, also over several lines. */
function itemsOf(body: readonly Line[], key: string): string[] {
  const at = body.findIndex(({ text }) => text.startsWith(`${key}:`))
  const line = body[at]
  if (!line) return []
  const inline = line.text.slice(key.length + 1).trim()
  const below = childrenAfter(body, at)
  if (/^[|>]/.test(inline)) return [below.map(({ text }) => text).join('\n')]
  if (inline !== '') return listOf(inline) ?? [inline]
  const items: string[] = []
  let deep = -1
  for (const { indent, text } of below) {
    const [, item] = /^-\s+(.*)$/.exec(text) ?? []
    if (item !== undefined && (deep < 0 || indent <= deep)) {
      deep = indent
      items.push(item.replace(/^(?:cmd:\s*)?[|>][+-]?$/, ''))
    } else if (items.length > 0 && !/^[\w-]+:(?:\s|$)/.test(text)) items[items.length - 1] += `\n${text}`
  }
  return items
}

function readLines(text: string): Line[] {
  return text
    .split(/\r?\n/)
    .slice(0, MOST_LINES)
    .filter((line) => line.trim() !== '' && !/^\s*#/.test(line))
    .map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }))
}

function childrenOf(lines: readonly Line[], key: string): Line[] {
  const at = lines.findIndex(({ text }) => text === `${key}:`)
  return at < 0 ? [] : childrenAfter(lines, at)
}

/** What is indented further; entries of a list may stand below their key. */
function childrenAfter(lines: readonly Line[], at: number): Line[] {
  const { indent } = lines[at] as Line
  let end = at + 1
  for (; end < lines.length; end++) {
    const line = lines[end] as Line
    if (line.indent < indent || (line.indent === indent && !line.text.startsWith('- '))) break
  }
  return lines.slice(at + 1, end)
}

function blocksOf(lines: readonly Line[]): [name: string, body: Line[]][] {
  const [first] = lines
  return lines.flatMap((line, at): [string, Line[]][] => {
    if (line.indent !== first?.indent) return []
    const [, name, rest = ''] = /^['"]?([\w:.*-]+?)['"]?:(?:\s+(.*))?$/.exec(line.text) ?? []
    if (name === undefined) return []
    return [[name, [...(rest === '' ? [] : [{ indent: -1, text: rest }]), ...childrenAfter(lines, at)]]]
  })
}

const scalarsOf = (lines: readonly Line[]): [string, string][] =>
  lines.flatMap(({ text }): [string, string][] => {
    const [, name, value] = /^(\w+):\s+([^{[|>&].*)$/.exec(text) ?? []
    return name === undefined || name === 'sh' ? [] : [[name, unquoted(value ?? '')]]
  })

const listOf = (text: string): string[] | undefined =>
  /^\[(.*)\]$/s
    .exec(text)?.[1]
    ?.split(/,\s*/)
    .map(unquoted)
    .filter((item) => item !== '')

const unquoted = (text: string): string => {
  const [, , inside] = /^(['"])(.*)\1$/s.exec(text.trim()) ?? []
  return inside ?? text.trim()
}
