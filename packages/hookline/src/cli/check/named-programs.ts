import { isShell, isShellBuiltin, runsScripts } from '../../shell/index.ts'
import { readShell, type ShellCommand, textOf } from '../../shell/syntax/index.ts'
import { type Certainty, certaintyOf, oneCommand, unquoted } from './certainty.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** A program that a shell command names outright, with its arguments as far as they are certain. */
export interface Named {
  name: string
  args: readonly (string | undefined)[]
  /** It is always run, as the first thing the command does; and the command fails where it fails. */
  first: boolean
}

export interface NamedPrograms {
  programs: Named[]
  /** The command changes its directory or its search path: where things lie is then not known. */
  moves: { directory: boolean; path: boolean }
}

/**
 * What a shell command, or a program with its arguments, runs by name. Left out is what need not be there: what the
 * command defines, looks for, writes or installs itself, and what it goes on without.
 */
export function namedPrograms(source: string | readonly string[], env: Variables): NamedPrograms {
  const programs: (Named & { spelled: readonly string[] })[] = []
  const provided = new Set<string>()
  const moves = { directory: false, path: false }
  let seen = 0
  if (typeof source === 'string') readText(source, true)
  else read(source, { spelled: source, decides: true, excused: false, substituted: false })
  return {
    programs: programs
      .filter(({ name, spelled }) => ![name, ...spelled].some((word) => provided.has(word)))
      .map(({ spelled: _spelled, ...named }) => named),
    moves,
  }

  function readText(text: string, decides: boolean): void {
    const { commands, functions, broken, single } = readShell(text)
    if (broken) return
    const certainty = single && commands.length === 1 ? oneCommand : certaintyOf(text)
    const lookup = (name: string) => (certainty.assigned.has(name) ? undefined : env[name])
    for (const name of [...functions, ...certainty.mentioned]) provided.add(name)
    for (const command of commands) {
      const { assignments, words, substituted } = command
      if ([...assignments, ...words].some(({ raw }) => /^PATH\+?=/.test(raw))) moves.path = true
      const place = placeOf(command, certainty)
      const spelled = words.map(({ raw }) => unquoted(raw))
      const values = words.map((word) => textOf(word, lookup))
      read(values, { ...place, spelled, substituted, decides: decides && place.decides })
    }
  }

  function read([name, ...args]: readonly (string | undefined)[], place: Place): void {
    if (name === undefined) return
    const spelled = place.spelled.slice(1)
    if (name === 'exec' || (name === 'command' && args[0]?.startsWith('-') === false)) {
      read(args, { ...place, spelled })
      return
    }
    const first = !place.substituted && seen++ === 0
    if (/^(?:cd|pushd|chdir)$/.test(name)) moves.directory = true
    // What another text defines, and where it goes, is not known here.
    if (/^(?:\.|source|eval)$/.test(name)) moves.directory = moves.path = true
    if (name === 'alias') for (const word of spelled) provided.add(word.split('=')[0]!)
    const runsFile = runsScripts(name)
    if (!runsFile && !/^(?:echo|printf)$/.test(name)) for (const word of spelled) provided.add(word)
    if (!isShellBuiltin(name) && !place.excused && mayBeProgram(name))
      programs.push({ name, args, first: first && place.decides, spelled: place.spelled.slice(0, runsFile ? 2 : 1) })
    if (!isShell(name) || args[0] !== '-c' || args[1] === undefined || place.excused) return
    // What a shell runs first is run whenever the shell is.
    if (first) seen = 0
    readText(args[1], place.decides)
  }
}

/** What surrounds a command: its words as they are written, and what becomes of its failure. */
interface Place {
  spelled: readonly string[]
  decides: boolean
  excused: boolean
  substituted: boolean
}

function placeOf({ words: [name] }: ShellCommand, { decides, isExcused }: Certainty) {
  const at = name?.span?.[0]
  return at === undefined ? { decides: false, excused: false } : { decides: decides(at), excused: isExcused(at) }
}

/** A word that no program is called was read wrongly, and is something else: a format, a pattern. */
function mayBeProgram(name: string): boolean {
  return name.includes('/') ? !/^~|[\n*?]/.test(name) : /^\w[\w.+@-]*$/.test(name)
}
