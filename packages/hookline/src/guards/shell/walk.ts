import {
  type CompoundCommand,
  type Coproc,
  type Function as FunctionNode,
  type ParsedScript,
  type Pipeline,
  parseExpansions,
  parseShell,
  type Statement,
} from '../../shell/syntax/index.ts'
import { judgeAssignment } from './assignments.ts'
import { walkAndOr, walkChoices, walkIf } from './branches.ts'
import { spend } from './budget.ts'
import { runCommand } from './command.ts'
import { walkTest } from './conditions.ts'
import { RUNS_DOWNLOAD } from './dangers.ts'
import { goOn, ranSomehow, unite } from './directories.ts'
import { calculateText, expandArithmetic, expandWord } from './expand.ts'
import { DEEPEST_NESTING, limitReached, report } from './findings.ts'
import { fork, joinOutputs, keepFiles } from './forked.ts'
import { spawnsItself, startsItself } from './forks.ts'
import { walkCounting, walkFor, walkWhile } from './loops.ts'
import { applyRedirects, finishRedirects } from './redirects.ts'
import type { Guess } from './seen.ts'
import { walkSimple } from './simple.ts'
import { CUT, type Field, field, isKnown, MAYBE, render, SOME, type Stream, stream } from './text.ts'
import { doubt, guessing, within } from './trace.ts'
import type { Node, Run, Shell, State, Walker, Wiring } from './types.ts'

export const walker: Walker = { script: walkText, words: callWords, function: callFunction, node: walk }

/** Judges every command of a script, in order; gives back what the script would print. */
function walkText(script: Stream, state: State, run: Run, wiring: Wiring): Stream {
  if (run.depth >= DEEPEST_NESTING) {
    run.findings.push(limitReached('nested too deep', script.text.slice(0, 120)))
    return stream(SOME)
  }
  if (script.text.includes(CUT)) run.findings.push(limitReached('made of too long texts', script.text.slice(0, 120)))
  const parsed = parseShell(script.text, (cost) => spend(run, cost / 2))
  if (parsed.tooDeep) run.findings.push(limitReached('nested too deep', script.text.slice(0, 120)))
  if (parsed.broken) report(run, 'unknown', UNPARSABLE, script.text)
  if (parsed.broken && FOREIGN_SHELL.test(script.text)) report(run, 'destructive', RUNS_DOWNLOAD, script.text)
  if (!isKnown(script.text)) report(run, 'unknown', HALF_KNOWN, script.text)
  if (parsed.broken || !isKnown(script.text)) run.reading.certain = false
  if (parsed.broken) doubt(run, UNPARSABLE.reason)
  if (!isKnown(script.text)) doubt(run, HALF_KNOWN.reason)
  const deeper = { ...run, depth: run.depth + 1 }
  const outputs = parsed.scripts.map(({ script: each, source }) => walkScript(each, source, state, deeper, wiring))
  return joinOutputs(outputs, run)
}

/** PowerShell that fetches and runs; no shell of ours can parse it. */
const FOREIGN_SHELL =
  /\b(?:iex|invoke-expression)\b[\s\S]*\b(?:downloadstring|irm|iwr|invoke-webrequest|invoke-restmethod)\b/i
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
    // What the parser did not follow is not broken: it is unread.
    if (script.errors.some(({ message }) => /depth exceeded/.test(message)))
      run.findings.push(limitReached('nested too deep', source.slice(0, 120)))
    report(run, 'unknown', UNPARSABLE, source)
    run.reading.certain = false
    doubt(run, UNPARSABLE.reason)
  }
  if (/\$\{?(?:0|BASH_SOURCE)\b/.test(source) && startsItself(script, source, run))
    report(run, 'destructive', FORK_BOMB, source)
  const shell = openShell(state, run, source)
  return joinOutputs(
    script.commands.map((statement) => walkNext(statement, shell, wiring)),
    run,
  )
}

function openShell(state: State, run: Run, source: string): Shell {
  const shell: Shell = {
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
      return walkScript(script, script.source ?? inner, fork(state, run), deeper, wiring)
    },
    evaluateText(text) {
      const parsed = parseExpansions(text, (cost) => spend(run, cost))
      if (parsed.tooDeep) run.findings.push(limitReached('nested too deep', text.slice(0, 120)))
      const outputs = parsed.scripts.map((each) => walkScript(each.script, each.source, fork(state, run), run, QUIET))
      return joinOutputs(outputs, run).text.replace(/\n+$/, '')
    },
    calculate: (text) => calculateText(text, shell),
    assign(name, value) {
      state.variables.set(name, [value])
      judgeAssignment(name, value, false, state, run, QUIET, `${name}=${value.text}`)
    },
  }
  return shell
}

/** One of several in a row: it runs however the one before it went. */
function walkNext(node: Node, shell: Shell, wiring: Wiring): Stream {
  goOn(shell.state)
  return walk(node, shell, wiring)
}

function walk(node: Node, shell: Shell, wiring: Wiring): Stream {
  spend(shell.run, 1)
  switch (node.type) {
    case 'Statement':
      return node.background ? walkInBackground(node, shell, wiring) : walk(node.command, shell, wiring)
    case 'CompoundList':
      return joinOutputs(
        node.commands.map((each) => walkNext(each, shell, wiring)),
        shell.run,
      )
    case 'AndOr':
      return walkAndOr(node, shell, wiring)
    case 'Pipeline':
      return walkPipeline(node, shell, wiring)
    case 'Command':
      return walkSimple(node, shell, wiring)
    case 'Function':
      return declareFunction(node, shell)
    case 'Coproc':
      return walkCoprocess(node, shell, wiring)
    case 'Redirected': {
      const redirects = applyRedirects(node.redirects, shell, wiring, shell.source.slice(node.pos, node.end))
      const output = walk(node.command, shell, redirects.wiring)
      return finishRedirects(redirects, output, shell)
    }
    default:
      return walkCompound(node, shell, wiring)
  }
}

/** A shell of its own, that the line talks to by two descriptors: what is written to it is its input. */
function walkCoprocess(node: Coproc, shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const given = (stdin: Stream | undefined) => {
    const inner = openShell(fork(state, shell.run), shell.run, shell.source)
    return walk(node.body, inner, { ...wiring, stdin, captured: false, background: true, piped: true })
  }
  const output = given(undefined)
  state.variables.set(node.name?.value ?? 'COPROC', [field(COPROCESS_PRINTS), field(COPROCESS_READS)])
  state.descriptors.set(COPROCESS_PRINTS, output)
  state.readers.set(COPROCESS_READS, given)
  return stream('')
}

const COPROCESS_PRINTS = '63'
const COPROCESS_READS = '60'

/** A shell of its own: a `cd` in it leads nowhere. */
function walkInBackground(node: Statement, shell: Shell, wiring: Wiring): Stream {
  const inner = fork(shell.state, shell.run)
  const output = walk(node.command, openShell(inner, shell.run, shell.source), { ...wiring, background: true })
  keepFiles(inner, shell)
  return output
}

function walkPipeline(node: Pipeline, shell: Shell, wiring: Wiring): Stream {
  const last = node.commands.length - 1
  let flowing = wiring.stdin
  for (const [index, stage] of node.commands.entries()) {
    const inner = last > 0 ? { ...shell, state: fork(shell.state, shell.run) } : shell
    const captured = index < last || wiring.captured
    const piped = last > 0 || wiring.piped
    flowing = walk(stage, inner, { ...wiring, stdin: flowing, captured, piped })
    if (inner !== shell) keepFiles(inner.state, shell)
  }
  if (last > 0) ranSomehow(shell.state)
  if (node.prefixes.some(({ type }) => type === 'Negation')) {
    const { now, ifDone, ifFailed } = shell.state.standing
    shell.state.standing = { now, ifDone: ifFailed, ifFailed: ifDone }
  }
  return flowing ?? stream('')
}

function walkCompound(node: CompoundCommand, shell: Shell, wiring: Wiring): Stream {
  switch (node.type) {
    case 'BraceGroup':
      return walk(node.body, shell, wiring)
    case 'Subshell': {
      const inner = fork(shell.state, shell.run)
      const output = walk(node.body, openShell(inner, shell.run, shell.source), wiring)
      keepFiles(inner, shell)
      ranSomehow(shell.state)
      return output
    }
    case 'If':
      return walkIf(node, shell, wiring)
    case 'While':
      return walkWhile(node, shell, wiring)
    case 'For':
    case 'Select':
      return walkFor(node, shell, wiring)
    case 'ArithmeticFor':
      return walkCounting(node, shell, wiring)
    case 'Case': {
      expandWord(node.word, shell)
      for (const pattern of node.items.flatMap((item) => item.pattern)) expandWord(pattern, shell)
      return walkChoices(
        node.items.map((item) => item.body),
        shell,
        wiring,
      )
    }
    case 'ArithmeticCommand':
      expandArithmetic(node.expression, shell)
      walkAsSubshell(shell.source.slice(node.pos + 2, node.end - 2), shell, wiring)
      ranSomehow(shell.state)
      return stream('')
    case 'TestCommand':
      walkTest(node.expression, shell)
      ranSomehow(shell.state)
      return stream('')
  }
}

/** `((rm -rf x))` is arithmetic in bash, and a subshell in a subshell where the shell has no such command. */
function walkAsSubshell(body: string, { state, run }: Shell, wiring: Wiring): void {
  if (NO_ARITHMETIC.test(body)) run.walker.script(stream(body), fork(state, run), run, wiring)
}
const NO_ARITHMETIC = /[\w)\]}"']\s+[\w~"'.$\\]|(?:^|[\s(;&|])[.~]{0,2}\/|;/

/** A shell of its own, to walk the body in. */
const STEPS_OF_FUNCTION = 16

function declareFunction(node: FunctionNode, shell: Shell): Stream {
  const { run, source, state } = shell
  const name = node.name.value
  spend(run, STEPS_OF_FUNCTION)
  const guessed: Guess = { trace: run.trace, called: false }
  state.functions.set(name, { node, source, guessed })
  if (spawnsItself(node, state.functions, run)) report(run, 'destructive', FORK_BOMB, source)
  // It will be called sooner or later, with arguments nobody knows yet.
  const guess = guessing(run, (inner) =>
    callFunction(name, Array(9).fill(field(SOME)), fork(state, run), inner, { ...QUIET, stdin: stream(SOME) }),
  )
  state.functions.set(name, { node, source, guessed: guess })
  return stream('')
}

const QUIET: Wiring = { stdin: undefined, captured: true, background: false, piped: false }

const FORK_BOMB = {
  category: 'process',
  radius: 'high',
  reason: 'It is a fork bomb: it copies itself until the machine stops responding.',
} as const

const MOST_RECURSION = 3

/** Runs the body of a function the line declared. */
function callFunction(name: string, args: readonly Field[], state: State, run: Run, wiring: Wiring): Stream {
  const declared = state.functions.get(name)
  // A function may declare another one of its own name, and call that.
  const body = `${name} ${declared?.node.pos} ${declared?.source.length} `
  const called = body + render(args)
  // Called again in itself, it may do something else with other arguments; as often as it takes to see what.
  const again = run.calls.filter((each) => each.startsWith(body)).length
  if (!declared || run.calls.includes(called) || again > MOST_RECURSION) return stream(SOME)
  // It was walked like that where it was declared.
  if (run.guessing && run.calls.length > 0 && args.every(({ text }) => text === SOME || text === MAYBE))
    return stream(SOME)
  declared.guessed.called = true
  const inner = { ...within(run, name), calls: [...run.calls, called], depth: run.depth + 1 }
  const outer = state.positional
  state.positional = args
  const left = state.left
  state.left = []
  const output = walk(declared.node.body, openShell(state, inner, declared.source), wiring)
  state.positional = outer
  const { now, ifDone, ifFailed } = state.standing
  state.standing = {
    now: unite(now, state.left),
    ifDone: unite(ifDone, state.left),
    ifFailed: unite(ifFailed, state.left),
  }
  state.left = left
  return output
}

/** Judges words that become a command of their own, with nothing more to expand. */
function callWords(words: readonly Field[], state: State, run: Run, wiring: Wiring, any = false): Stream {
  if (run.depth >= DEEPEST_NESTING) {
    run.findings.push(limitReached('nested too deep', render(words.slice(0, 12))))
    return stream(SOME)
  }
  const shell = openShell(state, { ...run, depth: run.depth + 1 }, '')
  return runCommand(words, shell, wiring, undefined, { program: !any })
}
