import { isAbsolute, resolve } from 'node:path'
import type { BuiltinKit } from '../core/index.ts'
import { checkPath, type PathVerdict } from '../guards/paths/index.ts'
import { analyseOnce, type ShellVerdict } from '../guards/shell/index.ts'
import { type PathUse, pathsOf, shellOf, type ToolCall } from './tools.ts'

/** What the shell guard says of a call that runs a command; undefined for any other call. */
export function judgeShell(call: ToolCall, kit: BuiltinKit): ShellVerdict | undefined {
  const shell = shellOf(call)
  return shell && analyseOnce({ command: shell.command, cwd: shell.cwd ?? kit.cwd, home: kit.home })
}

/** What the path guard says of each file that a call names, links followed. */
export async function judgePaths(
  call: ToolCall,
  kit: BuiltinKit,
  roots?: readonly string[],
): Promise<(PathUse & PathVerdict & { full: string })[]> {
  const real = roots && (await Promise.all(roots.map((root) => kit.realpath(root))))
  return Promise.all(
    pathsOf(call).map(async (use) => {
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
