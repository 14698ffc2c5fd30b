import type { EventName, FailurePolicy, Hook, MatchTest, Note, Run, Source, TextTest, Where } from '../../core/index.ts'
import { didYouMean, isRecord, note, plainText } from '../../core/index.ts'
import { failsClosed, rowOf, theirName } from './names.ts'
import { goProblem, promptToOurs } from './prompt.ts'

/** One hook definition, understood: everything of it but its event and matcher. */
export interface DecodedEntry {
  hook?: Pick<Hook, 'run'> & Partial<Hook>
  problems: Note[]
  notes: Note[]
}

export const policies: Record<string, FailurePolicy> = { warn: 'warn', ignore: 'open', block: 'closed' }
const common = ['name', 'type', 'timeout', 'env', 'working_dir', 'on_error']
const ofTypes = { command: ['command', 'args'], builtin: ['command', 'args'], model: ['model', 'prompt', 'schema'] }
const types = Object.keys(ofTypes) as (keyof typeof ofTypes)[]
const everyKey = [...common, ...new Set(Object.values(ofTypes).flat())]
/** Longer than any timer can run. */
const longestSeconds = 2_147_483

export function decodeEntry(entry: unknown, event: EventName, at: Path, source: Source): DecodedEntry {
  const problems: Note[] = []
  const notes: Note[] = []
  const wrong = (key: string, detail: string, fix: string) => problems.push(shape(source, [...at, key], detail, fix))
  const remark = (key: string, detail: string, fix: string) => notes.push(shape(source, [...at, key], detail, fix))
  const hook = isRecord(entry) ? read(entry) : misplaced()
  return { ...(problems.length === 0 && hook ? { hook } : {}), problems, notes }

  function misplaced(): undefined {
    problems.push(shape(source, at, 'must be a mapping', 'Write `type: command` and a `command`.'))
  }

  function read(hook: Record<string, unknown>): DecodedEntry['hook'] {
    if ('hooks' in hook) {
      wrong(
        'hooks',
        `is not known here: ${theirName(event)} has no tool to match`,
        'Write the hooks directly in the list.',
      )
      return undefined
    }
    problems.push(...knownKeys(hook, everyKey, at, source))
    const run = readRun(hook)
    if (!run) return undefined
    const modelOnly = run.type === 'model'
    const name = text(hook, 'name')
    const directory = text(hook, 'working_dir')
    const env = readEnv(hook['env'])
    if (modelOnly && (directory !== undefined || Object.keys(env).length > 0))
      remark(directory !== undefined ? 'working_dir' : 'env', 'has no effect on a model hook', 'Remove it.')
    return {
      run,
      timeoutMs: readTimeout(hook['timeout']) * 1_000,
      onFailure: readPolicy(hook['on_error']),
      ...(modelOnly ? {} : { env }),
      ...(name !== undefined ? { description: name } : {}),
      ...(directory !== undefined && !modelOnly ? { workingDir: directory } : {}),
    }
  }

  function readRun(hook: Record<string, unknown>): Run | undefined {
    const type = hook['type']
    if (type === undefined || type === null) wrong('type', 'is missing', `Write \`type: ${types.join('`, `')}\`.`)
    else if (!types.includes(type as never)) {
      const details = { type: plainText(type), hint: didYouMean(plainText(type), types), known: types.join(', ') }
      problems.push(note('unknown-executor', details, { where: source.locate([...at, 'type']) }))
    } else return type === 'model' ? readModel(hook) : readCommand(hook, type as 'command' | 'builtin')
    return undefined
  }

  function readCommand(hook: Record<string, unknown>, type: 'command' | 'builtin'): Run | undefined {
    const command = text(hook, 'command')
    const args = hook['args'] ?? undefined
    if (command === undefined || command.trim() === '')
      wrong(
        'command',
        'is missing, so there is nothing to run',
        type === 'builtin' ? 'Name a builtin.' : 'Write a command.',
      )
    else if (args !== undefined && !(Array.isArray(args) && args.every(isScalar)))
      wrong('args', 'must be a list of texts', 'Write `args: ["50"]`.')
    else if (type === 'builtin')
      return { type, name: command, ...(args === undefined ? {} : { args: (args as unknown[]).map(String) }) }
    else {
      if (args !== undefined) remark('args', 'has no effect on a command', 'Write the arguments in `command`.')
      return { type, command, shell: 'bash' }
    }
    return undefined
  }

  function readModel(hook: Record<string, unknown>): Run | undefined {
    const model = text(hook, 'model')
    const template = text(hook, 'prompt')
    const schema = text(hook, 'schema')
    if (!model) wrong('model', 'is missing', 'Name a model as `provider/model`.')
    if (!template) wrong('prompt', 'is missing', 'Write what to ask.')
    if (schema && schema !== judgement)
      wrong('schema', `is \`${schema}\`, which is not known`, `Write \`${judgement}\`.`)
    if (!model || !template || (schema && schema !== judgement)) return undefined
    const judges = { type: 'model', model, ...(schema ? { schema } : {}) }
    const translated = promptToOurs(template, event)
    if (!translated.ok) {
      const problem = goProblem(template)
      if (problem === undefined) return { ...judges, prompt: template, template: 'go' }
      wrong(
        'prompt',
        `cannot be used: ${problem}`,
        'Write a template of Go over the payload, such as `{{ .ToolName }}`.',
      )
      return undefined
    }
    for (const field of translated.empty)
      remark('prompt', `uses \`${field}\`, which ${theirName(event)} never has`, 'Remove it.')
    return { ...judges, prompt: translated.prompt }
  }

  function readTimeout(value: unknown): number {
    if (value === undefined || value === null) return 60
    if (!Number.isInteger(value) || (value as number) > longestSeconds)
      wrong('timeout', 'must be a whole number of seconds', 'Write `timeout: 30`.')
    else if ((value as number) > 0) return value as number
    else remark('timeout', 'is not more than 0, so the 60 seconds of the default count', 'Write `timeout: 30`.')
    return 60
  }

  /** "A failed pre-tool hook blocks the tool call regardless of on_error." */
  function readPolicy(value: unknown): FailurePolicy {
    const given =
      value === undefined || value === null
        ? 'warn'
        : Object.hasOwn(policies, plainText(value))
          ? policies[plainText(value)]
          : undefined
    if (given === undefined) wrong('on_error', 'must be `warn`, `ignore` or `block`', 'Write `on_error: warn`.')
    if (failsClosed(event)) return 'closed'
    if (given !== 'closed' || rowOf(event).blocks) return given ?? 'warn'
    notes.push(note('cannot-fail-closed', { event: theirName(event) }, { where: source.locate([...at, 'on_error']) }))
    return 'warn'
  }

  function readEnv(value: unknown): Record<string, string> {
    if (value === undefined || value === null) return {}
    if (!isRecord(value) || !Object.values(value).every(isScalar)) {
      wrong('env', 'must be a mapping of names to texts', 'Write `env:` and under it `NAME: value`.')
      return {}
    }
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainText(item)]))
  }

  function text(hook: Record<string, unknown>, key: string): string | undefined {
    const value = hook[key]
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string') return value
    wrong(key, 'must be text', 'Put it in quotes.')
    return undefined
  }
}

const judgement = 'pre_tool_use_decision'
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** A regex of the whole tool name; `*`, nothing and an empty text match all tools. */
export function decodeMatcher(matcher: unknown, where: Where): MatchTest[] {
  if (typeof matcher !== 'string' || matcher === '' || matcher === '*') return []
  const names = matcher.split('|')
  const plain = names.every((name) => /^[^\\^$.|?*+()[\]{}]+$/.test(name))
  return [{ facet: 'tool', test: plain ? { names } : { regex: matcher, whole: true }, where }]
}

export function encodeMatcher(test: TextTest): string {
  if ('any' in test) return '*'
  if ('regex' in test) return test.whole ? test.regex : `(?s:.*)(?:${test.regex})(?s:.*)`
  const prefixes = (test.prefixes ?? []).map((prefix) => `${escaped(prefix)}(?s:.*)`)
  return [...test.names.map(escaped), ...prefixes].join('|')
}

const escaped = (name: string) => name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')

export type Path = readonly (string | number)[]

/** A config being read: where it came from, and what was found wrong or doubtful so far. */
export interface Reading {
  source: Source
  problems: Note[]
  notes: Note[]
}

/** What a hook is, before its place in the file makes it one. */
export type Sketch = Pick<Hook, 'event' | 'matcher' | 'run'> & Partial<Hook> & { at: Path }

/** A list, or the one thing that stands for a list of one. */
export function list(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** The same with the path of each. */
export function placed(value: unknown, at: Path): { item: unknown; at: Path }[] {
  return list(value).map((item, index) => ({ item, at: Array.isArray(value) ? [...at, index] : at }))
}

export function shape(source: Source, path: Path, detail: string, fix: string): Note {
  return note('config-shape', { path: written(path), detail, fix }, { where: source.locate(path) })
}

export function knownKeys(value: Record<string, unknown>, keys: readonly string[], path: Path, source: Source): Note[] {
  return Object.keys(value)
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const details = { key, hint: didYouMean(key, keys), known: keys.join(', ') }
      return note('config-unknown-key', details, { where: source.locate([...path, key]) })
    })
}

function written(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return text.replace(/^\./, '') || 'the file'
}
