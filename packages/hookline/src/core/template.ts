import * as z from 'zod/mini'
import { type EventName, eventRow, foldName } from './events.ts'
import { common } from './fields.ts'
import { stringifyJson } from './json.ts'
import { didYouMean } from './text.ts'

/**
 * Prompt templates: text with `{{ … }}` in it. Inside is a path into the payload (`tool_input.command`, or Go-style
 * `.ToolInput.command`), and helpers, piped (`tool_input | toJSON | truncate 200`) or in front (`truncate 200 .prompt`).
 * Nothing more: no conditions and no loops, so a template says the same for every payload.
 */
export interface Template {
  parts: readonly (string | Expression)[]
}
export type ParsedTemplate = { ok: true; template: Template } | { ok: false; detail: string }
export type Rendered = { ok: true; text: string } | { ok: false; detail: string }

interface Expression {
  path: readonly string[]
  steps: readonly Step[]
}
type Step = (value: unknown) => unknown

/** A helper takes its literal arguments and gives the step they make; what is wrong with them is thrown as text. */
const helpers: Record<string, (literals: readonly number[]) => Step> = {
  toJSON(literals) {
    if (literals.length > 0) throw '`toJSON` takes no argument'
    return (value) => stringifyJson(value ?? null)
  },
  truncate([limit, ...more]) {
    if (limit === undefined || more.length > 0) throw '`truncate` needs one number, such as `truncate 200`'
    return (value) => truncate(asText(value), limit)
  },
}

/** A template in a spec or an argument: what is wrong with it is the error. */
export const templateText = z.string().check(
  z.refine((text) => checkTemplate(text) === undefined, {
    error: (issue) => checkTemplate(String(issue.input)) ?? '',
  }),
)

/** What is wrong with a template, in words; undefined when nothing is. */
export function checkTemplate(text: string): string | undefined {
  const parsed = parseTemplate(text)
  return parsed.ok ? undefined : parsed.detail
}

export function parseTemplate(text: string): ParsedTemplate {
  const parts: (string | Expression)[] = []
  let at = 0
  try {
    while (true) {
      const open = text.indexOf('{{', at)
      parts.push(text.slice(at, open === -1 ? undefined : open))
      if (open === -1) return { ok: true, template: { parts } }
      const close = text.indexOf('}}', open)
      if (close === -1) throw `the braces opened at character ${open + 1} are not closed`
      parts.push(parseExpression(text.slice(open + 2, close)))
      at = close + 2
    }
  } catch (problem) {
    if (typeof problem === 'string') return { ok: false, detail: problem }
    throw problem
  }
}

/** Fails when a path names a field that neither the payload nor the event's row has: the prompt would be silently hollow. */
export function renderTemplate(
  template: Template,
  event: EventName,
  payload: Readonly<Record<string, unknown>>,
): Rendered {
  let text = ''
  for (const part of template.parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const [first = '', ...rest] = part.path
    const field = fieldNamed(first, event, payload)
    if (field === undefined) return { ok: false, detail: unknownField(first, event) }
    const value = rest.reduce(descend, payload[field])
    text += asText(part.steps.reduce((current, step) => step(current), value))
  }
  return { ok: true, text }
}

function parseExpression(source: string): Expression {
  const stages = source
    .replace(/^-\s|\s-$/g, ' ')
    .split('|')
    .map((stage) => stage.trim())
  let path: string[] | undefined
  const steps = stages.map((stage, index) => {
    const words = stage.split(/\s+/).filter((word) => word !== '')
    const first = words[0]
    if (first === undefined) throw `\`{{${source}}}\` has an empty part`
    if (index === 0 && words.length === 1 && !Object.hasOwn(helpers, first)) {
      path = parsePath(first)
      return undefined
    }
    const helper = Object.hasOwn(helpers, first) ? helpers[first] : undefined
    if (!helper)
      throw `there is no helper \`${first}\`.${didYouMean(first, Object.keys(helpers)) || ` Known helpers: ${Object.keys(helpers).join(', ')}.`}`
    const literals = words.slice(1).filter((word) => /^-?\d+$/.test(word))
    const paths = words.slice(1).filter((word) => !/^-?\d+$/.test(word))
    if (paths.length > (index === 0 ? 1 : 0)) throw `\`${stage}\` has more arguments than \`${first}\` takes`
    if (index === 0 && paths[0] !== undefined) path = parsePath(paths[0])
    return helper(literals.map(Number))
  })
  if (!path) throw `\`{{${source}}}\` names no field of the payload`
  return { path, steps: steps.filter((step) => step !== undefined) }
}

function parsePath(word: string): string[] {
  const path = word.replace(/^\.(?=.)/, '').split('.')
  if (path.some((name) => !/^[\w-]+$/.test(name))) throw `\`${word}\` is not a path such as \`tool_input.command\``
  return path
}

/** Fields are found in any spelling, so that docker-agent's `.ToolName` is `tool_name`. */
function fieldNamed(name: string, event: EventName, payload: Readonly<Record<string, unknown>>): string | undefined {
  if (Object.hasOwn(payload, name)) return name
  const folded = foldName(name)
  return [...Object.keys(payload), ...fieldsOf(event)].find((field) => foldName(field) === folded)
}

const fieldsOf = (event: EventName): string[] => [...Object.keys(common), ...Object.keys(eventRow(event).fields)]

const unknownField = (name: string, event: EventName): string =>
  `the prompt names \`${name}\`, which ${event} does not have.${didYouMean(name, fieldsOf(event))}`

function descend(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? value[name as never] : undefined
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : stringifyJson(value)
}

/** By characters, never through the middle of one. As in docker-agent, a limit of 0 or less cuts nothing. */
function truncate(text: string, limit: number): string {
  if (limit <= 0 || text.length <= limit) return text
  const characters = Array.from(text)
  return characters.length <= limit ? text : `${characters.slice(0, limit).join('')}…`
}
