import { flagValues, hasFlag, parseArguments, readOptions } from '../../shell/index.ts'
import { judgeAssignment } from './assignments.ts'
import { spendOnText } from './budget.ts'
import { COMPARES_NUMBERS } from './conditions.ts'
import { formatPrintf } from './decode.ts'
import { LONGEST_DIRECTORY, moveTo, ranLast, ranSurely, unite } from './directories.ts'
import { followScript } from './disk.ts'
import { limitReached, report } from './findings.ts'
import { isSubscript, readParameter } from './parameters.ts'
import { resolvePath } from './places.ts'
import { runScript, runText } from './scripts.ts'
import { type Field, field, isKnown, mixTaints, NUMBER, onlyListed, SOME, type Stream, stream } from './text.ts'
import { guessing } from './trace.ts'
import { type Arguments, type Call, type Handled, type Shell, settled, unsettled } from './types.ts'
import { contentOf, STDIN } from './written.ts'

export type Builtin = (call: Call, shell: Shell) => Handled | undefined

const SILENT = settled(stream(''))
const silent: Builtin = () => SILENT

/** Commands of the shell itself that change what later commands mean, or run text as code. */
export const BUILTINS: Record<string, Builtin> = {
  ':': (call) => ending(call, true),
  true: (call) => ending(call, true),
  false: (call) => ending(call, false),
  break: leave,
  continue: leave,
  return: leave,
  exit: (call) => {
    ranLast(call.state)
    return SILENT
  },
  shopt: silent,
  popd: lose,
  cd: changeDirectory,
  chdir: changeDirectory,
  pushd: changeDirectory,
  eval: (call) => settled(runText(join(call.args), call)),
  source: runFile,
  '.': runFile,
  alias: declareAliases,
  unalias: silent,
  export: declareVariables,
  declare: declareVariables,
  typeset: declareVariables,
  local: declareVariables,
  readonly: declareVariables,
  unset: evaluateSubscripts,
  wait: evaluateSubscripts,
  test: evaluateTest,
  '[': evaluateTest,
  let: (call, shell) => {
    for (const { text } of call.args) {
      shell.calculate(text.replace(/^[A-Za-z_]\w*=/, ''))
      const [, name] = /^([A-Za-z_]\w*)\W*=/.exec(text) ?? []
      if (name) setVariable(name, [field(NUMBER)], call)
    }
    return SILENT
  },
  read: readVariables,
  mapfile: readLines,
  readarray: readLines,
  printf: printVariable,
  trap: (call) => {
    const [handler, ...signals] = parseArguments(call.args, readOptions('-lp')).operands
    const atEnd = handler && signals.length > 0 && signals.every(({ text }) => /^(?:EXIT|0)$/i.test(text))
    // It runs when the line is over: what it names may get its value later. Before that, it would find nothing.
    if (atEnd && call.run.depth <= 1 && namesUnset(handler.text, call)) {
      call.run.atEnd.push(() => void runScript(handler, call))
      return SILENT
    }
    return settled(handler && handler.text !== '-' ? runScript(handler, call) : stream(''))
  },
  set: setPositional,
  shift: (call) => {
    call.state.positional = call.state.positional.slice(Number(call.args[0]?.text ?? 1) || 1)
    return SILENT
  },
  hash: (call) => {
    const [path, name] = [flagValues(parseArguments(call.args, readOptions('-p:')), 'p')[0], call.args.at(-1)]
    if (path && name) call.state.links.set(name.text, path.text)
    // So does zsh: `hash ls=./x`.
    const given = call.args.flatMap(({ text }) => [/^([^=-][^=]*)=(.*)$/s.exec(text) ?? []])
    for (const [, program, place] of given) if (program && place !== undefined) call.state.links.set(program, place)
    return SILENT
  },
  complete: completions,
  compgen: completions,
}

const namesUnset = (text: string, { state }: Call): boolean =>
  [...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].some(([, name = '']) => !state.variables.has(name))

function ending({ state }: Call, well: boolean): Handled {
  ranSurely(state, well)
  return SILENT
}

/** What a function or a loop is left with counts where it ends. */
function leave({ state }: Call): Handled {
  state.left = unite(state.left, state.standing.now)
  ranLast(state)
  return SILENT
}

function lose(call: Call): Handled {
  call.state.cwd = undefined
  moveTo(undefined, call.state, call.run)
  return SILENT
}

function changeDirectory(call: Call): Handled {
  const [target] = parseArguments(call.args, readOptions('')).operands
  const { state } = call
  const lost = target && (!isKnown(target.listed ?? target.text) || target.glob || target.text === '-')
  moveTo(lost ? undefined : (target?.text ?? state.home), state, call.run)
  if (!target) state.cwd = state.home
  else if (!isKnown(target.text) || target.glob || target.text === '-') state.cwd = undefined
  else state.cwd = resolvePath(target.text, state)
  if ((state.cwd?.length ?? 0) > LONGEST_DIRECTORY) {
    call.run.findings.push(limitReached('led too deep', call.shown.slice(0, 120)))
    state.cwd = undefined
  }
  return SILENT
}

function runFile(call: Call): Handled {
  const [file, ...args] = call.args
  if (!file) return SILENT
  const piped = STDIN.test(file.text) || file.text === '-'
  const script = piped ? (call.wiring.stdin ?? stream(SOME)) : contentOf(file, call.state)
  if (script.text === SOME && !piped && followScript(file, args, call, 'sourced')) return settled(stream(SOME))
  return settled(runScript(script, call, args))
}

function declareAliases(call: Call): Handled {
  for (const { text } of call.args) {
    const equals = text.indexOf('=')
    if (equals <= 0) continue
    const name = text.slice(0, equals)
    const body = text.slice(equals + 1)
    // It will run in this shell sooner or later.
    const guessed = guessing(call.run, (run) =>
      runScript(stream(body), { ...call, run, label: name, state: { ...call.state, aliases: new Map() } }),
    )
    call.state.aliases.set(name, { text: body, guessed })
  }
  return SILENT
}

function declareVariables(call: Call, shell: Shell): Handled {
  const { operands, flags } = parseArguments(call.args, readOptions(''))
  evaluateSubscripts(call, shell)
  const has = (letter: string) => flags.some(({ name }) => name === letter)
  if (has('i')) report(call.run, 'unknown', COUNTS, call.shown)
  const exported = call.name === 'export' || has('x')
  for (const word of operands) {
    const equals = word.text.indexOf('=')
    const name = equals > 0 ? word.text.slice(0, equals).replace(/\+$/, '') : word.text
    const earlier = call.state.variables.get(name)?.[0]
    const value = equals > 0 ? field(word.text.slice(equals + 1), word.taints) : earlier
    // What stands there unquoted is an assignment, and was judged as one.
    if (equals > 0 && earlier?.text !== value?.text) call.state.variables.set(name, [value ?? field('')])
    if (value && (equals > 0 ? earlier?.text !== value.text : exported))
      judgeAssignment(name, value, exported, call.state, call.run, call.wiring, call.shown)
    // Another name for a variable: what that holds now.
    if (equals > 0 && has('n') && isKnown(word.text))
      call.state.variables.set(word.text.slice(0, equals), readParameter(word.text.slice(equals + 1), shell))
  }
  const dumps = operands.length === 0 || has('p')
  if (dumps) return unsettled(stream(SOME, ['environment']))
  return SILENT
}

const COUNTS = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It makes a variable one that calculates whatever it is given.',
} as const

/** `a[$(…)]` is evaluated by every builtin that takes the name of a variable. */
function evaluateSubscripts(call: Call, shell: Shell): Handled {
  for (const { text } of call.args)
    if (isSubscript(text)) shell.evaluateText(text)
    else if (!isKnown(text.replace(/=.*$/s, ''))) shell.calculate(text)
  return SILENT
}

/**
 * Bash looks `-v name` up and runs what stands in a subscript of the name; unknown words can bring both: `[ $(cat list) ]`. Zsh calculates
 * where numbers are compared.
 */
function evaluateTest(call: Call, shell: Shell): Handled {
  const words = call.name === '[' ? call.args.slice(0, -1) : call.args
  const texts = words.map(({ text }) => text)
  for (const [at, text] of texts.entries()) {
    const named = texts[at - 1] === '-v' || words[at]?.splits || !isOperand(texts, at)
    const compared = COMPARES_NUMBERS.test(texts[at - 1] ?? '') || COMPARES_NUMBERS.test(texts[at + 1] ?? '')
    if (isSubscript(text)) shell.evaluateText(text)
    else if ((named || compared) && !isKnown(text)) shell.calculate(text)
  }
  return SILENT
}

/** It stands alone, or beside an operator that takes it for text or a file. */
const isOperand = (texts: readonly string[], at: number): boolean =>
  texts.length === 1 ||
  COMPARES.test(texts[at + 1] ?? '') ||
  COMPARES.test(texts[at - 1] ?? '') ||
  LOOKS_AT.test(texts[at - 1] ?? '')

const COMPARES = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/
const LOOKS_AT = /^-[abcdefghknprstuwxzGLNOS]$/

function readVariables(call: Call, shell: Shell): Handled {
  evaluateSubscripts(call, shell)
  const args = parseArguments(call.args, readOptions('-a:d:i:n:N:p:t:u:'))
  const { operands } = args
  const stdin = inputOf(args, call)
  const line = stdin && isKnown(stdin.text) ? (stdin.text.split('\n')[0] ?? '') : SOME
  spendOnText(call.run, line.length, 16)
  const words = line.split(/\s+/)
  for (const [index, { text: name }] of operands.entries()) {
    const last = index === operands.length - 1
    const value = last ? words.slice(index).join(' ') : (words[index] ?? '')
    const unseen = line === SOME && stdin ? mixTaints(stdin.taints, ['listed']) : stdin?.taints
    const known = field(line === SOME ? SOME : value, unseen)
    const listed = line === SOME && operands.length === 1 ? onlyListed(stdin?.listed) : undefined
    setVariable(name, [listed === undefined ? known : { ...known, listed }], call)
  }
  return SILENT
}

/** What `-u` names, else the input. */
function inputOf(args: Arguments, { state, wiring }: Call): Stream | undefined {
  const [descriptor] = flagValues(args, 'u')
  return descriptor ? state.descriptors.get(descriptor.text) : wiring.stdin
}

function readLines(call: Call): Handled {
  const args = parseArguments(call.args, readOptions('-C:c:d:n:O:s:u:'))
  for (const callback of flagValues(args, 'C')) if (callback) runScript(callback, call)
  const stdin = inputOf(args, call)
  const lines = stdin && isKnown(stdin.text) ? stdin.text.replace(/\n$/, '').split('\n') : [SOME]
  const values = lines.map((line) => field(line, stdin?.taints))
  setVariable(args.operands[0]?.text ?? 'MAPFILE', values, call)
  return SILENT
}

function printVariable(call: Call, shell: Shell): Handled | undefined {
  const [flag, name, format, ...values] = call.args
  if (flag?.text !== '-v' || !name) return undefined
  if (isSubscript(name.text)) shell.evaluateText(name.text)
  const text = formatPrintf(
    format?.text ?? '',
    values.map((value) => value.text),
    (length) => spendOnText(call.run, length, 32),
  )
  setVariable(name.text, [field(text, mixTaints(...call.args.map((word) => word.taints)))], call)
  return SILENT
}

function setPositional(call: Call): Handled {
  if (call.args.length === 0) return unsettled(stream(SOME, ['environment']))
  if (call.args.some(({ text }) => EXPORTS_ALL.test(text) || EXPORTS_ALL.test(`-o ${text}`)))
    report(call.run, 'unknown', HANDS_ON, call.shown)
  const dashes = call.args.findIndex((word) => word.text === '--')
  if (dashes >= 0) call.state.positional = call.args.slice(dashes + 1)
  else if (!/^[-+]/.test(call.args[0]?.text ?? '')) call.state.positional = call.args
  return SILENT
}

/** Whatever is assigned later, or stands among the words of a command, reaches programs. */
const EXPORTS_ALL = /^-[a-zA-Z]*[ak]|^-o (?:allexport|keyword)$/
const HANDS_ON = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It hands variables on to every program that follows.',
} as const

function completions(call: Call, shell: Shell): Handled {
  const args = parseArguments(call.args, readOptions('-A:C:F:G:P:S:W:X:o:'))
  for (const words of flagValues(args, 'W')) if (words) shell.evaluateText(words.text)
  for (const command of flagValues(args, 'C')) if (command) runScript(command, call)
  return hasFlag(args, 'W|C') ? unsettled(stream(SOME)) : settled(stream(SOME))
}

/** A builtin that sets a variable does what an assignment does. */
function setVariable(name: string, values: readonly Field[], call: Call): void {
  call.state.variables.set(name, values)
  judgeAssignment(name, values[0] ?? field(''), false, call.state, call.run, call.wiring, call.shown)
}

function join(words: readonly Field[]): Stream {
  return stream(words.map((word) => word.text).join(' '), mixTaints(...words.map((word) => word.taints)))
}
