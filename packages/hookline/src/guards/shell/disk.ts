/** Scripts that lie on disk: read where whoever asks lets us, and walked as part of the line. Guards never do: they are pure. */
import { unite } from './directories.ts'
import { DEEPEST_SCRIPT, depthOf, ownShell, walkFollowed } from './followed.ts'
import { resolvePath } from './places.ts'
import type { Disk } from './seen.ts'
import { type Field, field, isKnown, type Stream, stream } from './text.ts'
import type { Call, Run, State } from './types.ts'

const MOST_FILES = 16
/** Most names that are looked for are not there. */
const MOST_TRIES = 96
const LARGEST_FILE = 65_536

export interface Machine {
  isDirectory?(path: string): boolean | undefined
  read?(path: string): string | undefined
}

export function openDisk({ isDirectory, read }: Machine): Disk {
  const disk: Disk = {
    left: MOST_FILES,
    tries: MOST_TRIES,
    asked: false,
    isDirectory(path) {
      disk.asked = true
      return path.startsWith('/') ? isDirectory?.(path) : undefined
    },
    read(path) {
      disk.asked = true
      if (!path.startsWith('/') || disk.left <= 0 || disk.tries <= 0) return undefined
      disk.tries--
      const text = read?.(path)
      if (text !== undefined) disk.left--
      return text === undefined || text.length > LARGEST_FILE || text.includes('\0') ? undefined : text
    },
  }
  return disk
}

/** The text of a file that the line names, where it is certain which one. */
function readFile(word: Field, { state, run }: Call): { path: string; text: string } | undefined {
  if (!run.disk || run.elsewhere || word.content || !isKnown(word.text)) return undefined
  for (const cwd of state.standing.now) {
    const path = resolvePath(word.text, { ...state, cwd })
    const text = path === undefined ? undefined : run.disk.read(path)
    if (path !== undefined && text !== undefined) return { path, text }
  }
  return undefined
}

/**
 * What a program is given to run by the name of a file: as this line has written it, else as it lies on disk. Its input comes
 * from this machine also where the program runs on another one.
 */
export function textIn(given: Stream, { run, wiring }: Call): Stream {
  if (isKnown(given.text) || given.file === undefined || (run.elsewhere && given !== wiring.stdin)) return given
  const text = run.disk?.read(given.file)
  return text === undefined ? given : { ...given, text }
}

/** Names that stand in a file, one in each line. */
export function linesOf(stdin: Stream | undefined, run: Run): readonly string[] | undefined {
  if (stdin === undefined) return undefined
  const text = isKnown(stdin.text) ? stdin.text : stdin.file === undefined ? undefined : run.disk?.read(stdin.file)
  return text?.split(/\r?\n|\0/).filter((line) => line !== '')
}

/** `bash x.sh`, `. x.sh`, `./x.sh`: walks what stands in it; false when that cannot be read. */
export function followScript(
  file: Field,
  args: readonly Field[],
  call: Call,
  kind: 'shell' | 'sourced' | 'program',
): boolean {
  if (depthOf(call.run) >= DEEPEST_SCRIPT) return false
  const found = readFile(file, call)
  if (!found || (kind === 'program' && !isShellScript(found.text))) return false
  const label = kind === 'program' ? file.text : `${call.name} ${file.text}`
  const named = new Map(call.state.variables).set('BASH_SOURCE', [field(found.path)])
  const state = kind === 'sourced' ? call.state : ownShell(call.state, named.set('0', [field(found.path)]))
  const positional = state.positional
  if (args.length > 0 || kind !== 'sourced') state.positional = args
  walkFollowed(stream(found.text), state, call, label)
  if (kind === 'sourced') state.positional = positional
  return true
}

const isShellScript = (text: string): boolean => {
  const [first = ''] = text.split('\n', 1)
  return !first.startsWith('#!') || /^#!\s*\S*\/(?:env\s+(?:-\S+\s+)*)?(?:ba|z|da|k|a)?sh\b/.test(first)
}

/** Where a redirection reads from, for those who need the names in it. */
export function fileOf(word: Field, state: State): string | undefined {
  const [path, ...others] = unite(state.standing.now.map((cwd) => resolvePath(word.text, { ...state, cwd })))
  return others.length === 0 && isKnown(word.text) ? path : undefined
}
