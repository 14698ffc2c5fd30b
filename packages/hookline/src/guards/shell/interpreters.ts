import {
  flagValues,
  hasFlag,
  type Interpreter,
  interpreterNamed,
  isFlag,
  isShell,
  parseArguments,
  readOptions,
  shellRow,
} from '../../shell/index.ts'
import { judgeCode } from './code.ts'
import { followScript } from './disk.ts'
import { report } from './findings.ts'
import { isHidingPlace, resolvePath } from './places.ts'
import { runScript, runText } from './scripts.ts'
import { isKnown, SOME, type Stream, stream } from './text.ts'
import { type Arguments, type Call, type Danger, type Handled, settled, unsettled } from './types.ts'
import { contentOf, STDIN } from './written.ts'

/** Runs what a shell or another interpreter is given, wherever it is given. */
export function interpret(call: Call): Handled | undefined {
  if (isShell(call.name)) return runShell(call)
  const interpreter = interpreterNamed(call.name)
  return interpreter && !interpreter.judgedApart ? runInterpreter(interpreter, call) : undefined
}

function runShell(call: Call): Handled {
  const args = parseArguments(call.args, readOptions(shellRow.options), true)
  const { operands } = args
  if (hasFlag(args, 'n') && !call.args.some(({ text }) => /^[+]/.test(text))) return settled(stream(''))
  if (/^--(?:version|help)$/.test(call.args[0]?.text ?? '')) return settled(stream(''))
  for (const file of flagValues(args, shellRow.loads ?? '')) if (file) runScript(contentOf(file, call.state), call)
  if (hasFlag(args, shellRow.code)) {
    const [script, zero, ...positional] = operands
    const state = zero ? { ...call.state, variables: new Map(call.state.variables).set('0', [zero]) } : call.state
    if (script?.taints.includes('fed')) report(call.run, 'destructive', RUNS_LISTED, call.shown)
    const label = `${call.name} -c`
    return script ? settled(runText(script, { ...call, state, label }, positional)) : unsettled(stream(SOME))
  }
  const [file, ...positional] = operands
  if (file && !hasFlag(args, 's') && file.text !== '-') {
    if (file.taints.includes('fed')) report(call.run, 'destructive', RUNS_LISTED, call.shown)
    else if (file.taints.includes('listed')) report(call.run, 'destructive', RUNS_FOUND, call.shown)
    if (isHidingPlace(resolvePath(file.text, call.state) ?? ''))
      report(call.run, 'destructive', RUNS_HIDDEN, call.shown)
    const script = STDIN.test(file.text) ? (call.wiring.stdin ?? stream(SOME)) : contentOf(file, call.state)
    if (script.text === SOME && followScript(file, positional, call, 'shell')) return settled(stream(SOME))
    return settled(runScript(script, call, positional))
  }
  return runFromInput(call)
}

function runFromInput(call: Call): Handled {
  const { stdin, piped } = call.wiring
  if (!stdin) {
    const raised = call.run.inside.some((each) => /^(?:sudo|doas|pkexec|run0|gosu|su)\b/.test(each))
    if (raised || hasFlag(parseArguments(call.args, readOptions(shellRow.options), true), 'p'))
      report(call.run, 'destructive', OPENS_SHELL, call.shown)
    return unsettled(stream(SOME))
  }
  if (!isKnown(stdin.text) && stdin.text.length === 1 && piped) report(call.run, 'destructive', RUNS_PIPED, call.shown)
  // Whoever writes to it later writes what this shell runs.
  if (stdin.file !== undefined)
    call.state.readers.set(
      stdin.file,
      (input) => void runText(input, { ...call, wiring: { ...call.wiring, stdin: undefined } }),
    )
  return settled(runText(stdin, call))
}

function runInterpreter(interpreter: Interpreter, call: Call): Handled | undefined {
  const isCode = interpreter.operand === 'code'
  const args = parseArguments(call.args, readOptions(interpreter.options), !isCode)
  if (isInert(interpreter, args)) return undefined
  const [operand] = args.operands
  const evaluates = operand !== undefined && operand.text === interpreter.codeWord
  const given: (Stream | undefined)[] = flagValues(args, interpreter.code)
  if (given.length === 0 && (evaluates || isCode)) given.push(evaluates ? args.operands[1] : operand)
  // python -m runs a module, and its input is data.
  if (interpreter.module && hasFlag(args, interpreter.module) && given.length === 0) return undefined
  if (given.length === 0 && operand?.taints.includes('listed')) report(call.run, 'destructive', RUNS_FOUND, call.shown)
  if (given.length === 0 && operand && operand.text !== '-')
    given.push(STDIN.test(operand.text) ? call.wiring.stdin : writtenScript(call, operand))
  if (given.length === 0 && !isCode && call.wiring.stdin) {
    if (call.wiring.stdin.text === SOME && call.wiring.piped) report(call.run, 'destructive', RUNS_PIPED, call.shown)
    given.push(call.wiring.stdin)
  }
  const label = hasFlag(args, interpreter.code) ? `${call.name} -${interpreter.code.split('|')[0]}` : call.name
  for (const code of given) if (code) judgeCode(code, { ...call, label })
  return undefined
}

/** `node --version` runs nothing. Behind a program, `--version` is an argument of that program. */
function isInert({ inert = '', code }: Interpreter, { flags }: Arguments): boolean {
  const program = flags.findIndex(({ name }) => isFlag(name, code))
  return hasFlag({ flags: program < 0 ? flags : flags.slice(0, program) }, inert)
}

/** A script file counts as code only when this line has written it. */
function writtenScript(call: Call, file: Parameters<typeof contentOf>[0]): Stream | undefined {
  const content = contentOf(file, call.state)
  return content.text === SOME && content.taints.length === 0 ? undefined : content
}

/** For whatever is typed next, where nobody looks. */
const OPENS_SHELL: Danger = {
  category: 'privilege',
  radius: 'high',
  reason: 'It opens a shell with the rights of another user.',
}
const RUNS_LISTED: Danger = {
  category: 'hidden-exec',
  radius: 'high',
  reason: 'It runs whatever it is fed as shell commands.',
}
const RUNS_HIDDEN: Danger = {
  category: 'hidden-exec',
  radius: 'medium',
  reason: 'It runs a script from where files are put that nobody is to find.',
}
const RUNS_FOUND: Danger = {
  category: 'hidden-exec',
  radius: 'medium',
  reason: 'It runs every script that it finds, whatever is in them.',
}
const RUNS_PIPED: Danger = {
  category: 'hidden-exec',
  radius: 'high',
  reason: 'It runs whatever the command before it prints.',
}
