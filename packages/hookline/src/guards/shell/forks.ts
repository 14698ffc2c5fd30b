/** Processes that multiply: by shape, whatever they are called. */
import {
  type ArithmeticFor,
  type Command,
  type Function as FunctionNode,
  forEachChild,
  type SyntaxNode,
  type While,
} from '../../shell/syntax/index.ts'

/** A function that calls itself in a pipe or in the background. */
export function spawnsItself(node: FunctionNode): boolean {
  const name = node.name.value
  let spawns = false
  const visit = (child: SyntaxNode, multiplying: boolean) => {
    if (spawns) return
    const here = multiplying || (child.type === 'Pipeline' && child.commands.length > 1) || isBackground(child)
    // `:(){:|:&};:` is broken shell that some shells still run: its body starts with a glued brace.
    if (child.type === 'Command' && (here ? calls(child, name) : calls(child, `{${name}`))) spawns = true
    else forEachChild(child, (each) => visit(each, here))
  }
  visit(node.body, false)
  return spawns
}

/** An endless loop that starts background work and never waits for it. */
export function isUnboundedSpawn(node: While | ArithmeticFor): boolean {
  if (node.type === 'While' && !isEndless(node)) return false
  if (node.type === 'ArithmeticFor' && node.test) return false
  // Only what the loop itself waits for slows it down: `sleep 9 &` does not.
  const foreground = node.body.commands.filter((each) => !isBackground(each))
  const paced = foreground.some((each) => mentions(each, ['wait', 'sleep', 'break', 'read']))
  return node.body.commands.some(isBackground) && !paced
}

function isEndless(node: While): boolean {
  const [first] = node.clause.commands
  if (node.clause.commands.length !== 1 || first?.command.type !== 'Command') return false
  const name = first.command.name?.value
  return node.kind === 'while' ? name === 'true' || name === ':' : name === 'false'
}

function mentions(node: SyntaxNode, names: readonly string[]): boolean {
  let found = false
  forEachChild(node, (child) => {
    found ||= (child.type === 'Command' && names.includes(child.name?.value ?? '')) || mentions(child, names)
  })
  return found
}

const calls = (command: Command, name: string) => command.name?.value === name
const isBackground = (node: SyntaxNode) => node.type === 'Statement' && node.background === true
