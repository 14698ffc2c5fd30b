import {
  type AndOr,
  type CommandNode,
  type CompoundCommand,
  type CompoundList,
  type Coproc,
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
import { spend, spendOnText } from './budget.ts'
import { runCommand } from './command.ts'
import { goOn, perhaps, ranSomehow, standIn, unite } from './directories.ts'
import { linesOf } from './disk.ts'
import { expandArithmetic, expandWord } from './expand.ts'
import { DEEPEST_NESTING, limitReached, MOST_NUMBERS, report } from './findings.ts'
import { isUnboundedSpawn, mentions, SPAWN_LOOP, spawnsItself, startsItself } from './forks.ts'
import { isSubscript } from './parameters.ts'
import { applyRedirects, finishRedirects } from './redirects.ts'
import type { Directories, Guess } from './seen.ts'
import { secretsLike } from './sensitive.ts'
import { walkSimple } from './simple.ts'
import {
  CUT,
  clip,
  type Field,
  field,
  isKnown,
  mixTaints,
  render,
  SOME,
  type Stream,
  stream,
  UNTAINTED,
} from './text.ts'
import { doubt, guessing, within } from './trace.ts'
import type { Run, Shell, State, Walker, Wiring } from './types.ts'

type Node = Statement | AndOr | Pipeline | CommandNode | CompoundList

export const walker: Walker = { script: walkText, words: callWords, function: callFunction }

/** Judges every command of a script, in order; gives back what the script would print. */
function walkText(script: Stream, state: State, run: Run, wiring: Wiring): Stream {
  if (run.depth >= DEEPEST_NESTING) {
    run.findings.push(limitReached('nested too deep', script.text.slice(0, 120)))
    return stream(SOME)
  }
  if (script.text.includes(CUT)) run.findings.push(limitReached('made of too long texts', script.text.slice(0, 120)))
  const parsed = parseShell(script.text, (cost) => spend(run, cost))
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
const RUNS_DOWNLOAD = {
  category: 'remote-exec',
  radius: 'high',
  reason: 'It runs code that was just downloaded, unseen.',
} as const
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
      return walkScript(script, script.source ?? inner, fork(state, run), deeper, wiring)
    },
    evaluateText(text) {
      const parsed = parseExpansions(text, (cost) => spend(run, cost))
      if (parsed.tooDeep) run.findings.push(limitReached('nested too deep', text.slice(0, 120)))
      const outputs = parsed.scripts.map((each) => walkScript(each.script, each.source, fork(state, run), run, QUIET))
      return joinOutputs(outputs, run).text.replace(/\n+$/, '')
    },
  }
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

/** Each runs only if those before it went as it wants. */
function walkAndOr(node: AndOr, shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outputs: Stream[] = []
  for (const [index, each] of node.commands.entries()) {
    const operator = index === 0 ? undefined : node.operators[index - 1]
    if (operator === undefined) {
      outputs.push(walk(each, shell, wiring))
      continue
    }
    const { ifDone, ifFailed } = state.standing
    const certain = operator === '&&' ? ifFailed.length === 0 : ifDone.length === 0
    if (certain) {
      goOn(state)
      outputs.push(walk(each, shell, wiring))
      continue
    }
    const after = perhaps(
      state,
      operator === '&&' ? ifDone : ifFailed,
      () => outputs.push(walk(each, shell, wiring)),
      shell.run,
    )
    const done = operator === '&&' ? after.ifDone : unite(ifDone, after.ifDone)
    const failed = operator === '&&' ? unite(ifFailed, after.ifFailed) : after.ifFailed
    state.standing = { now: state.standing.now, ifDone: done, ifFailed: failed }
  }
  return joinOutputs(outputs, shell.run)
}

/** A shell of its own: a `cd` in it leads nowhere. */
function walkInBackground(node: Statement, shell: Shell, wiring: Wiring): Stream {
  const inner = fork(shell.state, shell.run)
  const output = walk(node.command, openShell(inner, shell.run, shell.source), { ...wiring, background: true })
  keepFiles(inner, shell)
  return output
}

/** What an inner shell writes stays. */
function keepFiles(inner: State, { state, run }: Shell): void {
  spend(run, inner.files.size >> 2)
  for (const [path, content] of inner.files) state.files.set(path, content)
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
    case 'While': {
      if (isUnboundedSpawn(node, shell.source, shell.run))
        report(shell.run, 'destructive', SPAWN_LOOP, shell.source.slice(node.pos, node.end))
      const clause = (given: Wiring) => () => void walk(node.clause, shell, given)
      const lines =
        shell.run.disk && mentions(node.clause, ['read'], shell.run) ? linesOf(wiring.stdin, shell.run) : undefined
      if (!lines) return walkLoop(node, shell, wiring, clause(wiring))
      const outputs = lines.slice(0, MOST_LINES).map((line) => {
        const given = { ...wiring, stdin: stream(`${line}\n`) }
        clause(given)()
        return walkRound(node.body, shell, given)
      })
      if (lines.length > MOST_LINES)
        outputs.push(walkLoop(node, shell, { ...wiring, stdin: stream(SOME) }, clause(wiring)))
      return joinOutputs(outputs, shell.run)
    }
    case 'For':
    case 'Select':
      return walkFor(node, shell, wiring)
    case 'ArithmeticFor': {
      if (isUnboundedSpawn(node, shell.source, shell.run))
        report(shell.run, 'destructive', SPAWN_LOOP, shell.source.slice(node.pos, node.end))
      const count = (part: typeof node.test) => part && void expandArithmetic(part, shell)
      count(node.initialize)
      return walkLoop(
        node,
        shell,
        wiring,
        () => count(node.test),
        () => count(node.update),
      )
    }
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

function walkIf(node: CompoundCommand & { type: 'If' }, shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outputs: Stream[] = []
  const ends: Directories[] = []
  const arms = [node, ...node.elif]
  for (const [index, { clause, then }] of arms.entries()) {
    // The first clause always runs, the others only where those before them failed.
    if (index === 0) outputs.push(walk(clause, shell, wiring))
    else
      state.standing = perhaps(
        state,
        state.standing.ifFailed,
        () => outputs.push(walk(clause, shell, wiring)),
        shell.run,
      )
    const { ifDone, ifFailed, now } = state.standing
    const after = perhaps(state, ifDone, () => outputs.push(walk(then, shell, wiring)), shell.run)
    ends.push(after.ifDone, after.ifFailed)
    state.standing = { now, ifDone: [], ifFailed }
  }
  const { now, ifFailed } = state.standing
  if (node.else) {
    const body = node.else
    const after = perhaps(state, ifFailed, () => outputs.push(walk(body, shell, wiring)), shell.run)
    ends.push(after.ifDone, after.ifFailed)
  } else ends.push(ifFailed)
  const all = unite(...ends)
  state.standing = all.length > 0 ? standIn(all) : { now, ifDone: [], ifFailed: [] }
  return joinOutputs(outputs, shell.run)
}

/** One of them runs, or none. */
function walkChoices(bodies: readonly CompoundList[], shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outputs: Stream[] = []
  goOn(state)
  const ends: Directories[] = [state.standing.now]
  for (const body of bodies) {
    const after = perhaps(state, state.standing.now, () => outputs.push(walk(body, shell, wiring)), shell.run)
    ends.push(after.ifDone, after.ifFailed)
  }
  state.standing = standIn(unite(...ends))
  return joinOutputs(outputs, shell.run)
}

/** The first round as it is; in later ones, whatever a round changes has a value that only the run knows. */
function walkLoop(
  { body }: { body: CompoundList },
  shell: Shell,
  wiring: Wiring,
  before: () => void,
  after: () => void = () => undefined,
): Stream {
  const { state } = shell
  const { variables } = state
  before()
  const entered = new Map(variables)
  const output = walkRound(body, shell, wiring)
  after()
  const changed = [...variables].filter(([name, value]) => entered.get(name) !== value).map(([name]) => name)
  spend(shell.run, variables.size >> 2)
  if (changed.length === 0) return output
  for (const name of changed) variables.set(name, [field(SOME)])
  before()
  return joinOutputs([output, walkRound(body, shell, wiring)], shell.run)
}

/** Once, or not at all; where it goes then, the next round and what follows the loop begin. */
function walkRound(body: CompoundList, shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outer = state.left
  goOn(state)
  const entry = state.standing.now
  state.left = []
  const output = walk(body, shell, wiring)
  const { ifDone, ifFailed } = state.standing
  const after = unite(entry, ifDone, ifFailed, state.left)
  // A round that goes elsewhere goes further with each: `cd ..` in a loop.
  state.standing = standIn(after.length > entry.length ? unite(after, [undefined]) : after)
  state.left = outer
  return output
}

/** `((rm -rf x))` is arithmetic in bash, and a subshell in a subshell where the shell has no such command. */
function walkAsSubshell(body: string, { state, run }: Shell, wiring: Wiring): void {
  if (NO_ARITHMETIC.test(body)) run.walker.script(stream(body), fork(state, run), run, wiring)
}
const NO_ARITHMETIC = /[\w)\]}"']\s+[\w~"'.$\\]|(?:^|[\s(;&|])[.~]{0,2}\/|;/

function walkFor(node: CompoundCommand & { type: 'For' | 'Select' }, shell: Shell, wiring: Wiring): Stream {
  const listed = node.wordlist?.flatMap((word) => expandWord(word, shell)) ?? shell.state.positional
  const numbers = listed.filter(({ text }) => /^\d+$/.test(text)).slice(MOST_NUMBERS)
  const left = new Set(numbers)
  const rounds: Field[] = left.size > 0 ? listed.filter((each) => !left.has(each)) : [...listed]
  if (left.size > 0 || node.type === 'Select') rounds.push(field(SOME))
  spend(shell.run, listed.length)
  const outputs = rounds.map((value) => {
    shell.state.variables.set(node.name.value, [value])
    judgeAssignment(node.name.value, value, false, shell.state, shell.run, wiring, `for ${node.name.value}`)
    return walkRound(node.body, shell, wiring)
  })
  for (const each of listed.filter(({ glob }) => glob).slice(0, MOST_NUMBERS)) walkSecret(each, node, shell, wiring)
  // A list that is empty now may not be when it runs.
  if (rounds.length === 0) outputs.push(walkRound(node.body, shell, wiring))
  return joinOutputs(outputs, shell.run)
}

/** Quoted in the body, a pattern is one name: `for f in .*; do cat "$f"; done` has its turn with each that it stands for. */
function walkSecret(
  pattern: Field,
  node: CompoundCommand & { type: 'For' | 'Select' },
  shell: Shell,
  wiring: Wiring,
): void {
  const [secret] = secretsLike(pattern, shell.state)
  if (secret === undefined) return
  const { findings } = shell.run
  const before = findings.length
  shell.state.variables.set(node.name.value, [{ ...pattern, text: secret, glob: false }])
  walkRound(node.body, shell, wiring)
  // A key among ordinary files is possible, and not likely.
  if (!secret.includes('/.'))
    for (const each of findings.splice(before))
      findings.push(each.category === 'secret-read' ? { ...each, verdict: 'unknown' } : each)
}

function declareFunction(node: FunctionNode, shell: Shell): Stream {
  const { run, source, state } = shell
  const name = node.name.value
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

/** The lines of a file that are told apart; of the others, only the run knows. */
const MOST_LINES = 24

const QUIET: Wiring = { stdin: undefined, captured: true, background: false, piped: false }

const FORK_BOMB = {
  category: 'process',
  radius: 'high',
  reason: 'It is a fork bomb: it copies itself until the machine stops responding.',
} as const

/** Runs the body of a function the line declared. */
function callFunction(name: string, args: readonly Field[], state: State, run: Run, wiring: Wiring): Stream {
  const declared = state.functions.get(name)
  // A function may declare another one of its own name, and call that.
  const body = `${name} ${declared?.node.pos} ${declared?.source.length}`
  if (!declared || run.calls.includes(body)) return stream(SOME)
  declared.guessed.called = true
  const inner = { ...within(run, name), calls: [...run.calls, body], depth: run.depth + 1 }
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
function callWords(words: readonly Field[], state: State, run: Run, wiring: Wiring): Stream {
  if (run.depth >= DEEPEST_NESTING) {
    run.findings.push(limitReached('nested too deep', render(words.slice(0, 12))))
    return stream(SOME)
  }
  return runCommand(words, openShell(state, { ...run, depth: run.depth + 1 }, ''), wiring, undefined)
}

function fork(state: State, run: Run): State {
  const { variables, functions, aliases, files, links } = state
  spend(run, 2 + ((variables.size + functions.size + aliases.size + files.size + links.size) >> 2))
  return {
    ...state,
    variables: new Map(variables),
    functions: new Map(functions),
    aliases: new Map(aliases),
    files: new Map(files),
    links: new Map(links),
  }
}

function joinOutputs(outputs: readonly Stream[], run: Run): Stream {
  const present = outputs.filter((output) => output.text !== '' || output.taints.length > 0)
  if (present.length <= 1) return present[0] ?? { text: '', taints: UNTAINTED }
  spendOnText(
    run,
    present.reduce((sum, { text }) => sum + text.length, 0),
  )
  const text = present.map((output) => output.text).join('')
  return stream(clip(text), mixTaints(...present.map((output) => output.taints)))
}

/** `[[ … ]]`: harmless, except that subscripts and arithmetic comparisons are evaluated as code. */
function walkTest(expression: TestExpression, shell: Shell): void {
  spend(shell.run, 1)
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
