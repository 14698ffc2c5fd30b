/** How the interpreters and compilers are called that carry a version in their name: `python3.12`, `node20`. */
const versioned = /^(python|pypy|perl|ruby|node|lua|php|pip|gcc|clang|g\+\+)-?\d[\d.]*$/

/** No file system has longer ones. */
const LONGEST_NAME = 256

/** The name by which tables know a program: no directory, no `.exe`, no version, lower case. */
export function programName(text: string): string {
  const slash = Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'))
  const base = text.slice(slash + 1, slash + 1 + LONGEST_NAME)
  // `npx hookline@latest` runs hookline.
  const name = base.toLowerCase().replace(/(?<=\w)@[\w.^~*-]*$|\.exe$/, '')
  return versioned.exec(name)?.[1] ?? name
}
/** A row of a table by a name that comes from the line: `constructor` and its kind are nobody's rows. */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Commands of POSIX shells and bash that need no program. */
const names =
  '. : [ alias bg bind break builtin caller case cd chdir command compgen complete compopt continue coproc declare ' +
  'dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout ' +
  'mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test time times trap ' +
  'true type typeset ulimit umask unalias unset wait'
const shellBuiltins = new Set(names.split(' '))

export const isShellBuiltin = (name: string): boolean => shellBuiltins.has(name)
