/** Processes that multiply: by shape, whatever they are called. */
import {
  type ArithmeticFor,
  type Command,
  type For,
  type Function as FunctionNode,
  forEachChild,
  type Select,
  type SyntaxNode,
  type While,
} from '../../shell/syntax/index.ts'
import { spend } from './budget.ts'
import type { Run } from './types.ts'

/** To look at a node takes far less than to run it. */
const STEPS_OF_NODE = 1 / 8

/** A function that calls itself in a pipe or in the background, by itself or by way of others. */
export function spawnsItself(
  node: FunctionNode,
  others: ReadonlyMap<string, { node: FunctionNode }>,
  run: Pick<Run, 'budget'>,
): boolean {
  const name = node.name.value
  const seen = new Set([name])
  let spawns = false
  const visit = (child: SyntaxNode, multiplying: boolean) => {
    if (spawns) return
    spend(run, STEPS_OF_NODE)
    const called = child.type === 'Command' ? (child.name?.value ?? '') : ''
    const other = seen.has(called) ? undefined : others.get(called)
    const here = multiplying || (child.type === 'Pipeline' && child.commands.length > 1) || isBackground(child)
    // `:(){:|:&};:` is broken shell that some shells still run: its body starts with a glued brace.
    if (child.type === 'Command' && (here ? calls(child, name) : calls(child, `{${name}`))) spawns = true
    else forEachChild(child, (each) => visit(each, here))
    if (!other) return
    seen.add(called)
    visit(other.node.body, here)
  }
  visit(node.body, false)
  return spawns
}

/** A script that starts itself twice, and does not wait: `$0 & $0`. */
export function startsItself(script: SyntaxNode, source: string, run: Pick<Run, 'budget'>): boolean {
  let [starts, multiplies] = [0, false]
  const visit = (child: SyntaxNode, multiplying: boolean) => {
    spend(run, STEPS_OF_NODE)
    const here = multiplying || (child.type === 'Pipeline' && child.commands.length > 1) || isBackground(child)
    if (child.type === 'Command' && child.name && SELF.test(source.slice(child.name.pos, child.name.end))) {
      starts++
      multiplies ||= here
    }
    forEachChild(child, (each) => visit(each, here))
  }
  visit(script, false)
  return starts > 1 && multiplies
}

const SELF = /^(?:"?\$0"?|"?\$\{0\}"?|"?\$\{?BASH_SOURCE(?:\[0\])?\}?"?)$/

/** An endless loop that starts background work and never waits for it. */
export function isUnboundedSpawn(node: While | ArithmeticFor, source: string, run: Pick<Run, 'budget'>): boolean {
  if (node.type === 'While' && !isEndless(node, source)) return false
  if (
    node.type === 'ArithmeticFor' &&
    node.test &&
    !/^\s*[1-9]\d*\s*$/.test(source.slice(node.test.pos, Math.min(node.test.end, node.test.pos + 64)))
  )
    return false
  return starts(node.body, run) && !waits(node.body, run)
}

/** Thousands of times: `for i in $(seq 100000)`, `for i in {1..9999}`. */
export function isManySpawn(node: For | Select, source: string, run: Pick<Run, 'budget'>): boolean {
  const many = node.wordlist?.some((word) =>
    /\bseq\b[^)`]*\b\d{4,}\b|\.\.\d{4,}\}/.test(source.slice(word.pos, Math.min(word.end, word.pos + 64))),
  )
  return many === true && starts(node.body, run) && !waits(node.body, run)
}

/** Something is left running, at whatever depth: `(sleep 9 &)`. */
function starts(node: SyntaxNode, run: Pick<Run, 'budget'>): boolean {
  let found = false
  spend(run, STEPS_OF_NODE)
  forEachChild(node, (child) => {
    found ||= isBackground(child) || starts(child, run)
  })
  return found
}

/** Only what the loop itself waits for slows it down: `sleep 9 &` does not. */
function waits(node: SyntaxNode, run: Pick<Run, 'budget'>): boolean {
  let found = false
  spend(run, STEPS_OF_NODE)
  forEachChild(node, (child) => {
    if (isBackground(child)) return
    found ||= (child.type === 'Command' && PACES.test(child.name?.value ?? '')) || waits(child, run)
  })
  return found
}

const PACES = /^(?:wait|sleep|break|read)$/

/** A condition without anything that could change: `true`, `[ 1 ]`, `((1))`, `[[ 1 == 1 ]]`. */
function isEndless(node: While, source: string): boolean {
  const [first] = node.clause.commands
  if (node.clause.commands.length !== 1 || !first) return false
  if (first.end - first.pos > 200) return false
  const text = source
    .slice(first.pos, first.end)
    .replace(/[;\s]+$/, '')
    .trim()
  return node.kind === 'while' ? HOLDS.test(text) || CONSTANT.test(text) : FAILS.test(text) || CONSTANT.test(text)
}

const HOLDS = /^(?:true|:|\/(?:usr\/)?bin\/true|!\s*false|builtin true|command true)$/
const FAILS = /^(?:false|\/(?:usr\/)?bin\/false|!\s*(?:true|:))$/
const CONSTANT =
  /^(?:\[\[?\s*(?:!\s*)?(?:["'\w]+(?:\s*(?:==?|!=|-eq|-ne|-le|-lt|-ge|-gt)\s*["'\w]+)?)?\s*\]\]?|test(?:\s+["'\w]+(?:\s*(?:==?|!=|-eq|-ne|-le|-lt|-ge|-gt)\s*["'\w]+)?)?|\(\([\d\s<>=!&|+*-]+\)\))$/

export function mentions(node: SyntaxNode, names: readonly string[], run: Pick<Run, 'budget'>): boolean {
  let found = false
  spend(run, STEPS_OF_NODE)
  forEachChild(node, (child) => {
    found ||= (child.type === 'Command' && names.includes(child.name?.value ?? '')) || mentions(child, names, run)
  })
  return found
}

const calls = (command: Command, name: string) => command.name?.value === name
const isBackground = (node: SyntaxNode) => node.type === 'Statement' && node.background === true

export const SPAWN_LOOP = {
  category: 'process',
  radius: 'high',
  reason: 'It starts processes in an endless loop until the machine stops responding.',
} as const
