import { flagValues, hasFlag, parseArguments, readOptions } from './arguments.ts'
import { runScript, runText } from './builtins.ts'
import { type Handled, settled, unsettled } from './calls.ts'
import { judgeCode } from './code.ts'
import { contentOf } from './redirects.ts'
import { report } from './report.ts'
import { isKnown, SOME, type Stream, stream } from './text.ts'
import type { Call, Danger } from './types.ts'

const SHELLS = new Set('sh bash zsh dash ksh mksh ash fish csh tcsh rbash yash elvish nu xonsh'.split(' '))
const SHELL_OPTIONS = readOptions('-o:O: --rcfile= --init-file=')

interface Interpreter {
  names: string
  options: string
  /** Options whose value is code. */
  code: string
  /** The first operand is code itself. */
  codeOperand?: boolean
  /** Options after which nothing is run. */
  inert?: string
}

/** Languages whose one-liners are looked into. */
const INTERPRETERS: readonly Interpreter[] = [
  { names: 'python python2 pypy ipython', options: '-c:m:W:X:', code: 'c', inert: 'V|h|--version|--help' },
  { names: 'perl', options: '-e:E:I:M:m:i:F:0:', code: 'e|E', inert: 'v|V|c|--version|--help' },
  { names: 'ruby irb', options: '-e:I:r:C:', code: 'e', inert: 'v|c|--version|--help' },
  {
    names: 'node nodejs bun deno tsx ts-node',
    options: '-e:p:r: --eval= --print= --require= --import=',
    code: 'e|p|--eval|--print',
    inert: 'v|h|c|--version|--help|--check',
  },
  { names: 'php', options: '-r:B:R:E:F:f:d:c: --run=', code: 'r|B|R|E|--run', inert: 'v|i|l|m|--version|--help' },
  { names: 'lua luajit', options: '-e:l:', code: 'e', inert: 'v' },
  { names: 'osascript', options: '-e:l:s:', code: 'e' },
  { names: 'rscript r', options: '-e:', code: 'e', inert: '--version|--help' },
  { names: 'julia', options: '-e:E:L:p:t:', code: 'e|E', inert: 'v|h|--version|--help' },
  { names: 'groovy scala kotlin elixir erl tclsh guile sbcl', options: '-e:', code: 'e|--eval' },
  {
    names: 'awk gawk mawk nawk',
    options: '-F:v:f:e:E:i:l:o:p: --field-separator= --assign= --file=',
    code: 'e',
    codeOperand: true,
    inert: 'V|--version|--help',
  },
]
const BY_NAME = new Map(INTERPRETERS.flatMap((row) => row.names.split(' ').map((name) => [name, row] as const)))

export const interpreterNames = (): string[] => [...SHELLS, ...BY_NAME.keys()]

/** Runs what a shell or another interpreter is given, wherever it is given. */
export function interpret(call: Call): Handled | undefined {
  if (SHELLS.has(call.name)) return runShell(call)
  const interpreter = BY_NAME.get(call.name)
  return interpreter && runInterpreter(interpreter, call)
}

function runShell(call: Call): Handled {
  const args = parseArguments(call.args, SHELL_OPTIONS, true)
  const { operands } = args
  if (hasFlag(args, 'n')) return settled(stream(''))
  if (hasFlag(args, 'version|help|--version|--help')) return settled(stream(''))
  for (const file of flagValues(args, '--rcfile|--init-file')) if (file) runScript(contentOf(file, call.state), call)
  if (hasFlag(args, 'c')) {
    const [script, zero, ...positional] = operands
    const state = zero ? { ...call.state, variables: new Map(call.state.variables).set('0', [zero]) } : call.state
    if (script?.taints.includes('fed')) report(call.run, 'destructive', RUNS_LISTED, call.shown)
    return script ? settled(runText(script, { ...call, state }, positional)) : unsettled(stream(SOME))
  }
  const [file, ...positional] = operands
  if (file && !hasFlag(args, 's') && file.text !== '-') {
    if (file.taints.includes('fed')) report(call.run, 'destructive', RUNS_LISTED, call.shown)
    const script = file.text === '/dev/stdin' ? (call.wiring.stdin ?? stream(SOME)) : contentOf(file, call.state)
    return settled(runScript(script, call, positional))
  }
  return runFromInput(call)
}

function runFromInput(call: Call): Handled {
  const { stdin, piped } = call.wiring
  if (!stdin) return unsettled(stream(SOME))
  if (!isKnown(stdin.text) && stdin.text.length === 1 && piped) report(call.run, 'destructive', RUNS_PIPED, call.shown)
  return settled(runText(stdin, call))
}

function runInterpreter(interpreter: Interpreter, call: Call): Handled | undefined {
  const args = parseArguments(call.args, readOptions(interpreter.options), !interpreter.codeOperand)
  if (interpreter.inert && hasFlag(args, interpreter.inert)) return undefined
  const [operand] = args.operands
  const evaluates = (operand?.text === 'eval' && /^(?:deno|bun)$/.test(call.name)) || interpreter.codeOperand
  const given: (Stream | undefined)[] = flagValues(args, interpreter.code)
  if (given.length === 0 && evaluates) given.push(operand?.text === 'eval' ? args.operands[1] : operand)
  // python -m runs a module, and its input is data.
  if (hasFlag(args, 'm') && given.length === 0) return undefined
  if (given.length === 0 && operand && operand.text !== '-') given.push(writtenScript(call, operand))
  if (given.length === 0 && !interpreter.codeOperand && call.wiring.stdin) {
    if (call.wiring.stdin.text === SOME && call.wiring.piped) report(call.run, 'destructive', RUNS_PIPED, call.shown)
    given.push(call.wiring.stdin)
  }
  for (const code of given) if (code) judgeCode(code, call)
  return undefined
}

/** A script file counts as code only when this line has written it. */
function writtenScript(call: Call, file: Parameters<typeof contentOf>[0]): Stream | undefined {
  const content = contentOf(file, call.state)
  return content.text === SOME && content.taints.length === 0 ? undefined : content
}

const RUNS_LISTED: Danger = {
  category: 'hidden-exec',
  radius: 'high',
  reason: 'It runs whatever it is fed as shell commands.',
}
const RUNS_PIPED: Danger = {
  category: 'hidden-exec',
  radius: 'high',
  reason: 'It runs whatever the command before it prints.',
}
