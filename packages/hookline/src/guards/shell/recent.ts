import { analyseCommand, type ShellInput } from './index.ts'
import type { ShellVerdict } from './types.ts'

/**
 * The rules of an agent and several guards judge one call, before and after hooks rewrite it: the analysis is pure, and
 * the last ones are kept.
 */
const recent = new Map<string, ShellVerdict>()
const keptAtMost = 64
const longestKept = 4_096

export function analyseOnce(input: ShellInput): ShellVerdict {
  const { command, cwd, home } = input
  if (command.length > longestKept) return analyseCommand(input)
  const key = `${cwd}\0${home}\0${command}`
  const known = recent.get(key)
  if (known) return known
  const verdict = analyseCommand(input)
  if (recent.size >= keptAtMost) recent.delete(recent.keys().next().value!)
  recent.set(key, verdict)
  return verdict
}
