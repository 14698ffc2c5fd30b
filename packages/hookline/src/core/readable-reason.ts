/** What a hook gave as reason, made ready for a person: a sentence, and apart from it the thing it is about. */
export interface ReadableReason {
  explanation: string
  /** The command, path or text that was objected to; shown in a box of its own. */
  payload?: string
}

/** Tails up to this long that have no space, as in `done: yes`, belong to the sentence. */
const longestWord = 12

/**
 * The same for every surface. A tag in front (`[security] …`) is for grep and not for people. What follows the first
 * `: ` is a payload when it looks like one; an ordinary sentence with a colon stays whole.
 * The convention is Starchild's ("Writing a readable reason").
 */
export function readableReason(reason: string): ReadableReason {
  const sentence = reason.trim().replace(/^(?:\[[^\][\n]*\]\s*)+(?=\S)/, '')
  const colon = sentence.indexOf(': ')
  const tail = colon === -1 ? '' : sentence.slice(colon + 2).trim()
  const splits = colon > 0 && (/\s/.test(tail) || tail.length > longestWord)
  if (!splits) return { explanation: capitalised(sentence) }
  return { explanation: capitalised(sentence.slice(0, colon).trimEnd()), payload: tail }
}

function capitalised(sentence: string): string {
  const [first = ''] = sentence
  return first.toUpperCase() + sentence.slice(first.length)
}
