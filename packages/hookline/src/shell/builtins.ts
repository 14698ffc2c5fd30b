/** Commands of POSIX shells and bash that need no program. */
const names =
  '. : [ alias bg bind break builtin caller case cd chdir command compgen complete compopt continue coproc declare ' +
  'dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout ' +
  'mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test time times trap ' +
  'true type typeset ulimit umask unalias unset wait'
const shellBuiltins = new Set(names.split(' '))

export const isShellBuiltin = (name: string): boolean => shellBuiltins.has(name)
