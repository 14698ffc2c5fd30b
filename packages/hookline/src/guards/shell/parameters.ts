import { lookup, matchesGlob } from '../../shell/index.ts'
import type { ParameterExpansionPart, ParameterOperation, Word } from '../../shell/syntax/index.ts'
import { spend, spendOnText } from './budget.ts'
import { report } from './findings.ts'
import { CUT, clip, type Field, field, isKnown, MAYBE, mixTaints, NUMBER, readable, SOME, type Taint } from './text.ts'
import type { Shell } from './types.ts'

type ExpandWord = (word: Word | undefined, shell: Shell) => Field

/** Variables every shell has. SOME: set, but to something only the machine knows. */
const PRESET: Record<string, string> = {
  IFS: ' \t\n',
  TMPDIR: '/tmp',
  SHELL: '/bin/sh',
  BASH: '/bin/bash',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  '0': 'bash',
  ...Object.fromEntries(
    ['$', '?', '!', 'RANDOM', 'SECONDS', 'LINENO', 'PPID', 'UID', 'EUID', 'EPOCHSECONDS', 'BASHPID'].map((name) => [
      name,
      NUMBER,
    ]),
  ),
  ...Object.fromEntries(
    ['-', '_', 'USER', 'LOGNAME', 'HOSTNAME', 'OSTYPE', 'HOSTTYPE', 'MACHTYPE', 'BASH_VERSION', 'TERM', 'LANG'].map(
      (name) => [name, SOME],
    ),
  ),
}

/** Longer values are not matched against patterns: the cost would no longer be small. */
const MATCHABLE = 512

/** Names that hold a credential by convention. */
const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|APIKEY|CREDENTIALS?)(?:_|$)|(?:API|ACCESS|PRIVATE|SECRET|AUTH|ENCRYPTION)_?KEY|(?:DATABASE|DB|MONGO(?:DB)?|POSTGRES(?:QL)?|PG|MYSQL|REDIS|AMQP|RABBITMQ)_?(?:URL|URI|DSN)$|CONNECTION_?STRING/

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toUpperCase())
}

/** `$GITHUB_TOKEN` is a credential of `github`. */
export const credentialOf = (name: string): readonly Taint[] => [
  'credential',
  `of:${name.toLowerCase().split('_')[0] ?? ''}`,
]

/** What a line is given beside its text: `bash -c 'line' name …`. */
export const NOBODY_KNOWS: readonly Field[] = []
const GIVEN = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It uses arguments that are only known when it runs.',
} as const

/** The value of a name: several words only for arrays and `$@`. */
export function readParameter(name: string, shell: Shell): readonly Field[] {
  const { state } = shell
  shell.run.read?.add(name)
  if (name === '@' || name === '*') {
    if (state.positional === NOBODY_KNOWS) report(shell.run, 'unknown', GIVEN, `$${name}`)
    return state.positional
  }
  if (name === '#') return [field(state.positional === NOBODY_KNOWS ? NUMBER : String(state.positional.length))]
  if (/^[1-9]\d*$/.test(name))
    return [state.positional[Number(name) - 1] ?? field(state.positional === NOBODY_KNOWS ? MAYBE : '')]
  const variable = state.variables.get(name)
  if (variable) return variable
  if (name === 'HOME') return [field(state.home)]
  if (name === 'PWD') return [field(state.cwd ?? '.')]
  const preset = lookup(PRESET, name)
  if (preset !== undefined) return [field(preset)]
  return [field(MAYBE, isSecretName(name) ? credentialOf(name) : [])]
}

export function expandParameter(part: ParameterExpansionPart, shell: Shell, expand: ExpandWord): readonly Field[] {
  const name = part.parameter
  const index = part.index ? expand(part.index, shell).text : undefined
  if (index !== undefined && !isEach(index) && !isNamed(index, shell.state.variables.get(name))) shell.calculate(index)
  if (part.operation?.type === 'Names') return [field(SOME)]
  const all = part.prefix === '!' ? indirect(name, shell) : readParameter(name, shell)
  const chosen = index === undefined || isEach(index) ? all : pick(all, index)
  if (part.prefix === '#') return [field(lengthOf(chosen, index))]
  if (!part.operation) return index === undefined && name !== '@' && name !== '*' ? chosen.slice(0, 1) : chosen
  const operation = part.operation
  if (chosen.length > 1 && operation.type === 'Slice') return sliceList(chosen, operation, shell, expand)
  return (chosen.length > 0 ? chosen : [field('')]).map((each) => operate(each, name, operation, shell, expand))
}

const isEach = (index: string): boolean => index === '@' || index === '*'

/** A key of a list that has names: `declare -A`. */
const isNamed = (index: string, list: readonly Field[] = []): boolean =>
  isKnown(index) && list.some(({ text }) => text.startsWith(`[${index}]=`))

function indirect(name: string, shell: Shell): readonly Field[] {
  const target = readParameter(name, shell)[0]?.text ?? ''
  return isKnown(target) && target !== '' ? readParameter(target, shell) : [field(MAYBE)]
}

function pick(all: readonly Field[], index: string): readonly Field[] {
  if (!isKnown(index)) return [field(MAYBE)]
  const named = all.find(({ text }) => text.startsWith(`[${index}]=`))
  if (named) return [{ ...named, text: named.text.slice(index.length + 3) }]
  if (!/^-?\d+$/.test(index)) return all.length > 0 ? [field(MAYBE)] : []
  return [all.at(Number(index)) ?? field(all.length === 1 && all[0]?.text === MAYBE ? MAYBE : '')]
}

function lengthOf(fields: readonly Field[], index: string | undefined): string {
  if (index !== undefined && isEach(index)) return String(fields.length)
  const text = fields[0]?.text ?? ''
  return isKnown(text) ? String(text.length) : NUMBER
}

function operate(value: Field, name: string, operation: ParameterOperation, shell: Shell, expand: ExpandWord): Field {
  const { text } = value
  const known = isKnown(text)
  switch (operation.type) {
    case 'Default': {
      const operand = expand(operation.operand, shell)
      const sign = operation.operator.at(-1)
      const taints = mixTaints(value.taints, operand.taints)
      if (sign === '?') return known ? value : field(SOME, value.taints)
      if (sign === '+') return known ? (text === '' ? value : operand) : field(operand.text + MAYBE, taints)
      if (known && text !== '') return value
      if (sign === '=') shell.assign(name, operand)
      return known ? operand : field(operand.text + MAYBE, taints)
    }
    case 'Remove': {
      const pattern = expand(operation.operand, shell).text
      if (text.length > MATCHABLE) return field(CUT, value.taints)
      payForMatching(text, pattern, shell)
      return known && isKnown(pattern) ? field(remove(text, operation.operator, pattern), value.taints) : value
    }
    case 'Replace': {
      // The parser ends a pattern at the first slash, also inside a substitution.
      if (isCut(operation.pattern?.text ?? ''))
        shell.evaluateText(`${operation.pattern?.text}/${operation.replacement?.text ?? ''}`)
      const pattern = expand(operation.pattern, shell).text
      const replacement = expand(operation.replacement, shell).text
      if (!known || !isKnown(pattern)) return value
      if (text.length > MATCHABLE) return field(CUT, value.taints)
      payForMatching(text, pattern, shell)
      return field(clip(replace(text, operation.operator, pattern, replacement)), value.taints)
    }
    case 'Slice': {
      const offset = Number(shell.calculate(expand(operation.offset, shell).text))
      const length = operation.length ? Number(shell.calculate(expand(operation.length, shell).text)) : undefined
      if (!known || Number.isNaN(offset) || Number.isNaN(length ?? 0)) return value
      const start = offset < 0 ? Math.max(0, text.length + offset) : offset
      const end = length === undefined ? text.length : length < 0 ? text.length + length : start + length
      return field(text.slice(start, end), value.taints)
    }
    case 'CaseModification':
      expand(operation.operand, shell)
      return known ? field(changeCase(text, operation.operator), value.taints) : value
    case 'Transform':
      return transform(value, expand(operation.operand, shell).text, shell)
    default:
      return field(SOME, value.taints)
  }
}

/** A pattern is tried at every place of the text. */
function payForMatching(text: string, pattern: string, { run }: Shell): void {
  spend(run, 1)
  spendOnText(run, text.length * (text.length + pattern.length), 128)
}

function isCut(pattern: string): boolean {
  const count = (mark: RegExp) => pattern.match(mark)?.length ?? 0
  return count(/\$\(/g) > count(/\)/g) || count(/`/g) % 2 === 1
}

function sliceList(
  fields: readonly Field[],
  operation: ParameterOperation & { type: 'Slice' },
  shell: Shell,
  expand: ExpandWord,
): readonly Field[] {
  const offset = Number(shell.calculate(expand(operation.offset, shell).text))
  const length = operation.length ? Number(shell.calculate(expand(operation.length, shell).text)) : fields.length
  if (Number.isNaN(offset) || Number.isNaN(length)) return fields
  return fields.slice(offset, offset + length)
}

function remove(text: string, operator: string, pattern: string): string {
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length)
  if (operator.length === 2) lengths.reverse()
  const front = operator.startsWith('#')
  const found = lengths.find((length) =>
    matchesGlob(pattern, front ? text.slice(0, length) : text.slice(text.length - length)),
  )
  if (found === undefined) return text
  return front ? text.slice(found) : text.slice(0, text.length - found)
}

/** Only patterns of fixed length are followed; what a star would replace is left unknown. */
function replace(text: string, operator: string, pattern: string, replacement: string): string {
  if (pattern === '') return text
  if (pattern.includes('*')) return SOME
  const width = pattern.replace(/\[[^\]]+\]/g, '?').length
  const matchesAt = (at: number) => at >= 0 && matchesGlob(pattern, text.slice(at, at + width))
  if (operator === '/%') {
    const at = text.length - width
    return matchesAt(at) ? text.slice(0, at) + replacement : text
  }
  let result = ''
  for (let at = 0; at < text.length; ) {
    if (!matchesAt(at)) result += text[at++]
    else {
      result += replacement
      at += width
      if (operator !== '//') return result + text.slice(at)
    }
    if (operator === '/#') return result + text.slice(at)
  }
  return result
}

function changeCase(text: string, operator: string): string {
  const change = (run: string) => (operator.startsWith('^') ? run.toUpperCase() : run.toLowerCase())
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1)
}

function transform(value: Field, operator: string, shell: Shell): Field {
  const { text, taints } = value
  if (operator === 'P' && !isKnown(text)) report(shell.run, 'unknown', PROMPT, readable(text))
  if (operator === 'P') return field(shell.evaluateText(text), taints)
  if (operator === 'U') return field(text.toUpperCase(), taints)
  if (operator === 'L') return field(text.toLowerCase(), taints)
  if (operator === 'u') return field(text.slice(0, 1).toUpperCase() + text.slice(1), taints)
  return field(text === '' ? '' : text.includes(MAYBE) ? MAYBE : SOME, taints)
}

const PROMPT = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It expands text that is only known when it runs, as a prompt is expanded.',
} as const

/** `name[…$(…)…]`: text that some builtins expand once more. */
export function isSubscript(text: string): boolean {
  return /^[A-Za-z_]\w*\[[\s\S]*[$`]/.test(text)
}
