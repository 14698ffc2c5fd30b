import {
  type AndOr,
  type CommandNode,
  type CompoundCommand,
  type CompoundList,
  type Function as FunctionNode,
  type ParsedScript,
  type Pipeline,
  parseExpansions,
  parseShell,
  type Statement,
  type TestExpression,
  type Word,
} from '../../shell/syntax/index.ts'
import { judgeAssignment } from './assignments.ts'
import { runCommand } from './command.ts'
import { expandArithmetic, expandWord } from './expand.ts'
import { DEEPEST_NESTING, limitReached, MOST_ROUNDS, report } from './findings.ts'
import { isUnboundedSpawn, spawnsItself } from './forks.ts'
import { isSubscript } from './parameters.ts'
import { applyRedirects, finishRedirects } from './redirects.ts'
import { walkSimple } from './simple.ts'
import { clip, type Field, field, isKnown, mixTaints, render, SOME, type Stream, stream, UNTAINTED } from './text.ts'
import type { Run, Shell, State, Walker, Wiring } from './types.ts'

type Node = Statement | AndOr | Pipeline | CommandNode | CompoundList

export const walker: Walker = { script: walkText, words: callWords, function: callFunction }

/** Judges every command of a script, in order; gives back what the script would print. */
function walkText(script: Stream, state: State, run: Run, wiring: Wiring): Stream {
  if (run.depth >= DEEPEST_NESTING) {
    run.findings.push(limitReached('nested too deep', script.text.slice(0, 120)))
    return stream(SOME)
  }
  const parsed = parseShell(script.text)
  if (parsed.tooDeep) run.findings.push(limitReached('nested too deep', script.text.slice(0, 120)))
  if (parsed.broken) report(run, 'unknown', UNPARSABLE, script.text)
  if (!isKnown(script.text)) report(run, 'unknown', HALF_KNOWN, script.text)
  if (parsed.broken || !isKnown(script.text)) run.reading.certain = false
  const deeper = { ...run, depth: run.depth + 1 }
  const outputs = parsed.scripts.map(({ script: each, source }) => walkScript(each, source, state, deeper, wiring))
  return joinOutputs(outputs)
}

const UNPARSABLE = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'It is not well-formed shell, so what it would do is not certain.',
} as const
const HALF_KNOWN = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'Part of the script is only known when it runs.',
} as const

function walkScript(script: ParsedScript, source: string, state: State, run: Run, wiring: Wiring): Stream {
  if (script.errors?.length) {
    report(run, 'unknown', UNPARSABLE, source)
    run.reading.certain = false
  }
  const shell = openShell(state, run, source)
  return joinOutputs(script.commands.map((statement) => walk(statement, shell, wiring)))
}

function openShell(state: State, run: Run, source: string): Shell {
  return {
    state,
    run,
    source,
    evaluate(script, inner, stdin) {
      if (!script) return stream(SOME)
      const wiring: Wiring = { stdin, captured: true, background: false, piped: stdin !== undefined }
      if (run.depth >= DEEPEST_NESTING) {
        run.findings.push(limitReached('nested too deep', inner.slice(script.pos, script.end)))
        return stream(SOME)
      }
      const deeper = { ...run, depth: run.depth + 1 }
      const output = walkScript(script, script.source ?? inner, fork(state), deeper, wiring)
      return output
    },
    evaluateText(text) {
      const parsed = parseExpansions(text)
      const outputs = parsed.scripts.map((each) => walkScript(each.script, each.source, fork(state), run, QUIET))
      return joinOutputs(outputs).text.replace(/\n+$/, '')
    },
  }
}

function walk(node: Node, shell: Shell, wiring: Wiring): Stream {
  switch (node.type) {
    case 'Statement':
      return walk(node.command, shell, node.background ? { ...wiring, background: true } : wiring)
    case 'CompoundList':
    case 'AndOr':
      return joinOutputs(node.commands.map((each) => walk(each, shell, wiring)))
    case 'Pipeline':
      return walkPipeline(node, shell, wiring)
    case 'Command':
      return walkSimple(node, shell, wiring)
    case 'Function':
      return declareFunction(node, shell)
    case 'Coproc':
      return walk(node.body, { ...shell, state: fork(shell.state) }, { ...wiring, background: true })
    case 'Redirected': {
      const redirects = applyRedirects(node.redirects, shell, wiring, shell.source.slice(node.pos, node.end))
      const output = walk(node.command, shell, redirects.wiring)
      return finishRedirects(redirects, output, shell)
    }
    default:
      return walkCompound(node, shell, wiring)
  }
}

function walkPipeline(node: Pipeline, shell: Shell, wiring: Wiring): Stream {
  const last = node.commands.length - 1
  let flowing = wiring.stdin
  for (const [index, stage] of node.commands.entries()) {
    const inner = last > 0 ? { ...shell, state: fork(shell.state) } : shell
    const captured = index < last || wiring.captured
    const piped = last > 0 || wiring.piped
    flowing = walk(stage, inner, { ...wiring, stdin: flowing, captured, piped })
    for (const [path, content] of inner.state.files) shell.state.files.set(path, content)
  }
  return flowing ?? stream('')
}

function walkCompound(node: CompoundCommand, shell: Shell, wiring: Wiring): Stream {
  switch (node.type) {
    case 'BraceGroup':
      return walk(node.body, shell, wiring)
    case 'Subshell': {
      const inner = fork(shell.state)
      const output = walk(node.body, openShell(inner, shell.run, shell.source), wiring)
      for (const [path, content] of inner.files) shell.state.files.set(path, content)
      return output
    }
    case 'If': {
      const branches = [node.clause, node.then, ...node.elif.flatMap((each) => [each.clause, each.then])]
      if (node.else) branches.push(node.else)
      return joinOutputs(branches.map((branch) => walk(branch, shell, wiring)))
    }
    case 'While': {
      if (isUnboundedSpawn(node)) report(shell.run, 'destructive', SPAWN_LOOP, shell.source.slice(node.pos, node.end))
      walk(node.clause, shell, wiring)
      return walk(node.body, shell, wiring)
    }
    case 'For':
    case 'Select':
      return walkFor(node, shell, wiring)
    case 'ArithmeticFor': {
      for (const part of [node.initialize, node.test, node.update]) if (part) expandArithmetic(part, shell)
      if (isUnboundedSpawn(node)) report(shell.run, 'destructive', SPAWN_LOOP, shell.source.slice(node.pos, node.end))
      return walk(node.body, shell, wiring)
    }
    case 'Case': {
      expandWord(node.word, shell)
      for (const pattern of node.items.flatMap((item) => item.pattern)) expandWord(pattern, shell)
      return joinOutputs(node.items.map((item) => walk(item.body, shell, wiring)))
    }
    case 'ArithmeticCommand':
      expandArithmetic(node.expression, shell)
      return stream('')
    case 'TestCommand':
      walkTest(node.expression, shell)
      return stream('')
  }
}

const SPAWN_LOOP = {
  category: 'process',
  radius: 'high',
  reason: 'It starts processes in an endless loop until the machine stops responding.',
} as const

function walkFor(node: CompoundCommand & { type: 'For' | 'Select' }, shell: Shell, wiring: Wiring): Stream {
  const listed = node.wordlist?.flatMap((word) => expandWord(word, shell)) ?? shell.state.positional
  const rounds: Field[] = listed.slice(0, MOST_ROUNDS)
  if (listed.length > MOST_ROUNDS || node.type === 'Select') rounds.push(field(SOME))
  const outputs = rounds.map((value) => {
    shell.state.variables.set(node.name.value, [value])
    judgeAssignment(node.name.value, value, false, shell.state, shell.run, wiring, `for ${node.name.value}`)
    return walk(node.body, shell, wiring)
  })
  // A list that is empty now may not be when it runs.
  if (rounds.length === 0) outputs.push(walk(node.body, shell, wiring))
  return joinOutputs(outputs)
}

function declareFunction(node: FunctionNode, shell: Shell): Stream {
  const { run, source, state } = shell
  const name = node.name.value
  state.functions.set(name, { node, source })
  if (spawnsItself(node)) report(run, 'destructive', FORK_BOMB, source)
  // It will be called sooner or later, with arguments nobody knows yet.
  callFunction(name, Array(9).fill(field(SOME)), fork(state), run, { ...QUIET, stdin: stream(SOME) })
  return stream('')
}

const QUIET: Wiring = { stdin: undefined, captured: true, background: false, piped: false }

const FORK_BOMB = {
  category: 'process',
  radius: 'high',
  reason: 'It is a fork bomb: it copies itself until the machine stops responding.',
} as const

/** Runs the body of a function the line declared. */
function callFunction(name: string, args: readonly Field[], state: State, run: Run, wiring: Wiring): Stream {
  const declared = state.functions.get(name)
  if (!declared || run.calls.includes(name)) return stream(SOME)
  const inner = { ...run, calls: [...run.calls, name], depth: run.depth + 1 }
  const outer = state.positional
  state.positional = args
  const output = walk(declared.node.body, openShell(state, inner, declared.source), wiring)
  state.positional = outer
  return output
}

/** Judges words that become a command of their own, with nothing more to expand. */
function callWords(words: readonly Field[], state: State, run: Run, wiring: Wiring): Stream {
  if (run.depth >= DEEPEST_NESTING) {
    run.findings.push(limitReached('nested too deep', render(words.slice(0, 12))))
    return stream(SOME)
  }
  return runCommand(words, openShell(state, { ...run, depth: run.depth + 1 }, ''), wiring, undefined)
}

function fork(state: State): State {
  return {
    ...state,
    variables: new Map(state.variables),
    functions: new Map(state.functions),
    aliases: new Map(state.aliases),
    files: new Map(state.files),
    links: new Map(state.links),
  }
}

function joinOutputs(outputs: readonly Stream[]): Stream {
  const present = outputs.filter((output) => output.text !== '' || output.taints.length > 0)
  if (present.length <= 1) return present[0] ?? { text: '', taints: UNTAINTED }
  const text = present.map((output) => output.text).join('')
  return stream(clip(text), mixTaints(...present.map((output) => output.taints)))
}

/** `[[ … ]]`: harmless, except that subscripts and arithmetic comparisons are evaluated as code. */
function walkTest(expression: TestExpression, shell: Shell): void {
  switch (expression.type) {
    case 'TestUnary':
      expandOperand(expression.operand, shell)
      return
    case 'TestBinary':
      expandOperand(expression.left, shell)
      expandOperand(expression.right, shell)
      return
    case 'TestLogical':
      for (const each of expression.operands) walkTest(each, shell)
      return
    case 'TestNot':
      walkTest(expression.operand, shell)
      return
    case 'TestGroup':
      walkTest(expression.expression, shell)
      return
  }
}

function expandOperand(word: Word, shell: Shell): void {
  for (const { text } of expandWord(word, shell)) if (isSubscript(text)) shell.evaluateText(text)
}
