import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseError, parse as parseJsonc } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { isRecord } from '../../core/index.ts'
import { type Ground, movedBy } from '../../hosts/index.ts'
import { command, decisions, file, type Imported, permission, type Ruled, ruleOf } from './entries.ts'

/** The permission list of an agent: where it stands, and what it says. */
interface PermissionList {
  host: string
  files(ground: Ground): readonly string[]
  read(text: string): Imported[]
}

const inDirectory = (directory: string, ends: string): string[] => {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(ends))
      .sort()
      .map((name) => join(directory, name))
  } catch {
    return []
  }
}
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
const object = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** Throws where the agent itself could not read it either: half of a list is not what somebody meant. */
function jsonc(text: string): Record<string, unknown> {
  const errors: ParseError[] = []
  const value: unknown = parseJsonc(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
  if (errors.length > 0) throw new Error('It is not valid JSON.')
  return object(value)
}

/** `{ permissions: { allow, ask, deny } }`, each a list of `Name(what)`. */
function claudes(text: string): Imported[] {
  const permissions = object(jsonc(text)['permissions'])
  return decisions.flatMap((ruled) => texts(permissions[ruled]).map((said) => permission(said, ruled)))
}

/** `{ tools: { exclude, allowed } }`, or the same two under their older names. */
function geminis(text: string): Imported[] {
  const all = jsonc(text)
  const tools = object(all['tools'])
  const excluded = [...texts(tools['exclude']), ...texts(all['excludeTools'])]
  return [
    ...excluded.map((said) => permission(said, 'deny')),
    ...texts(tools['allowed']).map((said) => permission(said, 'allow')),
  ]
}

const words: Readonly<Record<string, Ruled>> = {
  ...{ allow: 'allow', ask: 'ask', deny: 'deny', prompt: 'ask', forbidden: 'deny', ask_user: 'ask' },
}

/** Its own permission lists: https://opencode.ai/docs/permissions. */
function opencodes(text: string): Imported[] {
  const { permission } = jsonc(text)
  if (typeof permission === 'string')
    return [{ said: `permission: ${permission}`, lost: 'it is about every call; opencode goes on as it says' }]
  return Object.entries(object(permission)).flatMap(([tool, given]) => {
    const about = { bash: 'run', edit: 'write', write: 'write', read: 'read', webfetch: 'fetch' }[tool]
    const rules = isRecord(given) ? Object.entries(given) : [['*', given] as const]
    return rules.flatMap(([pattern, said]): Imported[] => {
      const ruled = words[String(said)]
      const shown = `${tool} ${pattern}: ${String(said)}`
      if (!ruled || !about) return [{ said: shown, lost: 'rules have no word for it' }]
      if (pattern === '*')
        return ruled === 'deny' && about !== 'run'
          ? [ruleOf(shown, ruled, { [about]: '**' })]
          : [{ said: shown, lost: 'it is about every call; opencode goes on asking or allowing as it says' }]
      if (about === 'run') return [command(shown, pattern, ruled)]
      return about === 'fetch'
        ? [ruleOf(shown, ruled, { fetch: pattern })]
        : [file(shown, about as 'read' | 'write', pattern, ruled)]
    })
  })
}

/** `prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "forbidden")`: https://developers.openai.com/codex/rules. */
function codexs(text: string): Imported[] {
  const written = text.replace(/^[ \t]*#.*$/gm, '')
  return [...written.matchAll(/prefix_rule\(([\s\S]*?)\)\s*(?=\n|$)/g)].flatMap(([said, inner]): Imported[] => {
    const shown = said.replace(/\s+/g, ' ').trim()
    const lines = linesOf(/pattern\s*=\s*(\[[\s\S]*\])/.exec(inner!)?.[1] ?? '')
    const ruled = words[/decision\s*=\s*["'](\w+)["']/.exec(inner!)?.[1] ?? 'allow']
    if (!lines || !ruled) return [{ said: shown, lost: 'it cannot be read' }]
    if (lines.length > mostLines) return [{ said: shown, lost: `it stands for ${lines.length} commands` }]
    return lines.map((line) => command(shown, `${line} *`, ruled))
  })
}

const mostLines = 64

/** Every line that a pattern stands for: each of its parts is a word, or a list of words to choose from. */
function linesOf(pattern: string): string[] | undefined {
  // As Starlark has it: strings in either quotes. What follows the list is not part of it.
  const parts = parseJsonc(pattern.replace(/'((?:[^'\\\n"]|\\.)*)'/g, '"$1"')) as unknown
  if (!Array.isArray(parts) || parts.length === 0) return undefined
  const choices = parts.map((part) => [part].flat())
  if (!choices.flat().every((word) => typeof word === 'string' && /^[^\s*'"]+$/.test(word))) return undefined
  return choices.reduce<string[]>(
    (all, each) => all.flatMap((line) => each.map((word) => `${line} ${word}`.trim())),
    [''],
  )
}

/** `[[rule]]` with `toolName`, `commandPrefix` and `decision`: https://geminicli.com/docs/reference/policy-engine. */
function geminiPolicies(text: string): Imported[] {
  const rules = parseToml(text)['rule']
  return (Array.isArray(rules) ? rules : []).map(object).flatMap((rule): Imported[] => {
    const { toolName, commandPrefix, decision } = rule
    const ruled = words[String(decision)]
    const shown = `${String(toolName)}${commandPrefix ? `(${String(commandPrefix)})` : ''}: ${String(decision)}`
    if (!ruled) return [{ said: shown, lost: 'rules have no word for it' }]
    const narrower = Object.keys(rule).find((key) => !known.has(key))
    if (narrower !== undefined) return [{ said: shown, lost: `it holds only with its \`${narrower}\`` }]
    const prefixes = [commandPrefix].flat().filter((each) => typeof each === 'string')
    if (prefixes.length > 0) return prefixes.map((prefix) => command(shown, `${prefix} *`, ruled))
    return [toolName].flat().map((name) => permission(String(name), ruled))
  })
}

/** What does not narrow what such a rule is about. */
const known = new Set(['toolName', 'commandPrefix', 'decision', 'priority', 'deny_message', 'denyMessage'])

/** One line each. */
const lists: readonly PermissionList[] = [
  {
    host: 'claude',
    files: (ground) => [
      `${movedBy(ground, 'CLAUDE_CONFIG_DIR', `${ground.home}/.claude`)}/settings.json`,
      ...['settings.json', 'settings.local.json'].map((name) => `${ground.project}/.claude/${name}`),
    ],
    read: claudes,
  },
  {
    host: 'codex',
    files: (ground) => inDirectory(`${movedBy(ground, 'CODEX_HOME', `${ground.home}/.codex`)}/rules`, '.rules'),
    read: codexs,
  },
  {
    host: 'cursor',
    files: ({ home, project }) => [`${home}/.cursor/cli-config.json`, `${project}/.cursor/cli.json`],
    read: claudes,
  },
  {
    host: 'opencode',
    files: ({ home, project }) =>
      [`${home}/.config/opencode/opencode`, `${project}/opencode`].flatMap((file) => [`${file}.json`, `${file}.jsonc`]),
    read: opencodes,
  },
  {
    host: 'gemini',
    files: ({ home, project }) => [`${home}/.gemini/settings.json`, `${project}/.gemini/settings.json`],
    read: geminis,
  },
  { host: 'gemini', files: ({ home }) => inDirectory(`${home}/.gemini/policies`, '.toml'), read: geminiPolicies },
  {
    host: 'qwen',
    files: ({ home, project }) => [`${home}/.qwen/settings.json`, `${project}/.qwen/settings.json`],
    read: (text) => [...claudes(text), ...geminis(text)],
  },
]

export interface Found {
  host: string
  file: string
  entries: readonly Imported[]
}

/** What people have already written, each file by itself; one that cannot be read says so and loses nothing else. */
export function permissionLists(ground: Ground): Found[] {
  return lists.flatMap(({ host, files, read }) =>
    files(ground).flatMap((file): Found[] => {
      try {
        const entries = read(readFileSync(file, 'utf8'))
        return entries.length > 0 ? [{ host, file, entries }] : []
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        return [{ host, file, entries: [{ said: file, lost: 'the file cannot be read' }] }]
      }
    }),
  )
}
