import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { type Environment, hostDirectory } from '../environment.ts'
import { type Launch, launchScript } from './script.ts'
import { simpleWords } from './words.ts'

const withoutNul = z.refine<string>((text) => !text.includes('\0'), 'holds a NUL byte, which no system can pass on')

/** What to run: shared by every executor that starts processes. */
export const programFields = {
  command: z
    .string()
    .check(
      z.minLength(1),
      withoutNul,
      z.describe('A shell command; with `args`, a program that is run without a shell.'),
    ),
  args: z.optional(z.array(z.string().check(withoutNul)).check(z.describe('Arguments of the program `command`.'))),
  shell: z.optional(
    z.enum(['sh', 'bash']).check(z.describe('The shell for a command without `args`. `sh` unless told.')),
  ),
  clean_env: z.optional(
    z
      .boolean()
      .check(z.describe('Give the hook PATH, HOME, locale and the like only, not the environment of the host.')),
  ),
}
const program = z.object(programFields)
export type Program = z.infer<typeof program>

/** Never a login shell, and no start-up files: what a profile prints would spoil the reply. */
const shells = {
  sh: { file: '/bin/sh', args: ['-c'] },
  bash: { file: 'bash', args: ['--norc', '--noprofile', '-c'] },
} as const

/** How to start it. Scripts that the system would refuse are handed to their interpreter. */
export function launch({ command, args, shell = 'sh' }: Program, env: Environment, cwd: string | undefined): Launch {
  if (args !== undefined) return (command.includes('/') && script(command, args, env, cwd)) || { file: command, args }
  const words = command.includes('/') ? simpleWords(command, env) : undefined
  const ready = words && script(words[0] as string, words.slice(1), env, cwd)
  return ready || { file: shells[shell].file, args: [...shells[shell].args, command] }
}

function script(file: string, args: readonly string[], env: Environment, cwd: string | undefined): Launch | undefined {
  return launchScript(resolve(cwd ?? hostDirectory(), file), args, env['PATH'])
}
