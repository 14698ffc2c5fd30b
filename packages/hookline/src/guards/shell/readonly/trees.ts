/** Readers of whole trees: what they show is whatever lies below, credentials that nobody named included. */
import { flagValues, hasFlag, lookup, parseArguments, programName, readOptions } from '../../../shell/index.ts'
import { sensitivePlaces } from '../../paths/index.ts'
import { resolvePath } from '../places.ts'
import type { Trace } from '../seen.ts'
import type { Arguments, Call, State } from '../types.ts'

interface TreeReader {
  options: string
  /** The switches that make it go down; absent: it always does. */
  needs?: string
  /** Its first operand is no path, unless one of these gives it. */
  pattern?: string
  /** The switches without which it leaves out hidden files; absent: it never does. */
  hidden?: string
}

const grep: TreeReader = {
  options: '-e:f:m:A:B:C:d: --regexp= --file= --include= --exclude= --exclude-dir= --max-count= --directories=',
  needs: 'r|R|d|--recursive|--dereference-recursive|--directories',
  pattern: 'e|f|--regexp|--file',
}
const search: TreeReader = {
  options: '-e:f:m:A:B:C:g:t:T:d:j:M:r:G: --regexp= --glob= --type= --type-not= --max-depth= --depth= --max-count=',
  pattern: 'e|f|--regexp',
  hidden: 'u|.|--hidden|--unrestricted',
}
const diff: TreeReader = { options: '-x:X:I:U:C:W: --exclude=', needs: 'r|--recursive' }

const TREE_READERS: Readonly<Record<string, TreeReader>> = {
  ...Object.fromEntries(['grep', 'egrep', 'fgrep', 'ggrep'].map((name) => [name, grep])),
  ...Object.fromEntries(['rg', 'ripgrep', 'ag', 'ack'].map((name) => [name, search])),
  ...Object.fromEntries(['diff', 'gdiff', 'colordiff'].map((name) => [name, diff])),
  git: { options: '-e:f:C: --no-index --untracked', needs: '--no-index', pattern: 'e|f' },
}

/** `grep -r token ~`, `rg x ~/.config`: it would read the credentials that programs keep there. */
export function readsCredentialTree(call: Call): boolean {
  const reader = lookup(TREE_READERS, call.name)
  if (!reader) return false
  const args = parseArguments(call.args, readOptions(reader.options))
  if (reader.needs !== undefined && !hasFlag(args, reader.needs)) return false
  return startsOf(args, reader).some((start) => {
    const path = resolvePath(start, call.state)
    return path === undefined || isAboveCredentials(path, call.state.home)
  })
}

/** The directories that a line goes through and prints of, hidden files included. */
export function treesRead({ seen }: Trace, state: State): string[] {
  return seen.flatMap((each) => {
    if (each.kind !== 'command' || each.elsewhere) return []
    const [program, ...words] = each.words
    const reader = lookup(TREE_READERS, programName(program?.text ?? ''))
    if (!reader || program?.text === 'git') return []
    const args = parseArguments(words, readOptions(reader.options))
    if ([reader.needs, reader.hidden].some((names) => names !== undefined && !hasFlag(args, names))) return []
    return startsOf(args, reader).flatMap((start) => resolvePath(start, { ...state, cwd: each.cwd }) ?? [])
  })
}

function startsOf(args: Arguments, { pattern }: TreeReader): string[] {
  const given = pattern === undefined || flagValues(args, pattern).length > 0
  const starts = args.operands.slice(given ? 0 : 1).map(({ text }) => text)
  return starts.length > 0 ? starts : ['.']
}

function isAboveCredentials(path: string, home: string): boolean {
  if (
    path === '/' ||
    /^\/proc(?:\/|$)/.test(path) ||
    path === home ||
    home.startsWith(`${path}/`) ||
    /^\/(?:home|Users)(?:\/[^/]+)?$|^\/root$/.test(path)
  )
    return true
  above ??= directoriesAbove()
  const below = path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path
  return above.has(below.toLowerCase())
}

let above: ReadonlySet<string> | undefined

/** Every directory on the way to a place that the table names: `.config`, `.config/gh`, `/etc`. */
function directoriesAbove(): Set<string> {
  const found = new Set<string>()
  for (const { access, paths } of sensitivePlaces) {
    if (access === 'write') continue
    for (const place of paths) {
      const parts = place
        .replace(/\/(?:\*\*)?$/, '')
        .toLowerCase()
        .split('/')
        .slice(0, -1)
      const rooted = place.startsWith('/') || place.startsWith('.')
      if (rooted) for (const index of parts.keys()) found.add(parts.slice(0, index + 1).join('/'))
    }
  }
  found.delete('')
  return found
}
