/** Commands as bash reads them, where the parser reads them otherwise. */
import type { Assignment, Command, CommandArgument, Word } from '../../shell/syntax/index.ts'

/**
 * `X=<(ls) rm -rf ~`: the parser ends the assignment at its `=`, and takes what `<(…)` stands for as the program. In bash
 * it is the value, and the program comes next.
 */
export function mended(node: Command): Command {
  const parts: readonly (Assignment | CommandArgument)[] = [
    ...node.prefix.filter((each) => each.type === 'Assignment'),
    ...(node.name ? [node.name] : []),
    ...node.args,
  ]
  if (!parts.some((each, at) => continues(each, parts[at - 1]))) return node
  const joined: (Assignment | CommandArgument)[] = []
  for (const each of parts) {
    const last = joined.at(-1)
    if (last?.type === 'Assignment' && continues(each, last)) joined[joined.length - 1] = withValue(last, each as Word)
    else joined.push(each)
  }
  const first = joined.findIndex((each) => each.type === 'Word')
  const assignments = (first < 0 ? joined : joined.slice(0, first)).filter((each) => each.type === 'Assignment')
  return {
    ...{ type: node.type, pos: node.pos, end: node.end, suffix: node.suffix, redirects: node.redirects },
    prefix: assignments,
    name: first < 0 ? undefined : (joined[first] as Word),
    args: first < 0 ? [] : joined.slice(first + 1),
  }
}

/** A word that begins with `<(` or `>(` right where an assignment ends. */
const continues = (each: Assignment | CommandArgument, before: Assignment | CommandArgument | undefined): boolean =>
  each.type === 'Word' &&
  before?.type === 'Assignment' &&
  before.end === each.pos &&
  each.parts?.[0]?.type === 'ProcessSubstitution'

/** Field by field: what the parser makes has fields that a copy of the object lacks. */
function withValue({ type, pos, text, name, append, index }: Assignment, word: Word): Assignment {
  // What stands in front of it makes another name of the same pipe; what comes out of that is what counts.
  const value: Word = {
    type: 'Word',
    pos: word.pos,
    end: word.end,
    text: word.text,
    value: word.value,
    parts: word.parts,
  }
  return { type, pos, end: word.end, text: text + word.text, name, append, index, value }
}
