/** Before and after, line by line. */
export function Change({ before, after }: { before: unknown; after: unknown }) {
  return (
    <pre class="change">
      {difference(linesOf(before), linesOf(after)).map(({ kind, line }, at) =>
        kind === 'same' ? (
          <span key={at}>{`  ${line}\n`}</span>
        ) : kind === 'gone' ? (
          <del key={at}>{`- ${line}\n`}</del>
        ) : (
          <ins key={at}>{`+ ${line}\n`}</ins>
        ),
      )}
    </pre>
  )
}

const linesOf = (value: unknown): string[] => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
  return text === '' ? [] : text.split('\n')
}

interface Line {
  kind: 'same' | 'gone' | 'new'
  line: string
}

/** Longer texts are shown as one block gone and one block new: comparing them would hold up the page. */
const mostCompared = 400

/** The longest common lines stay; what is around them is gone or new. */
export function difference(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const as = (kind: Line['kind'], lines: readonly string[]) => lines.map((line): Line => ({ kind, line }))
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const middle =
    old.length > mostCompared || fresh.length > mostCompared
      ? [...as('gone', old), ...as('new', fresh)]
      : compared(old, fresh)
  return [...as('same', before.slice(0, start)), ...middle, ...as('same', before.slice(before.length - end))]
}

function compared(old: readonly string[], fresh: readonly string[]): Line[] {
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1))
  for (let one = old.length - 1; one >= 0; one--)
    for (let other = fresh.length - 1; other >= 0; other--)
      common[one]![other] =
        old[one] === fresh[other]
          ? common[one + 1]![other + 1]! + 1
          : Math.max(common[one + 1]![other]!, common[one]![other + 1]!)
  const lines: Line[] = []
  let [one, other] = [0, 0]
  while (one < old.length || other < fresh.length) {
    if (one < old.length && other < fresh.length && old[one] === fresh[other]) {
      lines.push({ kind: 'same', line: old[one]! })
      one++
      other++
    } else if (other >= fresh.length || (one < old.length && common[one + 1]![other]! >= common[one]![other + 1]!))
      lines.push({ kind: 'gone', line: old[one++]! })
    else lines.push({ kind: 'new', line: fresh[other++]! })
  }
  return lines
}
