/**
 * What the agent says in its own voice: sentences without code, quotations, tables and headings, where things are
 * mentioned rather than claimed.
 */
export function sentencesOf(text: string): string[] {
  return text
    .replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n')
    .replace(/`[^`\n]*`/g, ' … ')
    .split('\n')
    .filter((line) => !/^\s*(?:>|\||#{1,6}\s)/.test(line))
    .map((line) =>
      line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').replace(/"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|「[^」\n]*」/g, ' … '),
    )
    .flatMap((line) => line.split(/(?<=[.!?])\s+|(?<=[。！？])/))
    .map((sentence) =>
      sentence
        .replace(/[*_~]{1,3}/g, '')
        .replace(/’/g, "'")
        .trim(),
    )
    .filter((sentence) => sentence !== '')
}

/** Doubt, condition, offer or refusal before the verb: then it is no statement that something happened. */
const hedged =
  /\b(?:not|never|can|can't|cannot|could|would|will|won't|shall|should|may|might|must|if|once|when|whenever|until|unless|before|after|unable|fail(?:ed|s)?|want(?:s|ed)?|need(?:s|ed)?|ready|about|try(?:ing)?|tried|going|plan|let me|how|to be|already exists?)\b|n't\b|'ll\b/i

/** The first of these patterns that a sentence fits without a hedge before it; a question claims nothing. */
export function claims(sentence: string, patterns: readonly RegExp[]): boolean {
  if (/[?？]\s*$/.test(sentence)) return false
  return patterns.some((pattern) => {
    const match = pattern.exec(sentence)
    return (
      match !== null && !hedged.test(sentence.slice(0, match.index + (match[0].length - match[0].trimStart().length)))
    )
  })
}

export const urlsOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /\b(?:https?:\/\/|www\.)[^\s<>()[\]"'`]+|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|ai|co)\/[^\s<>()[\]"'`]+/gi,
    ),
  ].map(([url]) => url.replace(/[.,;:!?]+$/, ''))
