import type * as z from 'zod/mini'
import {
  type ContextPlace,
  common,
  type EventName,
  type EventRow,
  type Executor,
  effectNames,
  effects,
  eventNames,
  eventRow,
  type Fields,
  problems,
  ruleSchema,
} from '../core/index.ts'
import { type JsonSchema, toJsonSchema } from '../core/json-schema.ts'
import { configSchema, hookSchema, matcherSchema } from '../dialects/native/index.ts'

const banner =
  '<!-- Generated from the tables in src/core by scripts/generate.ts. Change the tables, not this file. -->'

/** What a rule can say, in three tables: of the rule, of what it is about, and of when it counts. */
export function renderRules(): string {
  const rule = shapeOf(ruleSchema as unknown as Shaped)
  const inner = (key: string) => {
    const { innerType } = (rule[key] as unknown as { _zod: { def: { innerType: Shaped } } })._zod.def
    return fieldTable(shapeOf(innerType))
  }
  return joinBlocks([
    '## rules',
    'A rule is a decision and the action it is about. One line holds for every tool of every agent: `Bash`, `run_shell_command`, `apply_patch`, `cat`, `curl` and an MCP tool alike. No script runs, and what only tightens needs no approval.',
    `\`\`\`yaml\n${ruleExample}\n\`\`\``,
    '`hookline deny "git push --force"` writes one for you. `hookline explain "<command>"` shows which rules match, `hookline test` and `hookline doctor` prove them; docs/rules.md says how they match.',
    fieldTable(rule),
    'What it is about:',
    inner('deny'),
    'When it counts:',
    inner('when'),
  ])
}

const ruleExample = [
  'version: 1',
  'rules:',
  '  - id: no-force',
  '    deny: { run: git push --force }',
  '    because: Force pushes are off limits here.',
  '    instead: Use git push --force-with-lease.',
  '  - ask: { write: [infra/**, .github/workflows/**] }',
  "  - deny: { read: ['~/.ssh/**', '**/.env*'] }",
  "    except: { read: '**/.env.example' }",
  '  - allow: { run: [npm test, git status] }',
].join('\n')

/** docs/events.md */
export function renderEvents(): string {
  return joinBlocks([
    '# Events',
    banner,
    `A host raises an event; the hooks on it run. There are ${eventNames.length} events. Names are read in any case, with or without underscores: \`PreToolUse\` is \`pre_tool_use\`.`,
    '## A run, from beginning to end',
    fence(lifecycle),
    '## All events',
    table(
      ['event', 'when', 'deny means', 'rewrites', 'context goes', 'a failing hook'],
      eventNames.map((name) => summaryOf(name, eventRow(name))),
    ),
    '## What a hook can answer',
    table(
      ['effect', 'what it asks for'],
      effectNames.map((name) => [code(name), effects[name].doc]),
    ),
    'Every event takes `message` and `metadata`; the rest is listed with each event. An effect that an event does not take is dropped with a note.',
    '## Fields of every event',
    fieldTable(schemasOf(common)),
    '## Each event',
    ...eventNames.map((name) => renderEvent(name, eventRow(name))),
  ])
}

/** docs/errors.md */
export function renderErrors(): string {
  return joinBlocks([
    '# Errors and notes',
    banner,
    'Everything Hookline says about what went wrong has a code, a message and a remedy. `{name}` stands for a detail.',
    table(
      ['code', 'message', 'what to do'],
      Object.entries(problems).map(([name, { message, remedy }]) => [code(name), message, remedy]),
    ),
  ])
}

/** The generated sections of docs/config.md, by name. */
export function configSections(executors: readonly Executor[]): Record<string, string> {
  return {
    hook: fieldTable(shapeOf(hookSchema)),
    matcher: fieldTable(shapeOf(matcherSchema)),
    run: joinBlocks(executors.flatMap(renderExecutor)).trim(),
  }
}

/** Puts each section between its markers, `<!-- begin name -->` and `<!-- end name -->`. */
export function fillSections(text: string, sections: Record<string, string>): string {
  return Object.entries(sections).reduce((filled, [name, content]) => {
    const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
    const [from, to] = [filled.indexOf(begin), filled.indexOf(end)]
    if (from === -1 || to < from) throw new Error(`There is no section between ${begin} and ${end}.`)
    return `${filled.slice(0, from + begin.length)}\n${content}\n${filled.slice(to)}`
  }, text)
}

function renderEvent(name: EventName, row: EventRow): string {
  const subject = Object.entries(row.subject).map(([facet, field]) => `\`${facet}\` (\`${field}\`)`)
  const facts = [
    `Answers: ${row.effects.map(code).join(', ')}.`,
    row.deny &&
      `\`deny\`: ${row.deny}.${row.asks ? ' `ask`: the user is asked.' : ' `ask` becomes `deny`: there is nobody to ask.'}`,
    row.redo && `At most ${row.redo.cap} times in a row; \`${row.redo.flag}\` is true from the second time on.`,
    row.rewrites && `\`rewrite\` changes \`${row.rewrites}\`.`,
    row.context && `\`context\` ${contextWords[row.context]}.`,
    `A hook that fails ${failureWords(row)}.`,
    row.within && `In a host that does not raise it, its hooks run ${withinWords(row.within)}.`,
    `Matchers look at ${subject.join(', ')}.`,
  ].filter((fact) => fact !== undefined)
  const own = Object.keys(row.fields).length > 0 ? [fieldTable(schemasOf(row.fields))] : ['No fields of its own.']
  return joinBlocks([`### ${name}`, row.doc, facts.map((fact) => `- ${fact}`).join('\n'), ...own]).trim()
}

const withinWords = (within: NonNullable<EventRow['within']>): string =>
  Object.entries(within)
    .map(([event, place]) => `${place} those of \`${event}\``)
    .join(' and ')

function summaryOf(name: EventName, row: EventRow): string[] {
  const rewrites = row.rewrites ? code(row.rewrites) : '–'
  const context = row.context ? contextWords[row.context].replace(/^goes /, '') : '–'
  return [
    `[${name}](#${name})`,
    row.doc,
    row.deny ?? '–',
    rewrites,
    context,
    row.failure === 'closed' ? 'denies' : 'does not block',
  ]
}

const contextWords: Record<ContextPlace, string> = {
  turn: 'goes into this turn only',
  session: 'goes into the session, and stays',
  compaction: 'goes into the compaction prompt',
  terminal: 'goes to the person at the terminal',
}

function failureWords(row: EventRow): string {
  if (row.failure === 'closed') return 'denies, unless `on_failure` says otherwise'
  return row.deny ? 'does not block, unless `on_failure: closed`' : 'does not block: there is nothing to deny'
}

function renderExecutor(executor: Executor): string[] {
  const { anyOf, oneOf, ...schema } = toJsonSchema(executor.spec) as { anyOf?: JsonSchema[]; oneOf?: JsonSchema[] }
  const forms = (anyOf ?? oneOf ?? [schema]).filter((form) => !needsCode(form))
  return [`### ${executor.type}`, executor.doc, ...forms.map(optionTable)]
}

/** A form that no file can have, because a required part of it is a function. */
function needsCode(form: JsonSchema): boolean {
  const { properties = {}, required = [] } = form as { properties?: Record<string, JsonSchema>; required?: string[] }
  return required.some((key) => properties[key] !== undefined && 'not' in properties[key])
}

const schemasOf = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema as z.ZodMiniType]))

export function fieldTable(shape: Record<string, z.core.$ZodType>): string {
  const properties = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, toJsonSchema(schema)]))
  const required = Object.keys(shape).filter((name) => shape[name]?._zod.optin !== 'optional')
  return optionTable({ properties, required })
}

function optionTable(form: JsonSchema): string {
  const { properties = {}, required = [] } = form as { properties?: Record<string, JsonSchema>; required?: string[] }
  return table(
    ['field', 'type', ''],
    Object.entries(properties).map(([name, schema]) => [
      required.includes(name) ? `${code(name)} (required)` : code(name),
      typeWords(schema),
      String(schema['description'] ?? ''),
    ]),
  )
}

function typeWords(schema: JsonSchema): string {
  const { type, enum: values, const: only, anyOf, oneOf, items, additionalProperties } = schema
  const forms = anyOf ?? oneOf
  if (Array.isArray(forms)) return [...new Set(forms.map(typeWords))].join(' or ')
  if (Array.isArray(values)) return values.map((value) => code(String(value))).join(', ')
  if (only !== undefined) return code(String(only))
  if (type === 'array') return `list of ${typeWords((items ?? {}) as JsonSchema)}`
  if (type === 'object' && isSchema(additionalProperties)) return `map of ${typeWords(additionalProperties)}`
  return typeof type === 'string' ? type : 'anything'
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

interface Shaped {
  _zod: { def: { shape: Record<string, z.core.$ZodType> } }
}
const shapeOf = (schema: Shaped) => schema._zod.def.shape
const code = (text: string) => `\`${text}\``
const fence = (text: string) => `\`\`\`text\n${text}\n\`\`\``
const joinBlocks = (blocks: readonly string[]) => `${blocks.join('\n\n')}\n`

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** One run as a picture: down is later, further in is part of what stands above; aside is what happens only sometimes. */
export const lifecycle = `
worktree_create ........................ the run has a git worktree of its own
session_start
│
├─ user_prompt_submit .................. user_followup_submit for a queued message
├─ before_run
│  │
│  │  ┌─ turn_start ◀─────────────────────────────────────────────────┐
│  │  │  before_llm_call                                              │
│  │  │    the model answers ............. model_fallback             │
│  │  │  after_llm_call                                               │
│  │  │                                                               │
│  │  │  for every tool call:                                         │
│  │  │    pre_tool_use                    may rewrite the input      │
│  │  │    tool_guard                      judges the final input     │
│  │  │    permission_request ............ when the user must approve │
│  │  │    on_tool_approval_decision                                  │
│  │  │      the tool runs ............... on_completion_claim        │
│  │  │    tool_response_transform                                    │
│  │  │    post_tool_use ................. post_tool_use_failure      │
│  │  │                                                               │
│  │  │  when there is none:                                          │
│  │  │    on_response_end                                            │
│  │  │    stop                            deny: do it again          │
│  │  │                                                               │
│  │  │  user_steering_messages_submit ... sent while it was working  │
│  │  └─ turn_end ── more to do ──────────────────────────────────────┘
│  │
├─ after_run ........................... run_error when it failed
│
session_end

at any time
  subagent_start … subagent_stop         a sub-agent lives a run of its own in between
  on_agent_switch                        another agent becomes active
  pre_compact, before_compaction, after_compaction
  on_max_iterations, on_session_resume   the limit was reached; the user let it go on
  on_user_input, notification, on_error, on_outbound_message
`.trim()

/** The JSON Schema of the config file, for editors: the shape that loading checks, the events, and each executor's options. */
export function renderSchema(executors: readonly Executor[]): JsonSchema {
  const schema = toJsonSchema(configSchema)
  const hook = dig(schema, 'properties', 'hooks', 'items', 'properties')
  hook['event'] = { ...(hook['event'] as JsonSchema), oneOf: eventNames.map(eventChoice) }
  const run = hook['run'] as { anyOf: JsonSchema[] } & JsonSchema
  const [shellCommand] = run.anyOf
  hook['run'] = { ...run, anyOf: [shellCommand, ...executors.map(runChoice)] }
  return { ...schema, title: 'Hookline config', description: 'Hooks for AI agents, one file of them.' }
}

function eventChoice(name: (typeof eventNames)[number]): JsonSchema {
  return { const: name, description: eventRow(name).doc }
}

function runChoice(executor: Executor): JsonSchema {
  const { $schema: _, ...options } = toJsonSchema(executor.spec)
  return { title: executor.type, description: executor.doc, ...withType(options, executor.type) }
}

/** The executor's options with `type` among them, however many forms they have. */
function withType(schema: JsonSchema, type: string): JsonSchema {
  const forms = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(forms)) {
    const { anyOf: _, oneOf: __, ...rest } = schema
    return { ...rest, anyOf: forms.map((form: JsonSchema) => withType(form, type)) }
  }
  const { properties = {}, required = [] } = schema as { properties?: JsonSchema; required?: string[] }
  return { ...schema, properties: { type: { const: type }, ...properties }, required: ['type', ...required] }
}

function dig(schema: JsonSchema, ...keys: string[]): JsonSchema {
  return keys.reduce((inner, key) => inner[key] as JsonSchema, schema)
}
