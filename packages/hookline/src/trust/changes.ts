import { canonicalJson, type PinnedFile, type Subject } from './digest.ts'
import { readScript } from './files.ts'

/** What has changed between what was approved and what is there now: the definition first, then files line by line. */
export function changesBetween(was: Subject, is: Subject, kept: (sha256: string) => string | undefined): string[] {
  const lines: string[] = []
  for (const key of new Set([...Object.keys(was.hook), ...Object.keys(is.hook)])) {
    const [before, after] = [canonicalJson(was.hook[key]), canonicalJson(is.hook[key])]
    if (before !== after) lines.push(`${key}:`, ...diffLines(shown(was.hook[key]), shown(is.hook[key])))
  }
  if (was.scope !== is.scope) lines.push(`layer: ${was.scope} → ${is.scope}`)
  for (const { name, realpath } of is.programs) {
    const before = was.programs.find((program) => program.name === name)
    if (before && before.realpath !== realpath)
      lines.push(`${name} is now ${realpath ?? 'not found'}, and was ${before.realpath ?? 'not found'}`)
  }
  for (const file of is.files)
    lines.push(
      ...fileChanges(
        was.files.find((each) => isSame(each, file)),
        file,
        kept,
      ),
    )
  for (const file of was.files)
    if (!is.files.some((each) => isSame(each, file))) lines.push(`${file.path} is used no longer`)
  return lines
}

function fileChanges(
  was: PinnedFile | undefined,
  is: PinnedFile,
  kept: (sha256: string) => string | undefined,
): string[] {
  if (was === undefined) return [`${is.path} is new`]
  if ('missing' in is) return 'missing' in was ? [] : [`${is.path} is gone`]
  if ('missing' in was) return [`${is.path} was not there before`]
  const lines: string[] = []
  if (was.realpath !== is.realpath) lines.push(`${is.path} is now ${is.realpath}, and was ${was.realpath}`)
  if (was.mode !== is.mode) lines.push(`${is.path} has mode ${is.mode.toString(8)}, and had ${was.mode.toString(8)}`)
  if (was.sha256 === is.sha256) return lines
  const before = kept(was.sha256)
  const after = readScript(is.realpath, 256 * 1024)
  if (before === undefined || after === undefined) return [...lines, `${is.path} has other bytes (${is.size} of them)`]
  if (before.replaceAll('\r\n', '\n') === after.replaceAll('\r\n', '\n'))
    return [...lines, `${is.path} differs only in its line ends (CRLF): git may have converted them`]
  return [...lines, `${is.path} has changed:`, ...diffLines(before, after)]
}

const isSame = (one: PinnedFile, other: PinnedFile): boolean => one.path === other.path

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)

/** Above this many lines on both sides, only common lines at the beginning and the end are left out. */
const mostLines = 2_000

/** What changed between two texts, line by line: `-` was, `+` is. */
export function diffLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const [gone, come] = [old.slice(start, old.length - end), now.slice(start, now.length - end)]
  if (gone.length * come.length > mostLines ** 2) return [...marked('-', gone), ...marked('+', come)]
  return walk(gone, come, commonLengths(gone, come))
}

/** How many lines two tails have in common, for every pair of tails. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      table[i]![j] = old[i] === now[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
  return table
}

function walk(old: readonly string[], now: readonly string[], table: readonly Uint32Array[]): string[] {
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i++
      j++
    } else if (i < old.length && (j === now.length || table[i + 1]![j]! >= table[i]![j + 1]!))
      lines.push(`- ${old[i++]}`)
    else lines.push(`+ ${now[j++]}`)
  }
  return lines
}

const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark} ${line}`)
