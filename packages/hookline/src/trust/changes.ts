import { diffArrays } from 'diff'
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

/** Texts that differ in more lines than this are shown as all that was, then all that is. */
const mostEdits = 2_000

/** What changed between two texts, line by line: `-` was, `+` is. */
export function diffLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const changes = diffArrays(old, now, { maxEditLength: mostEdits })
  if (!changes) return [...marked('-', old), ...marked('+', now)]
  return changes.flatMap(({ value, added, removed }) =>
    added ? marked('+', value) : removed ? marked('-', value) : [],
  )
}

const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark} ${line}`)
