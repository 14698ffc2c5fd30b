import { isRecord } from './effects.ts'
import { foldName } from './events.ts'
import { stringifyJson } from './json.ts'

/**
 * Go's text/template as prompts of docker-agent use it: fields, variables, pipelines, `if`, `with`, `range`, comments, trim
 * marks, and the functions below. No `define`, `template` or `block`: a prompt is one text. Pure, and bounded: a template cannot call
 * itself, so it ends.
 */
export interface GoTemplate {
  readonly nodes: readonly Node[]
  /** The fields of the payload that it names, such as `ToolInput`. */
  readonly fields: readonly string[]
}
export type ParsedGoTemplate = { ok: true; template: GoTemplate } | { ok: false; detail: string }

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'print'; pipe: Pipe }
  | { kind: 'if' | 'with' | 'range'; pipe: Pipe; names: readonly string[]; body: Node[]; otherwise: Node[] }
  | { kind: 'leave'; how: 'break' | 'continue' }

interface Pipe {
  /** `$x := …` or `$x = …`. */
  sets?: string
  commands: readonly (readonly Operand[])[]
}
type Operand =
  | { kind: 'value'; value: unknown }
  | { kind: 'path'; from: Operand | 'dot' | { variable: string }; names: readonly string[] }
  | { kind: 'pipe'; pipe: Pipe }
  | { kind: 'function'; name: string }

export function parseGoTemplate(text: string): ParsedGoTemplate {
  const fields = new Set<string>()
  try {
    const pieces = piecesOf(text)
    const nodes = parseNodes(pieces, fields, [])
    if (pieces.length > 0) throw `\`{{ ${pieces[0]!.action} }}\` closes nothing`
    return { ok: true, template: { nodes, fields: [...fields] } }
  } catch (problem) {
    if (typeof problem === 'string') return { ok: false, detail: problem }
    throw problem
  }
}

interface Piece {
  text?: string
  action?: string
}

/** Texts and actions in turn; `{{-` and `-}}` take the white space beside them away. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let rest = text
  for (let open = rest.indexOf('{{'); open >= 0; open = rest.indexOf('{{')) {
    const found = /^\{\{(-(?=\s))?((?:"(?:[^"\\]|\\.)*"|`[^`]*`|(?!\}\})[\s\S])*?)(\s-)?\}\}/.exec(rest.slice(open))
    if (!found) throw 'the braces of an action are not closed'
    const [whole, trimsBefore, action = '', trimsAfter] = found
    const before = rest.slice(0, open)
    pieces.push({ text: trimsBefore ? before.trimEnd() : before })
    if (!/^\s*\/\*[\s\S]*\*\/\s*$/.test(action)) pieces.push({ action: action.trim() })
    rest = rest.slice(open + whole.length)
    if (trimsAfter) rest = rest.trimStart()
  }
  pieces.push({ text: rest })
  return pieces.filter((piece) => piece.action !== undefined || piece.text !== '')
}

function parseNodes(pieces: Piece[], fields: Set<string>, until: readonly string[]): Node[] {
  const nodes: Node[] = []
  for (let piece = pieces[0]; piece; piece = pieces[0]) {
    const word = piece.action === undefined ? '' : (/^[a-z]+/.exec(piece.action)?.[0] ?? '')
    if (until.includes(word) || (word === 'end' && until.length === 0)) return nodes
    pieces.shift()
    if (piece.action === undefined) nodes.push({ kind: 'text', text: piece.text ?? '' })
    else if (word === 'if' || word === 'with' || word === 'range')
      nodes.push(parseBlock(word, piece.action.slice(word.length), pieces, fields))
    else if (word === 'break' || word === 'continue') nodes.push({ kind: 'leave', how: word })
    else if (['else', 'end', 'define', 'template', 'block'].includes(word))
      throw `\`${word}\` cannot stand here${word === 'else' || word === 'end' ? '' : ': a prompt is one text'}`
    else nodes.push({ kind: 'print', pipe: parsePipe(tokensOf(piece.action), fields) })
  }
  return nodes
}

function parseBlock(kind: 'if' | 'with' | 'range', head: string, pieces: Piece[], fields: Set<string>): Node {
  const tokens = tokensOf(head)
  const ranged = kind === 'range' ? /^\s*(\$\w+)\s*(?:,\s*(\$\w+)\s*)?:=/.exec(head) : null
  const names = ranged ? [ranged[1]!, ...(ranged[2] ? [ranged[2]] : [])] : []
  if (ranged) tokens.splice(0, tokens.indexOf(':=') + 1)
  const pipe = parsePipe(tokens, fields)
  const body = parseNodes(pieces, fields, ['else', 'end'])
  const stop = pieces.shift()?.action
  if (stop === undefined) throw `\`{{ ${kind} }}\` has no \`{{ end }}\``
  if (stop === 'end') return { kind, pipe, names, body, otherwise: [] }
  const chained = /^else\s+(if|with)\b([\s\S]*)$/.exec(stop)
  if (chained) {
    const otherwise = [parseBlock(chained[1] as 'if', chained[2]!, pieces, fields)]
    return { kind, pipe, names, body, otherwise }
  }
  const otherwise = parseNodes(pieces, fields, ['end'])
  if (pieces.shift() === undefined) throw `\`{{ else }}\` has no \`{{ end }}\``
  return { kind, pipe, names, body, otherwise }
}

const tokensOf = (source: string): string[] => source.match(/"(?:[^"\\]|\\.)*"|`[^`]*`|:=|[()|=,]|[^\s()|=,:]+/g) ?? []

/** Takes what it reads from the tokens, up to a closing parenthesis or the end. */
function parsePipe(tokens: string[], fields: Set<string>): Pipe {
  const sets = tokens[0]?.startsWith('$') && (tokens[1] === ':=' || tokens[1] === '=') ? tokens.shift() : undefined
  if (sets !== undefined) tokens.shift()
  const commands: Operand[][] = [[]]
  while (tokens.length > 0 && tokens[0] !== ')') {
    const token = tokens.shift()!
    if (token === '|') commands.push([])
    else commands.at(-1)!.push(parseOperand(token, tokens, fields))
  }
  if (commands.some((command) => command.length === 0)) throw 'there is nothing in a part of an action'
  return { ...(sets === undefined ? {} : { sets }), commands }
}

function parseOperand(token: string, tokens: string[], fields: Set<string>): Operand {
  if (token === '(') {
    const pipe = parsePipe(tokens, fields)
    if (tokens.shift() !== ')') throw 'a parenthesis is not closed'
    const names = tokens[0]?.startsWith('.') ? tokens.shift()!.slice(1).split('.') : []
    return names.length > 0 ? { kind: 'path', from: { kind: 'pipe', pipe }, names } : { kind: 'pipe', pipe }
  }
  if (token === '.') return { kind: 'path', from: 'dot', names: [] }
  if (/^(?:\.\w+)+$/.test(token)) {
    const names = token.slice(1).split('.')
    fields.add(names[0]!)
    return { kind: 'path', from: 'dot', names }
  }
  const variable = /^(\$\w*)((?:\.\w+)*)$/.exec(token)
  if (variable) {
    const names = variable[2]!.split('.').filter((name) => name !== '')
    return { kind: 'path', from: { variable: variable[1]! }, names }
  }
  if (token.startsWith('"')) return { kind: 'value', value: JSON.parse(token) }
  if (token.startsWith('`')) return { kind: 'value', value: token.slice(1, -1) }
  if (/^-?\d+(?:\.\d+)?$/.test(token)) return { kind: 'value', value: Number(token) }
  if (token === 'true' || token === 'false') return { kind: 'value', value: token === 'true' }
  if (token === 'nil') return { kind: 'value', value: undefined }
  if (Object.hasOwn(functions, token)) return { kind: 'function', name: token }
  throw `\`${token}\` is not known. There are: ${Object.keys(functions).join(', ')}`
}

interface Scope {
  root: unknown
  dot: unknown
  variables: Map<string, unknown>
}

/** Most that a prompt can become: a loop over a long list must not fill the memory. */
const mostCharacters = 4 * 1024 * 1024

/** Fails, as Go does, when a function is given what it does not take. */
export function renderGoTemplate(
  template: GoTemplate,
  payload: unknown,
): { ok: true; text: string } | { ok: false; detail: string } {
  try {
    const out = { text: '' }
    renderNodes(template.nodes, { root: payload, dot: payload, variables: new Map([['$', payload]]) }, out)
    return { ok: true, text: out.text }
  } catch (problem) {
    if (typeof problem === 'string') return { ok: false, detail: problem }
    throw problem
  }
}

function renderNodes(nodes: readonly Node[], scope: Scope, out: { text: string }): 'break' | 'continue' | undefined {
  for (const node of nodes) {
    if (out.text.length > mostCharacters) throw 'the prompt becomes longer than 4 MiB'
    if (node.kind === 'leave') return node.how
    if (node.kind === 'text') out.text += node.text
    else if (node.kind === 'print') {
      const value = evaluate(node.pipe, scope)
      if (node.pipe.sets === undefined) out.text += printed(value)
    } else {
      const left = node.kind === 'range' ? renderRange(node, scope, out) : renderChoice(node, scope, out)
      if (left) return left
    }
  }
  return undefined
}

type Block = Extract<Node, { body: Node[] }>

function renderChoice({ kind, pipe, body, otherwise }: Block, scope: Scope, out: { text: string }) {
  const inner = { ...scope, variables: new Map(scope.variables) }
  const value = evaluate(pipe, inner)
  if (!isTrue(value)) return renderNodes(otherwise, inner, out)
  return renderNodes(body, kind === 'with' ? { ...inner, dot: value } : inner, out)
}

function renderRange({ pipe, names, body, otherwise }: Block, scope: Scope, out: { text: string }): undefined {
  const entries = entriesOf(evaluate(pipe, scope))
  for (const [key, value] of entries) {
    const variables = new Map(scope.variables)
    const [first, second] = names
    if (first !== undefined) variables.set(first, second === undefined ? value : key)
    if (second !== undefined) variables.set(second, value)
    if (renderNodes(body, { ...scope, dot: value, variables }, out) === 'break') break
  }
  if (entries.length === 0) renderNodes(otherwise, scope, out)
  return undefined
}

/** Keys of a mapping come in their order, as in Go. */
function entriesOf(value: unknown): [unknown, unknown][] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.map((item, index) => [index, item])
  if (isRecord(value)) return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  if (typeof value === 'number')
    return Array.from({ length: Math.min(Math.max(0, value), 100_000) }, (_, at) => [at, at])
  throw `\`range\` cannot go over ${typeof value === 'string' ? 'a text' : String(value)}`
}

function evaluate({ sets, commands }: Pipe, scope: Scope): unknown {
  let value: unknown
  commands.forEach((command, index) => {
    value = call(command, scope, index === 0 ? [] : [value])
  })
  if (sets !== undefined) scope.variables.set(sets, value)
  return value
}

function call([first, ...args]: readonly Operand[], scope: Scope, piped: readonly unknown[]): unknown {
  const given = () => [...args.map((each) => operandValue(each, scope)), ...piped]
  if (first?.kind === 'function') return functions[first.name]!(...given())
  if (args.length + piped.length > 0) throw 'a value that is no function was given arguments'
  return operandValue(first!, scope)
}

function operandValue(operand: Operand, scope: Scope): unknown {
  if (operand.kind === 'value') return operand.value
  if (operand.kind === 'pipe') return evaluate(operand.pipe, scope)
  if (operand.kind === 'function') return functions[operand.name]!()
  const { from, names } = operand
  const start =
    from === 'dot' ? scope.dot : 'variable' in from ? variableOf(from.variable, scope) : operandValue(from, scope)
  return names.reduce((value, name) => fieldOf(value, name, value === scope.root), start)
}

function variableOf(name: string, { variables }: Scope): unknown {
  if (variables.has(name)) return variables.get(name)
  throw `\`${name}\` is not set`
}

/** The payload is a structure with Go's names (`.ToolInput`); what is in it are mappings with keys of their own. */
function fieldOf(value: unknown, name: string, isRoot: boolean): unknown {
  if (!isRecord(value)) return undefined
  if (Object.hasOwn(value, name)) return value[name]
  const found = isRoot ? Object.keys(value).find((key) => foldName(key) === foldName(name)) : undefined
  return found === undefined ? undefined : value[found]
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isRecord(value)) return Object.keys(value).length > 0
  return Boolean(value)
}

/** As Go prints it: a mapping as JSON, since `map[…]` says less to a model. */
function printed(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? stringifyJson(value) : String(value)
}

const compare = (one: unknown, other: unknown): number => {
  if (typeof one !== typeof other || (typeof one !== 'number' && typeof one !== 'string'))
    throw 'values that cannot be compared were compared'
  return one < (other as typeof one) ? -1 : one === other ? 0 : 1
}

const functions: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  toJSON: (value) => stringifyJson(value ?? null),
  truncate(limit, text) {
    if (typeof limit !== 'number') throw '`truncate` needs a number, such as `truncate 200 .Prompt`'
    const characters = Array.from(printed(text))
    return limit <= 0 || characters.length <= limit ? printed(text) : `${characters.slice(0, limit).join('')}…`
  },
  index: (value, ...keys) =>
    keys.reduce((inner, key) => {
      if (Array.isArray(inner)) return inner[Number(key)]
      return isRecord(inner) && Object.hasOwn(inner, String(key)) ? inner[String(key)] : undefined
    }, value),
  slice: (value, from = 0, to) =>
    typeof value === 'string' || Array.isArray(value) ? value.slice(Number(from), to as number | undefined) : undefined,
  len: (value) =>
    typeof value === 'string'
      ? new TextEncoder().encode(value).length
      : value === undefined
        ? 0
        : entriesOf(value).length,
  not: (value) => !isTrue(value),
  and: (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  or: (...values) => values.find(isTrue) ?? values.at(-1),
  eq: (one, ...others) =>
    others.some((other) => one === other || stringifyJson(one ?? null) === stringifyJson(other ?? null)),
  ne: (one, other) => stringifyJson(one ?? null) !== stringifyJson(other ?? null),
  lt: (one, other) => compare(one, other) < 0,
  le: (one, other) => compare(one, other) <= 0,
  gt: (one, other) => compare(one, other) > 0,
  ge: (one, other) => compare(one, other) >= 0,
  print: (...values) => values.map(printed).join(''),
  println: (...values) => `${values.map(printed).join(' ')}\n`,
  printf(format, ...values) {
    const rest = [...values]
    return printed(format).replace(/%(?:%|[-+# 0]*\d*(?:\.\d+)?([vsqdtfT]))/g, (verb, kind: string | undefined) => {
      if (verb === '%%') return '%'
      const value = rest.shift()
      return kind === 'q' ? JSON.stringify(printed(value)) : kind === 'T' ? typeof value : printed(value)
    })
  },
  html: (value) => printed(value).replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`),
  js: (value) => JSON.stringify(printed(value)).slice(1, -1),
  urlquery: (value) => encodeURIComponent(printed(value)),
}
