import { readdirSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, extname, isAbsolute, join, resolve } from 'node:path'
import type { Pin, Run } from '../core/index.ts'
import { existingRealPath } from '../platform/index.ts'
import { isCodeFile, isShell } from '../shell/index.ts'
import type { Lookup } from '../shell/syntax/index.ts'
import type { Approvable, FoundProgram, PinnedFile } from './digest.ts'
import { isInside, lookAt, readScript } from './files.ts'
import { loadsOf, modulesBeside, pythonFiles } from './loads.ts'
import { looksAbove, type Word } from './programs.ts'

/** How a hook would run: where, with which variables, and what of; so what a path in its command means. */
export interface Place {
  directory: string
  variable: Lookup
  /** What becomes of an argument before it is handed over. Absent: nothing; a shell knows its variables itself. */
  fill?(argument: string): string
  /** Follows links, undefined where nothing is; for many hooks at one moment, one that remembers. Absent: as the disk is now. */
  real?(path: string): string | undefined
  /** Which bytes a run of this type runs besides its definition, as its executor says. Absent: nobody says. */
  pins?(run: Run): readonly Pin[]
  /** What of a run holds although nobody has approved it, as its executor says. Absent: nothing. */
  withoutApproval?(run: Run): UnapprovedPart | undefined
}

/** The part of a hook that needs no approval. */
export interface UnapprovedPart {
  /** What it changes in the spec. */
  run: Readonly<Record<string, unknown>>
  /** An approval would add nothing: it is the whole hook, and its words are ours. */
  whole: boolean
  /** Something of it does not count before an approval. Not just words: those the person reads at once, and the model later. */
  waits: boolean
}

/** Which bytes run. */
export interface Pinned {
  files: PinnedFile[]
  programs: FoundProgram[]
  /** What runs besides and cannot be known beforehand. */
  unpinned: string[]
  /** Which of the files run where they are, and why; the others run from copies of the approved bytes. */
  inPlace: string[]
  /** Why this may not be approved at all. */
  refused: string[]
  warnings: string[]
}

/** A word that names one of the files, after what stands before its path in the word; that holds shell text; or another program text than it runs as. */
export type Use = { path: string; before: string } | { source: string; words: readonly Word[] } | { instead: string }

const largestScript = 1024 * 1024
const mostFiles = 1_000

/** Collects what is found, each thing once. */
export class Pins {
  readonly found: Pinned = { files: [], programs: [], unpinned: [], inPlace: [], refused: [], warnings: [] }
  /** The words that can name a copy instead. */
  readonly uses = new Map<Word, Use>()
  readonly place: Place
  readonly lookup: Lookup
  /** Directories that a relative path may start from: where the hook runs, and where it may have gone since. */
  readonly #bases: string[]
  readonly #config: string | undefined
  #knownRoots: string[] | undefined

  constructor(place: Place, hook: Pick<Approvable, 'origin'>) {
    this.place = place
    this.lookup = place.variable
    this.#bases = [place.directory]
    this.#config = hook.origin.where?.file
  }

  /** What a project could have written: where the hook runs, and where its config lies. */
  get #roots(): string[] {
    if (this.#knownRoots) return this.#knownRoots
    const { directory } = this.place
    const config = this.#config === undefined ? directory : dirname(resolve(this.#config))
    this.#knownRoots = isInside(config, directory) ? [directory] : [directory, config]
    return this.#knownRoots
  }

  get #searchPath(): string {
    return this.lookup('PATH') ?? '/usr/local/bin:/usr/bin:/bin'
  }

  /** A file that runs; a relative one is looked for wherever the hook may stand. `word` names it, from `before` on. */
  path(path: string, shell: boolean, word?: Word, before = ''): void {
    const candidates = this.#candidates(path)
    for (const file of candidates) this.file(file, shell)
    const there = candidates.filter((file) => statOf(file)?.isFile())
    const why =
      there.length > 1 ? 'it could be one of several' : word ? this.#reachOf(there[0]) : 'it is data to its program'
    if (there.length === 0) return
    if (why !== undefined) this.#stays(there, why)
    else this.uses.set(word!, { path: there[0]!, before })
  }

  file(path: string, shell = false): void {
    if (this.found.files.some((known) => known.path === path)) return
    const { file, refused, warning } = lookAt(path, this.#roots)
    this.found.files.push(file)
    if (refused !== undefined) this.found.refused.push(refused)
    if (warning !== undefined) this.found.warnings.push(warning)
    if (!('missing' in file)) this.#inside(file, path, shell)
  }

  /** These words cannot be replaced, so the files they name run where they are. */
  stay(words: readonly Word[], why: string): void {
    for (const word of words) {
      const use = this.uses.get(word)
      if (use && 'path' in use) this.#stays([use.path], why)
      else if (use && 'words' in use) this.stay(use.words, why)
      this.uses.delete(word)
    }
  }

  /**
   * An operand is a script if it stands where one is expected, or looks like one. Says whether it is there. `runs`:
   * its program would run it, or hand it on to what does.
   */
  operand(word: Word, { expected, shell, runs }: { expected: boolean; shell: boolean; runs: boolean }): boolean {
    const { text } = word
    if (text === undefined) {
      if (expected || isCodeFile(word.raw.replace(/["']/g, ''))) this.open(word)
      return expected
    }
    const value = /^--?[\w-]+=(.+)$/s.exec(text)?.[1] ?? text
    const candidates = this.#candidates(value)
    const isThere = candidates.some((path) => statOf(path)?.isFile())
    const looksLikeCode = isCodeFile(value) || candidates.some((path) => isExecutableFile(path))
    if (expected && candidates.some((path) => statOf(path)?.isDirectory())) {
      this.found.unpinned.push(`${value} is a directory`)
      return true
    }
    const isSpecial = candidates.some((path) => statOf(path)?.isFile() === false)
    if (expected ? isThere || isSpecial || value.includes('/') || isCodeFile(value) : looksLikeCode)
      this.path(value, shell, runs ? word : undefined, text.slice(0, text.length - value.length))
    return isThere
  }

  /** What `.` and `source` name. */
  sourced(word: Word | undefined): void {
    if (word?.text === undefined) this.open(word ?? { raw: 'source' })
    else this.path(word.text, false, word)
  }

  enter(word: Word | undefined): void {
    const { text } = word ?? { text: this.lookup('HOME') }
    if (text === undefined) this.open(word!)
    else
      this.#bases.push(...this.#bases.map((base) => resolve(base, text)).filter((base) => !this.#bases.includes(base)))
  }

  /** `python -m name`: where the hook works comes first, whatever is installed. */
  pythonModule(name: string): void {
    for (const base of this.#bases) {
      const from = join(base, '-')
      const files = pythonFiles(name, { file: from, program: from })
      for (const file of files) this.file(file)
      if (files.length > 0) this.#stays(files, 'Python finds it by its name')
      const first = join(base, name.split('.')[0]!)
      this.#mustStayAway([`${first}.py`, join(first, '__init__.py')].filter((path) => !statOf(path)))
    }
  }

  /** A directory with everything in it, or a file. */
  tree(path: string): void {
    if (!statOf(path)?.isDirectory()) this.file(path)
    else
      for (const entry of readdirSync(path, { withFileTypes: true }).sort((one, other) =>
        one.name < other.name ? -1 : 1,
      )) {
        if (this.found.files.length >= mostFiles) {
          this.found.refused.push(`${path} holds more than ${mostFiles} files`)
          return
        }
        this.tree(join(path, entry.name))
      }
  }

  open(word: Word): void {
    this.found.unpinned.push(`${word.raw} is known only when it runs`)
  }

  /** Where a program is, by its name or path; gives back whether there is one. `word` names it in the command. */
  program(name: string, word?: Word): boolean {
    const path = name.includes('/')
      ? resolve(this.place.directory, name)
      : findOnPath(name, this.#searchPath, this.place.directory)
    const real = this.place.real ?? existingRealPath
    const realpath = path === undefined ? null : (real(path) ?? null)
    if (!this.found.programs.some((known) => known.name === name)) this.found.programs.push({ name, realpath })
    // The project's own is no program of the machine: its bytes count too.
    if (path !== undefined && realpath !== null && this.#roots.some((root) => isInside(realpath, real(root) ?? root))) {
      if (word && name.includes('/')) this.path(name, false, word)
      else this.file(path)
    }
    return realpath !== null
  }

  /** Python runs whatever module it finds beside a program, so all of them count where the program has no directory of its own. */
  #stays(paths: readonly string[], why: string): void {
    this.found.inPlace.push(`${paths.join(', ')}: ${why}`)
    for (const path of paths) for (const module of modulesBeside(path)) this.#load(module, path)
  }

  /** A copy has the files around the original beside it, but cannot stand where the original stands. */
  #reachOf(path: string | undefined): string | undefined {
    const file = this.found.files.find((file) => file.path === path)
    if (!file || 'missing' in file || !insideOf(file.realpath, file.sha256).looksAbove) return undefined
    return 'it looks above its own directory'
  }

  #candidates(path: string): string[] {
    return isAbsolute(path) ? [resolve(path)] : this.#bases.map((base) => resolve(base, path))
  }

  /** What a script names inside: its interpreter, what it sources, and what it loads from beside it; and so on. */
  #inside(
    { realpath, sha256 }: { realpath: string; sha256: string },
    path: string,
    shell: boolean,
    program = path,
  ): void {
    const { interpreter, sources, programs, text } = insideOf(realpath, sha256)
    if (interpreter) this.program(interpreter)
    const inShell = interpreter
      ? isShell(interpreter)
      : extname(path) === ''
        ? shell
        : /^\.(?:sh|bash|zsh|ksh)$/.test(extname(path))
    const from = { file: path, program, workspace: this.place.directory, root: this.#projectAround(path) }
    const { files, absent, unpinned, unknown } = loadsOf(text, from, interpreter, inShell)
    for (const file of files) this.#load(file, inShell ? file : program)
    this.#mustStayAway(absent)
    this.found.unpinned.push(...unpinned)
    if (unknown) this.found.unpinned.push(`${path} loads more code, by names that are known only when it runs`)
    if (!inShell) return
    for (const name of programs) this.#programOfProject(name)
    if (/(?:^|[\s;&|({])PATH\+?=/m.test(text))
      this.found.unpinned.push(`${path} sets PATH, so where its programs are is known only when it runs`)
    for (const raw of sources) this.#source(raw, path)
  }

  /** What a shell script sources; where nothing is yet, nothing may come to be. */
  #source(raw: string, path: string): void {
    const literal = raw.replace(/["']/g, '')
    const [, variable, beside] = /^(\$\([^)]*\)|\$\{[^}]*\}|\$\w+)\/([^$`*?]+)$/.exec(literal) ?? []
    const known = variable === undefined || /^\$(?:\{?PWD\}?|\(pwd\)|\(dirname\b.*)$/.test(variable)
    const places =
      beside !== undefined && !/PWD|pwd/.test(variable!) ? [dirname(path)] : [...this.#bases, dirname(path)]
    const candidates = /[$`*?<>()|]/.test(beside ?? literal)
      ? []
      : places.map((place) => resolve(place, beside ?? literal))
    const files = candidates.filter((file) => statOf(file)?.isFile())
    for (const file of files) this.#load(file, path, true)
    if (files.length > 0) return
    this.#mustStayAway(candidates)
    if (candidates.length === 0 || !known) this.found.unpinned.push(`${path} sources ${raw}`)
  }

  #mustStayAway(paths: readonly string[]): void {
    for (const path of paths)
      if (!this.found.files.some((known) => known.path === path)) this.found.files.push({ path, missing: true })
  }

  /** By its name in a script: of the machine's, nobody wants to hear; the project's own counts, and one that comes to be there. */
  #programOfProject(name: string): void {
    const own = this.#searchPath
      .split(delimiter)
      .map((directory) => resolve(this.place.directory, directory))
      .some(
        (directory) => this.#roots.some((root) => isInside(directory, root)) && isExecutableFile(join(directory, name)),
      )
    if (own) this.program(name)
  }

  /** Not where the hook works, which changes from event to event, but where its config lies: `.claude` and the like belong to the directory around them. */
  #projectAround(path: string): string {
    const config = this.#config === undefined ? this.place.directory : dirname(resolve(this.#config))
    const around = basename(config).startsWith('.') ? dirname(config) : config
    return isInside(path, around) ? around : this.place.directory
  }

  /** A file that a script loads; what it loads in turn counts too. */
  #load(path: string, program: string, shell = false): void {
    if (this.found.files.some((known) => known.path === path)) return
    if (this.found.files.length >= mostFiles) {
      const full = `${program} loads more than ${mostFiles} files`
      if (!this.found.refused.includes(full)) this.found.refused.push(full)
      return
    }
    const { file, refused } = lookAt(path, this.#roots)
    this.found.files.push(file)
    if (refused !== undefined) this.found.refused.push(refused)
    if (!('missing' in file)) this.#inside(file, path, shell, program)
  }
}

/** A relative directory on the path begins where the hook runs. */
function findOnPath(name: string, searchPath: string, from: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((directory) => resolve(from, directory, name))
    .find(isExecutableFile)
}

function isExecutableFile(path: string): boolean {
  const stats = statOf(path)
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

interface Inside {
  interpreter?: string
  /** The words behind `source` and `.`, as they are written. */
  sources: string[]
  /** Programs that it runs by their names. */
  programs: string[]
  /** It goes up from where it stands itself. */
  looksAbove: boolean
  text: string
}

const sourcing =
  /(?:^|[;&|{(]|\bthen|\bdo)[ \t]*(?:source|\.)[ \t]+((?:"[^"\n]*"|'[^'\n]*'|\$\([^)\n]{0,200}\)|[^\s;&|"'])+)/gm
/** Roughly: what stands where a command begins, and some words more. */
const startsCommand =
  /(?:^|[;&|({`]|\b(?:then|do|else|exec|env|command|time|xargs|if|while|until|!))[ \t]*([A-Za-z_][\w.+-]{0,60})(?=[\s;&|)]|$)/gm
const insides = new Map<string, Inside>()

/** The same bytes say the same, so each script is read once. */
function insideOf(realpath: string, sha256: string): Inside {
  const known = insides.get(sha256)
  if (known) return known
  const text = readScript(realpath, largestScript) ?? ''
  const [, named, rest] = /^\ufeff?#![ \t]*(\S+)[ \t]*([^\r\n]*)/.exec(text) ?? []
  const interpreter = basename(named ?? '') === 'env' ? rest?.split(/\s+/).find((word) => !/^-|=/.test(word)) : named
  const inside = {
    ...(interpreter ? { interpreter } : {}),
    sources: [...text.matchAll(sourcing)].map(([, raw]) => raw!),
    programs: [...new Set([...text.matchAll(startsCommand)].map(([, name]) => name!))].slice(0, 200),
    looksAbove: looksAbove(text),
    text,
  }
  if (insides.size > 200) insides.clear()
  insides.set(sha256, inside)
  return inside
}
