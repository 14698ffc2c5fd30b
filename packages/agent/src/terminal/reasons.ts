import { type Paint, printable, type ReadableReason, readableReason } from 'hookline/internal'

/** Reasons of hooks for a person, each once: a sentence without its tag, and apart from it the command it is about. */
export function readableReasons(reasons: readonly string[]): ReadableReason[] {
  const found = reasons.filter((text) => text.trim() !== '').map(readableReason)
  const distinct = new Map(found.map((each) => [JSON.stringify(each), each]))
  return [...distinct.values()]
}

/** The same in lines. `besides`: a command that stands there already is not shown again. */
export function reasonLines(reasons: readonly string[], paint: Paint, besides: readonly string[] = []): string[] {
  return readableReasons(reasons).flatMap(({ explanation, payload = '' }) => [
    ...printable(explanation).split('\n'),
    ...(payload === '' || besides.includes(payload) ? [] : boxed(payload, paint)),
  ])
}

/** For surfaces that take Markdown. */
export const reasonMarkdown = (reasons: readonly string[]): string[] =>
  readableReasons(reasons).map(({ explanation, payload }) =>
    payload === undefined ? explanation : `${explanation}\n${fenced(payload)}`,
  )

const boxed = (payload: string, paint: Paint): string[] =>
  printable(payload)
    .split('\n')
    .map((line) => `${paint.dim('│')} ${line}`)

/** Longer than any that the text itself has. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
