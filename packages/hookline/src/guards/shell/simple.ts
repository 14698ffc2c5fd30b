import { programName } from '../../shell/index.ts'
import type { Assignment, Command, CommandArgument } from '../../shell/syntax/index.ts'
import { withOthers } from './alternatives.ts'
import { judgeAssignment } from './assignments.ts'
import { spend, spendOnText } from './budget.ts'
import { runCommand } from './command.ts'
import { ranSomehow } from './directories.ts'
import { expandSingle, expandWord } from './expand.ts'
import { report } from './findings.ts'
import { mended } from './mended.ts'
import { isSubscript } from './parameters.ts'
import { applyRedirects, finishRedirects } from './redirects.ts'
import { clip, type Field, field, isKnown, mixTaints, type Stream, stream } from './text.ts'
import type { Danger, Shell, Wiring } from './types.ts'
import { contentOf } from './written.ts'

const lengthOf = (words: readonly Field[]): number => words.reduce((sum, { text }) => sum + text.length, 0)

const DECLARATIONS = new Set(['export', 'declare', 'typeset', 'local', 'readonly'])

/** One simple command as written: assignments, words, redirections. */
export const walkSimple = (node: Command, shell: Shell, wiring: Wiring): Stream =>
  isIndifferent(node, wiring)
    ? walkOnce(mended(node), shell, wiring)
    : withOthers(shell, (inner) => walkOnce(mended(node), inner, wiring))

/** Whatever its variables hold, it does the same: it compares, prints or leaves. What runs inside its words is walked by itself. */
const isIndifferent = (node: Command, { captured }: Wiring): boolean =>
  node.redirects.length === 0 &&
  node.prefix.length === 0 &&
  (LEAVES.has(node.name?.value ?? '') || (!captured && PRINTS.has(node.name?.value ?? ''))) &&
  // The name of a variable may hold a subscript that is evaluated.
  !node.args.some((argument) => argument.text.startsWith('-v'))
const LEAVES = new Set(['test', '[', ':', 'true', 'false', 'exit', 'return', 'break', 'continue', 'shift'])
const PRINTS = new Set(['echo', 'printf'])

function walkOnce(node: Command, shell: Shell, wiring: Wiring): Stream {
  const shown = shell.source.slice(node.pos, node.end)
  const assignments = node.prefix.filter((each) => each.type === 'Assignment')
  const { run } = shell
  spend(run, node.args.length + assignments.length + node.redirects.length)
  if (!node.name) {
    for (const assignment of assignments) assign(assignment, shell, wiring, shown)
    ranSomehow(shell.state)
    const redirects = applyRedirects(node.redirects, shell, wiring, shown)
    const [only] = node.redirects
    const reads = only?.type === 'Redirect' && only.operator === '<' && wiring.captured
    const output = reads ? contentOf(expandSingle(only.target, shell), shell.state) : stream('')
    return finishRedirects(redirects, output, shell)
  }
  // What is assigned in front of a command holds for that command only.
  const before = assignments.map(({ name }) => [name, shell.state.variables.get(name)] as const)
  for (const assignment of assignments) assign(assignment, shell, wiring, shown, true)
  const declares = DECLARATIONS.has(node.name.value)
  const words = expandWord(node.name, shell).concat(
    node.args.flatMap((argument) => expandArgument(argument, declares, shell, wiring, shown)),
  )
  const redirects = applyRedirects(node.redirects, shell, wiring, shown)
  const output = runCommand(words, shell, redirects.wiring, shown, {
    assigned: assignments.map(({ name }) => name),
    redirected: redirects.touches,
  })
  for (const [name, value] of before) {
    if (value) shell.state.variables.set(name, value)
    else shell.state.variables.delete(name)
  }
  return finishRedirects(redirects, output, shell, programName(words[0]?.text ?? ''))
}

function expandArgument(
  argument: CommandArgument,
  declares: boolean,
  shell: Shell,
  wiring: Wiring,
  shown: string,
): Field[] {
  if (argument.type === 'Word') return expandWord(argument, shell)
  if (declares) return [assign(argument, shell, wiring, shown, true)]
  const value = assignedValue(argument, shell)
  const text = value.map((each) => each.text).join(' ')
  return [field(`${argument.name}=${text}`, mixTaints(...value.map((each) => each.taints)))]
}

/** Sets the variable, judges the assignment, and returns it as the word `name=value`. */
function assign(assignment: Assignment, shell: Shell, wiring: Wiring, shown: string, exported = false): Field {
  const { name } = assignment
  const { variables, others } = shell.state
  const value = assignedValue(assignment, shell)
  const earlier = variables.get(name) ?? []
  // A name that was never seen is looked for in the tables.
  spend(shell.run, 8 + (earlier.length >> 3))
  spendOnText(shell.run, lengthOf(value))
  if (!assignment.append && !assignment.index) others.delete(name)
  const isList = assignment.value.type === 'ArrayValue'
  if (assignment.index) {
    const index = expandSingle(assignment.index, shell).text
    shell.calculate(index)
    const list = [...earlier]
    const at = /^\d+$/.test(index) ? Math.min(Number(index), list.length) : list.length
    list[at] = value[0] ?? field('')
    variables.set(name, list)
  } else if (assignment.append && isList) variables.set(name, [...earlier, ...value])
  else if (assignment.append) {
    const head = earlier[0] ?? field('')
    const tail = value[0] ?? field('')
    variables.set(name, [field(clip(head.text + tail.text), mixTaints(head.taints, tail.taints))])
  } else variables.set(name, value)
  const word = variables.get(name)?.[0] ?? field('')
  // An integer variable, or arithmetic later on, evaluates the subscript.
  if (isSubscript(word.text)) shell.evaluateText(word.text)
  judgeAssignment(name, word, exported, shell.state, shell.run, wiring, shown)
  return field(`${name}=${word.text}`, word.taints)
}

function assignedValue(assignment: Assignment, shell: Shell): Field[] {
  const { value } = assignment
  if (value.type === 'ArrayValue') {
    const fields = value.elements.flatMap((element) => expandWord(element, shell))
    for (const { text } of fields) {
      const [, index] = /^\[(.*?)\]=/s.exec(text) ?? []
      if (index !== undefined && (!isKnown(index) || /[$`]/.test(index) || shell.state.variables.has(index)))
        shell.calculate(index)
    }
    return fields
  }
  // `a=(b)c`: the parser gives up on it, and bash does not.
  if (value.text.startsWith('(')) {
    shell.evaluateText(value.text)
    report(shell.run, 'unknown', ODD_LIST, assignment.text.slice(0, 120))
  }
  return [expandSingle(value, shell)]
}

const ODD_LIST: Danger = {
  category: 'unresolved',
  radius: 'unknown',
  reason: 'Text stands right behind a list, and shells differ in what they make of that.',
}
