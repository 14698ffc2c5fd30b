import { dirname, sep } from 'node:path'
import type { CallEffects } from '../../core/index.ts'
import { programName } from '../../shell/index.ts'

/** What watches over the agent, with links followed, and where the agent works. */
export interface Watched {
  paths: readonly string[]
  cwd: string
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
  const stashed =
    runs.some((words) => isStash(words)) &&
    watched.paths.find((kept) => isAbove(watched.cwd, kept) && tracked(kept) === false)
  if (stashed) return stashed
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

/** It takes untracked files along. */
const isStash = (words: readonly string[]): boolean =>
  programName(words[0] ?? '') === 'git' &&
  words.includes('stash') &&
  words.some((word) => /^(?:-\w*[ua]\w*|--include-untracked|--all)$/.test(word))

/** It takes files out of the working tree that git goes on to know. */
const isSparse = (words: readonly string[]): boolean =>
  programName(words[0] ?? '') === 'git' &&
  words.includes('sparse-checkout') &&
  words.some((word) => /^(?:set|init|reapply)$/.test(word))

/** It leaves alone what git knows. */
const isClean = (by: readonly string[] | undefined): boolean =>
  by !== undefined && programName(by[0] ?? '') === 'git' && by.includes('clean')

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
