/** What runs again and again: each round is walked where it may differ from the one before. */
import type { CompoundCommand, CompoundList } from '../../shell/syntax/index.ts'
import { keepOthers } from './alternatives.ts'
import { judgeAssignment } from './assignments.ts'
import { spend } from './budget.ts'
import { goOn, standIn, unite } from './directories.ts'
import { linesOf } from './disk.ts'
import { expandArithmetic, expandWord } from './expand.ts'
import { MOST_NUMBERS, report } from './findings.ts'
import { joinOutputs } from './forked.ts'
import { isManySpawn, isUnboundedSpawn, mentions, SPAWN_LOOP } from './forks.ts'
import { secretsLike } from './sensitive.ts'
import { type Field, field, NUMBER, SOME, type Stream, stream } from './text.ts'
import type { Shell, Wiring } from './types.ts'

type Loop<T extends CompoundCommand['type']> = CompoundCommand & { type: T }

export function walkWhile(node: Loop<'While'>, shell: Shell, wiring: Wiring): Stream {
  if (isUnboundedSpawn(node, shell.source, shell.run))
    report(shell.run, 'destructive', SPAWN_LOOP, shell.source.slice(node.pos, node.end))
  const clause = (given: Wiring) => () => void shell.run.walker.node(node.clause, shell, given)
  const lines =
    shell.run.disk && mentions(node.clause, ['read'], shell.run) ? linesOf(wiring.stdin, shell.run) : undefined
  if (!lines) return walkLoop(node, shell, wiring, clause(wiring))
  const outputs = lines.slice(0, MOST_LINES).map((line) => {
    const given = { ...wiring, stdin: stream(`${line}\n`) }
    clause(given)()
    return walkRound(node.body, shell, given)
  })
  if (lines.length > MOST_LINES) outputs.push(walkLoop(node, shell, { ...wiring, stdin: stream(SOME) }, clause(wiring)))
  return joinOutputs(outputs, shell.run)
}

/** `for ((i = 0; i < 3; i++))`. */
export function walkCounting(node: Loop<'ArithmeticFor'>, shell: Shell, wiring: Wiring): Stream {
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

export function walkFor(node: CompoundCommand & { type: 'For' | 'Select' }, shell: Shell, wiring: Wiring): Stream {
  if (isManySpawn(node, shell.source, shell.run))
    report(shell.run, 'destructive', SPAWN_LOOP, shell.source.slice(node.pos, node.end).slice(0, 200))
  const listed = node.wordlist?.flatMap((word) => expandWord(word, shell)) ?? shell.state.positional
  const numbers = listed.filter(({ text }) => /^\d+$/.test(text)).slice(MOST_NUMBERS)
  const left = new Set(numbers)
  const rounds: Field[] = left.size > 0 ? listed.filter((each) => !left.has(each)) : [...listed]
  if (left.size > 0 || node.type === 'Select') rounds.push(field(SOME))
  spend(shell.run, listed.length)
  const entered = new Map(shell.state.variables)
  const outputs = rounds.map((value) => {
    shell.state.variables.set(node.name.value, [value])
    judgeAssignment(node.name.value, value, false, shell.state, shell.run, wiring, `for ${node.name.value}`)
    return walkRound(node.body, shell, wiring)
  })
  for (const each of listed.filter(({ glob }) => glob).slice(0, MOST_NUMBERS)) walkSecret(each, node, shell, wiring)
  // A list that is empty now may not be when it runs.
  if (rounds.length === 0) outputs.push(walkRound(node.body, shell, wiring))
  keepOthers(entered, shell.state)
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
  for (const name of changed)
    variables.set(name, [field(isCount(entered.get(name)) && isCount(variables.get(name)) ? NUMBER : SOME)])
  before()
  const later = walkRound(body, shell, wiring)
  keepOthers(entered, state)
  return joinOutputs([output, later], shell.run)
}

const isCount = (value: readonly Field[] | undefined): boolean =>
  value?.length === 1 && /^-?[\d\uE005]+$/.test(value[0]?.text ?? '')

/** Once, or not at all; where it goes then, the next round and what follows the loop begin. */
function walkRound(body: CompoundList, shell: Shell, wiring: Wiring): Stream {
  const { state } = shell
  const outer = state.left
  goOn(state)
  const entry = state.standing.now
  state.left = []
  const output = shell.run.walker.node(body, shell, wiring)
  const { ifDone, ifFailed } = state.standing
  const after = unite(entry, ifDone, ifFailed, state.left)
  // A round that goes elsewhere goes further with each: `cd ..` in a loop.
  state.standing = standIn(after.length > entry.length ? unite(after, [undefined]) : after)
  state.left = outer
  return output
}

/** The lines of a file that are told apart; of the others, only the run knows. */
const MOST_LINES = 24
