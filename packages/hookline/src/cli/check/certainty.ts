import { forEachChild, parseShell, type SyntaxNode } from '../../shell/syntax/index.ts'

/** What is known of the commands of a shell text beside their words, by where they stand in it. */
export interface Certainty {
  /** Nothing decides whether it runs, and the whole text fails where it fails. */
  decides(at: number): boolean
  /** The text goes on, by its own words, where it fails: `… || true`. */
  isExcused(at: number): boolean
  /** Variables that the text sets itself, whatever the environment says. */
  assigned: ReadonlySet<string>
  /** What the text looks for, writes or hands to a program: it may be there by the time it runs. Without quotes. */
  mentioned: ReadonlySet<string>
}

/** A text that is one simple command leaves no doubt. */
export const oneCommand: Certainty = {
  decides: () => true,
  isExcused: () => false,
  assigned: new Set(),
  mentioned: new Set(),
}

type Span = Pick<SyntaxNode, 'pos' | 'end'>

/** Reads a well-formed text. */
export function certaintyOf(text: string): Certainty {
  const doubtful: Span[] = []
  const excused: Span[] = []
  const assigned = new Set<string>()
  const mentioned = new Set<string>()
  for (const { script } of parseShell(text).scripts) visit(script)
  const within = (spans: readonly Span[]) => (at: number) => spans.some(({ pos, end }) => pos <= at && at < end)
  const isDoubtful = within(doubtful)
  return { decides: (at) => !isDoubtful(at), isExcused: within(excused), assigned, mentioned }

  function visit(node: SyntaxNode): void {
    // Its positions are those of another text.
    if (node.type === 'Script' && node.source !== undefined) return
    switch (node.type) {
      case 'Script':
      case 'CompoundList':
        // What a list comes to is what its last command comes to.
        doubtful.push(...node.commands.slice(0, -1), ...node.commands.filter(({ background }) => background))
        break
      case 'Pipeline':
        doubtful.push(...(node.prefixes.some(({ type }) => type === 'Negation') ? [node] : node.commands.slice(0, -1)))
        break
      case 'AndOr':
        readAndOr(node)
        break
      case 'Function':
      case 'Coproc':
      case 'If':
      case 'While':
      case 'Case':
        doubtful.push(node)
        break
      case 'For':
      case 'ArithmeticFor':
      case 'Select':
        doubtful.push(node)
        if ('name' in node) assigned.add(node.name.value)
        break
      case 'Assignment':
        assigned.add(node.name)
        break
      case 'Command':
        if (setsVariables.test(node.name?.value ?? '')) for (const arg of node.args) assigned.add(written(arg))
        break
      case 'Redirect':
        if (node.operator !== '<' && node.target) mentioned.add(written(node.target))
        break
      case 'TestUnary':
        mentioned.add(written(node.operand))
        break
      default:
    }
    forEachChild(node, visit)
  }

  /** Whatever follows an operator may not run; whatever stands before `||` has its failure dealt with behind it. */
  function readAndOr({ commands, operators }: Extract<SyntaxNode, { type: 'AndOr' }>): void {
    doubtful.push(...commands.slice(1))
    for (const [at, command] of commands.entries()) {
      const or = operators.indexOf('||', at)
      if (or === -1) continue
      doubtful.push(command)
      if (!fails(commands[or + 1])) excused.push(command)
    }
  }
}

const setsVariables = /^(?:read|mapfile|readarray|getopts|printf|export|declare|typeset|local|readonly|unset)$/

const written = ({ text }: { text: string }) => unquoted(text)

/** A word as it is written, but for its quotes: `"$DIR"/x` and `"$DIR/x"` mean the same. */
export const unquoted = (text: string): string => text.replace(/["']/g, '')

/** Whether it ends the text with a failure: `exit 2`. */
function fails(node: SyntaxNode | undefined): boolean {
  if (!node) return false
  if (node.type === 'Command' && /^(?:exit|return|false)$/.test(node.name?.value ?? ''))
    return node.name?.value === 'false' || node.args[0]?.text !== '0'
  let found = false
  forEachChild(node, (child) => {
    found ||= fails(child)
  })
  return found
}
