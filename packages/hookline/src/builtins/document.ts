import * as z from 'zod/mini'
import { type Builtin, type BuiltinExample, eventNames } from '../core/index.ts'
import { findSecrets } from '../guards/secrets/index.ts'
import { canariesOf } from './canary.ts'
import { builtins } from './index.ts'

/** The page of all builtins, derived from their definitions. Pure. */
export function documentBuiltins(registry: Readonly<Record<string, Builtin>> = builtins): string {
  const all = Object.values(registry)
  return [
    '# Builtins',
    '',
    'Hooks that come with Hookline and run in its own process. This page is generated from their definitions; every example is a test.',
    '',
    'Arguments are given by name. Where a builtin takes a list, the list is docker-agent’s way to write the same.',
    '',
    'What a builtin counts, it counts per session, and across processes: [What is remembered between events](config.md#what-is-remembered-between-events).',
    '',
    '```yaml',
    'version: 1',
    'hooks:',
    '  - event: pre_tool_use',
    '    run: { type: builtin, name: security }',
    '```',
    '',
    '| builtin | usual event | what it does |',
    '|---|---|---|',
    ...all.map(({ name, events, doc }) => `| [${name}](#${name}) | ${events[0]} | ${cell(firstSentence(doc))} |`),
    ...all.flatMap(page),
    '',
  ].join('\n')
}

function page(builtin: Builtin): string[] {
  return [
    '',
    `## ${builtin.name}`,
    '',
    builtin.doc,
    '',
    eventsOf(builtin),
    ...argumentsOf(builtin),
    ...proofOf(builtin),
    ...builtin.examples.flatMap(exampleOf),
  ]
}

function proofOf(builtin: Builtin): string[] {
  const args = builtin.args.safeParse({})
  const canaries = args.success
    ? builtin.events.flatMap((event) => canariesOf(builtin, args.data, true, event) ?? [])
    : []
  const titles = new Set(canaries.map(({ title }) => title))
  if (typeof builtin.canary === 'function' && !args.success) titles.add('what its arguments forbid')
  return titles.size === 0 ? [] : ['', `\`hookline doctor\` proves that it is live with: ${[...titles].join('; ')}.`]
}

function eventsOf({ events }: Builtin): string {
  if (events.length === eventNames.length) return `Events: any, usually \`${events[0]}\`.`
  return `Events: ${events.map((event) => `\`${event}\``).join(', ')}.`
}

interface Property {
  description?: string
  default?: unknown
  type?: string
  enum?: unknown[]
  items?: Property
  anyOf?: Property[]
}

function argumentsOf({ args, fromList }: Builtin): string[] {
  const schema = z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Property>
    required?: string[]
  }
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) return ['', 'No arguments.']
  const rows = properties.map(([name, property]) => {
    const fallback = schema.required?.includes(name)
      ? 'required'
      : property.default === undefined
        ? ''
        : code(property.default)
    return `| \`${name}\` | ${kindOf(property)} | ${cell(fallback)} | ${cell(property.description ?? '')} |`
  })
  return [
    '',
    '| argument | kind | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    ...(fromList ? ['', 'Also as a list of strings.'] : []),
  ]
}

function kindOf({ type, enum: values, items, anyOf }: Property): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ')
  if (anyOf) return [...new Set(anyOf.map(kindOf))].join(' or ')
  if (type === 'array') return `list of ${items ? kindOf(items) : 'anything'}`
  return type === 'integer' ? 'whole number' : (type ?? 'anything')
}

function exampleOf({ title, given, before, event, payload, args, expect, fails }: BuiltinExample): string[] {
  const lines = [
    ...(given ? [`given:   ${JSON.stringify(given)}`] : []),
    ...(args === undefined ? [] : [`args:    ${JSON.stringify(args)}`]),
    ...(before ?? []).map((earlier) => `before:  ${earlier.event} ${JSON.stringify(earlier.payload)}`),
    `event:   ${event} ${JSON.stringify(payload)}`,
    `answer:  ${fails ? `fails: ${fails}` : expect === undefined ? 'no opinion' : JSON.stringify(expect)}`,
  ]
  return ['', `**Example: ${title}**`, '', '```text', ...lines.map((line) => short(veiled(line))), '```']
}

const longest = 400
const short = (line: string): string => (line.length > longest ? `${line.slice(0, longest)}…` : line)
const code = (value: unknown): string => `\`${JSON.stringify(value)}\``
const cell = (text: string): string => text.replaceAll('|', '\\|')
const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text

/** Made-up secrets in examples are shown by how they begin, so that no scanner takes the page for a leak. */
function veiled(line: string): string {
  return findSecrets(line).reduceRight((left, { start, end }) => `${left.slice(0, start + 8)}…${left.slice(end)}`, line)
}
