import { dirname, resolve, sep } from 'node:path'
import type { CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'

/** What watches over the agent, with links followed, and where the agent works. */
export interface Watched {
  paths: readonly string[]
  cwd: string
  /** Rules in here are the project's, and differ from branch to branch. */
  workspace: string
}

/** The protected path that a call would take away together with a directory above it; undefined: none. */
export function takenAway({ changes, runs, tracked }: CallEffects, watched: Watched): string | undefined {
  for (const { does, paths, by } of changes)
    for (const path of paths)
      for (const kept of watched.paths) {
        // Who would take away the whole machine is stopped by others, in words that fit better.
        if (!isAbove(path, kept) || /^\/*$/.test(path)) continue
        if (does === 'delete' && !(isClean(by) && tracked(kept) === true)) return kept
        if (does === 'write' && changesItself(by, path, watched.cwd)) return kept
      }
  const stashed = changes
    .filter(({ by = [] }) => isGit(by) && by.includes('stash'))
    .flatMap(({ paths, by = [] }) =>
      watched.paths.filter((kept) => {
        if (tracked(kept) === true || !(takesUntracked(by) || runs.some((words) => adds(words, kept)))) return false
        // Where it works is not always known: a variable may say it.
        return paths.length === 0 || paths.some((path) => isAbove(path, kept))
      }),
    )[0]
  if (stashed) return stashed
  const switched = watched.paths.find(
    (kept) =>
      !isAbove(watched.workspace, kept) &&
      tracked(kept) === true &&
      runs.some((words) => isGit(words) && words.some((word) => switching.test(word))) &&
      directoriesOf(runs, watched.cwd).some((path) => isAbove(path, kept)),
  )
  if (switched) return switched
  const hidden =
    runs.some((words) => isSparse(words)) &&
    watched.paths.find((kept) => isAbove(watched.cwd, kept) && tracked(kept) === true)
  if (hidden) return hidden
  return runs
    .filter((words) => covering.test(programName(words[0] ?? '')) || words.includes('--exchange'))
    .map((words) => named(words, watched))
    .find((kept) => kept !== undefined)
}

/** Whether one is the other or lies above it. Some file systems take no notice of case; a guard must not be passed by it. */
export function isAbove(path: string, kept: string): boolean {
  const [outer, inner] = [path, kept].map((each) => each.normalize('NFC').toLowerCase()) as [string, string]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

const isGit = ([program = '']: readonly string[]): boolean => programName(program) === 'git'

/** Whether git knows a file from then on. */
const adds = (words: readonly string[], kept: string): boolean =>
  isGit(words) &&
  words.includes('add') &&
  words.some((word) => /^(?:\.|-A|--all|:\/|\*)$/.test(word) || `${kept}/`.includes(`/${word.replace(/\/+$/, '')}/`))

/** What may leave other files in the place of those that git knows, or none. */
const switching = /^(?:checkout|switch|reset|merge|pull|rebase|read-tree|bisect|cherry-pick|revert|am|stash|restore)$/

/** Where the commands of a line may work: where it begins, and where its words lead. */
export function directoriesOf(runs: CallEffects['runs'], cwd: string): string[] {
  const named = runs.flatMap((words) => [
    ...(/^(?:cd|pushd|chdir)$/.test(words[0] ?? '') ? words.slice(1) : []),
    ...words.flatMap((word, at) => (words[at - 1] === '-C' ? [word] : (/^--work-tree=(.+)/.exec(word)?.[1] ?? []))),
  ])
  return [cwd, ...named.map((path) => resolve(cwd, path))]
}

const takesUntracked = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:-\w*[ua]\w*|--include-untracked|--all)$/.test(word))

/** It takes files out of the working tree that git goes on to know. */
const isSparse = (words: readonly string[]): boolean =>
  isGit(words) && words.includes('sparse-checkout') && words.some((word) => /^(?:set|init|reapply)$/.test(word))

/** It leaves alone what git knows. */
const isClean = (by: readonly string[] | undefined): boolean => by !== undefined && isGit(by) && by.includes('clean')

/** Programs that make a directory another one, or keep its owner out: to others, writing to a directory is writing into it. */
const onItself = /^(?:chmod|chown|chgrp|chflags|chattr|setfacl|xattr|chcon|ln|mv|rename|exch|unlink|install)$/
const code = /^(?:python[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|bun|deno|php[\d.]*|lua[\d.]*)$/

function changesItself(by: readonly string[] | undefined, path: string, cwd: string): boolean {
  const program = programName(by?.[0] ?? '')
  if (!onItself.test(program) && !code.test(program)) return false
  // In the workspace, what cannot be read blocks everything anyway, and changing modes there is ordinary work.
  return !isAbove(path, cwd) || isAbove(dirname(cwd), path)
}

/** Programs that put something else over a directory. */
const covering =
  /^(?:bwrap|firejail|proot|nsenter|systemd-nspawn|mergerfs|fuse-overlayfs|mount|umount|bindfs|fusermount3?|sshfs|overlay|unshare|rename|prename|exch|diskutil|mklink)$/

function named(words: readonly string[], { paths }: Watched): string | undefined {
  return paths.find((kept) => words.slice(1).some((word) => word.startsWith('/') && isAbove(word, kept)))
}
