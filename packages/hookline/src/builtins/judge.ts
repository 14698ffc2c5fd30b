import { isAbsolute, resolve } from 'node:path'
import type { BuiltinKit } from '../core/index.ts'
import { checkPath, type PathVerdict } from '../guards/paths/index.ts'
import { analyseIf, analyseOnce, readsOf, type ShellVerdict } from '../guards/shell/index.ts'
import { isOwnRepository } from './repositories.ts'
import { type PathUse, pathsOf, shellOf, type ToolCall } from './tools.ts'

/** What the shell guard says of a call that runs a command; undefined for any other call. */
export function judgeShell(call: ToolCall, kit: BuiltinKit): ShellVerdict | undefined {
  const shell = shellOf(call, kit)
  return shell && analyseOnce({ command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home })
}

/** Whether a command only reads, here and now: where git looks is the user's own repository, and no link leads to secrets. */
export async function onlyReads(call: ToolCall, kit: BuiltinKit): Promise<ShellVerdict | undefined> {
  const shell = shellOf(call, kit)
  if (!shell) return undefined
  const input = { command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home }
  const { verdict, repositories } = analyseIf(input)
  if (verdict.verdict !== 'safe') return undefined
  const places = await Promise.all(repositories.map((each) => kit.realpath(each)))
  const own = await Promise.all(places.map((each) => isOwnRepository(each, kit)))
  if (own.includes(false) || (await linkedSecret(call, kit)) !== undefined) return undefined
  return verdict
}

/** More words of a line are not looked up on disk. */
const mostLookups = 200

/**
 * Why the path guard would refuse what a command reads, where only a link on disk shows that: `cat notes.txt`, where
 * `notes.txt` leads to a key. A link to a directory counts for what lies behind it.
 */
export async function linkedSecret(call: ToolCall, kit: BuiltinKit): Promise<string | undefined> {
  for (const path of commandReads(call, kit)) {
    const real = await kit.realpath(path)
    if (real === path) continue
    const { verdict, why } = checkPath({ path: real, access: 'read', cwd: kit.cwd, home: kit.home })
    if (verdict === 'sensitive') return `${JSON.stringify(path)} is a link. ${why}`
  }
  return undefined
}

/** The files that a command reads out, by their full paths. */
export function commandReads(call: ToolCall, kit: BuiltinKit): string[] {
  const shell = shellOf(call, kit)
  if (!shell) return []
  const paths = readsOf({ command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home })
  return [...new Set(paths.filter(isAbsolute))].slice(0, mostLookups)
}

/**
 * Why nobody knows what a command does: the guard has a budget, and this is beyond it. Whoever judges commands asks then,
 * or padding would buy silence; where nobody can be asked, the engine makes a refusal of that.
 */
export function unreadable(judged: ShellVerdict | undefined): string | undefined {
  if (!judged?.categories.includes('limit')) return undefined
  return `The command could not be read to its end, so what it does is not known. It starts: ${judged.blamed}`
}

/** What the path guard says of each file that a call names, links followed. */
export async function judgePaths(
  call: ToolCall,
  kit: BuiltinKit,
  roots?: readonly string[],
): Promise<(PathUse & PathVerdict & { full: string })[]> {
  const real = roots && (await Promise.all(roots.map((root) => kit.realpath(root))))
  return Promise.all(
    pathsOf(call, kit).map(async (use) => {
      const full = absolute(use.path, kit)
      const question = { ...use, cwd: kit.cwd, home: kit.home, realpath: await kit.realpath(full) }
      return { ...use, full, ...checkPath(real && use.access === 'write' ? { ...question, roots: real } : question) }
    }),
  )
}

export function absolute(path: string, kit: Pick<BuiltinKit, 'cwd' | 'home'>): string {
  if (path === '~' || path.startsWith('~/')) return resolve(kit.home, path.slice(2))
  return isAbsolute(path) ? path : resolve(kit.cwd, path)
}

/** The words of a command line, roughly: for patterns people wrote, not for judging what the line does. */
export const wordsOf = (command: string): string[] => command.split(/[\s'"`;|&<>()=,]+/).filter((word) => word !== '')
