import {
  type Builtin,
  type BuiltinExample,
  type Bundle,
  type Deed,
  eventNames,
  onlyTightens,
  type RuleEntry,
  rulingOf,
  validate,
} from '../core/index.ts'
import { toJsonSchema } from '../core/json-schema.ts'
import { findSecrets } from '../guards/secrets/index.ts'
import { bundles } from './bundles/index.ts'
import { canariesOf } from './canary.ts'
import { builtins } from './index.ts'

/** The page of all builtins and bundles, derived from their definitions. Pure. */
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
    '',
    '## Bundles',
    '',
    'Sets of these hooks that you use in one line. `with` sets parameters; `disabled` mutes single hooks.',
    '',
    '```yaml',
    'version: 1',
    'use:',
    '  - secrets',
    '  - { bundle: security, with: { mode: warn } }',
    "disabled: ['secrets:messages']",
    '```',
    '',
    '| bundle | what it does |',
    '|---|---|',
    ...Object.values(bundles).map(({ name, doc }) => `| [${name}](#bundle-${name}) | ${cell(doc)} |`),
    ...Object.values(bundles).flatMap((bundle) => bundlePage(bundle, registry)),
    ...all.flatMap(page),
    '',
  ].join('\n')
}

/** The first patterns say enough: the rest is in the source, and `hookline rules` lists them. */
function ruleIn(rule: RuleEntry): string {
  const { ruling, target } = rulingOf(rule)
  const [kind = '', patterns = []] = Object.entries(target)[0] ?? []
  const all = [patterns].flat().map(String)
  const shown = all.slice(0, 4).map((pattern) => `\`${pattern}\``)
  return `${ruling} ${kind} ${shown.join(', ')}${all.length > 4 ? ` and ${all.length - 4} more` : ''}`
}

function bundlePage(
  { name, doc, parameters, hooks, rules = [] }: Bundle,
  registry: Readonly<Record<string, Builtin>>,
): string[] {
  const runs = new Set(hooks.map(({ run }) => String(run['name'])))
  const choices = Object.entries(parameters)
  return [
    '',
    `### Bundle: ${name}`,
    '',
    doc,
    '',
    ...(rules.length === 0 ? [] : ['| rule | does | because |', '|---|---|---|']),
    ...rules.map((rule) => `| \`${name}:${rule.id}\` | ${cell(ruleIn(rule))} | ${cell(rule.because ?? '')} |`),
    ...(rules.length === 0 || hooks.length === 0 ? [] : ['']),
    ...(hooks.length === 0 ? [] : ['| hook | event | runs |', '|---|---|---|']),
    ...hooks.map(({ id, event, run, needs = [] }) => {
      const condition = needs.length === 0 ? '' : `, if ${needs.map((each) => `\`${each}\``).join(' and ')} is given`
      return `| \`${name}:${id}\` | \`${event}\` | [${run['name']}](#${run['name']})${condition} |`
    }),
    '',
    ...[...runs].map((builtin) => `- \`${builtin}\`: ${firstSentence(registry[builtin]?.doc ?? '')}`),
    ...(choices.length === 0 ? [] : ['', '| parameter | default | meaning |', '|---|---|---|']),
    ...choices.map(([parameter, { doc: meaning, default: fallback }]) => {
      const value = fallback === undefined ? '' : code(fallback)
      return `| \`${parameter}\` | ${cell(value)} | ${cell(meaning)} |`
    }),
    ...exampleOfUse(name, parameters),
  ]
}

/** JSON is YAML as well. */
const inOneLine = (value: unknown): string => JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ')

function exampleOfUse(name: string, parameters: Bundle['parameters']): string[] {
  const chosen = Object.entries(parameters).filter(([, { example }]) => example !== undefined)
  if (chosen.length === 0) return ['', '```yaml', 'version: 1', `use: [${name}]`, '```']
  const lines = chosen.map(([parameter, { example }]) => `      ${parameter}: ${inOneLine(example)}`)
  return ['', '```yaml', 'version: 1', 'use:', `  - bundle: ${name}`, '    with:', ...lines, '```']
}

function page(builtin: Builtin): string[] {
  return [
    '',
    `## ${builtin.name}`,
    '',
    builtin.doc,
    '',
    eventsOf(builtin),
    '',
    approvalOf(builtin),
    ...argumentsOf(builtin),
    ...proofOf(builtin),
    ...builtin.examples.flatMap(exampleOf),
  ]
}

function proofOf(builtin: Builtin): string[] {
  const args = validate(builtin.args, {})
  const canaries = args.ok ? builtin.events.flatMap((event) => canariesOf(builtin, args.value, true, event) ?? []) : []
  const titles = new Set(canaries.map(({ title }) => title))
  if (typeof builtin.canary === 'function' && !args.ok) titles.add('what its arguments forbid')
  return titles.size === 0 ? [] : ['', `\`hookline doctor\` proves that it is live with: ${[...titles].join('; ')}.`]
}

function eventsOf({ events }: Builtin): string {
  if (events.length === eventNames.length) return `Events: any, usually \`${events[0]}\`.`
  return `Events: ${events.map((event) => `\`${event}\``).join(', ')}.`
}

/** What it needs approval for in a project, whatever its arguments and its event. */
function approvalOf({ does }: Builtin): string {
  if (does === undefined) return needsApproval
  if (typeof does === 'function')
    return 'In a project, its arguments and its event decide whether it [needs approval](trust.md#what-needs-no-approval).'
  if (onlyTightens(does) && does.includes('allows'))
    return 'In a project, what it allows counts once it is [approved](trust.md#what-needs-no-approval); until then it blocks nothing.'
  if (onlyTightens(does)) return 'In a project it [holds without approval](trust.md#what-needs-no-approval).'
  const because = does.filter((deed) => deed !== 'quotes').map((deed) => deedWords[deed])
  return `${needsApproval.slice(0, -1)}: it ${because.join(', and ')}.`
}

const needsApproval = 'In a project it needs approval.'
const deedWords: Record<Deed, string> = {
  runs: 'runs a program',
  sends: 'sends something',
  writes: 'writes files',
  allows: 'allows something',
  loosens: 'changes something',
  addsContext: 'adds text for the model',
  quotes: 'quotes its arguments',
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
  const schema = toJsonSchema(args) as {
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
