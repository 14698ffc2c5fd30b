import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { simpleWords } from '../../shell/syntax/index.ts'
import { type Environment, hostDirectory } from '../environment.ts'
import { findOnPath, type Launch, launchScript } from './script.ts'

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
    z
      .enum(['sh', 'bash', 'auto'])
      .check(
        z.describe(
          'The shell for a command without `args`; `auto` is bash where it is installed, else sh. Default: `sh`.',
        ),
      ),
  ),
  files: z.optional(
    z
      .array(z.string().check(z.minLength(1), withoutNul))
      .check(
        z.describe(
          'More files and directories that are approved with the hook, such as what its script loads. A change in one of them is a change of the hook.',
        ),
      ),
  ),
  lend_jq: z.optional(z.boolean().check(z.describe('Lend the hook a `jq` where none is installed.'))),
  lend_python: z.optional(
    z
      .boolean()
      .check(
        z.describe('Lend scripts in Python the module `core.http_client` of Starchild, which sends guarded requests.'),
      ),
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
  sh: { find: (_path: string | undefined, sh: string) => sh, args: ['-c'] },
  bash: { find: (path: string | undefined) => findBash(path) ?? 'bash', args: ['--norc', '--noprofile', '-c'] },
} as const

/** Where POSIX has its shell. */
export const systemShell = '/bin/sh'

/**
 * How to start it. Scripts that the system would refuse are handed to their interpreter, and those that name none to
 * the shell of the command. What is lent to the hook is added to its environment.
 */
export function launch(spec: Program, env: Environment, cwd: string | undefined, sh = systemShell): Launch {
  const { command, args, shell = 'sh' } = spec
  const { find, args: options } = shells[shell === 'auto' ? (findBash(env['PATH']) ? 'bash' : 'sh') : shell]
  const interpreter = find(env['PATH'], sh)
  if (spec.lend_jq) lendPrograms(env)
  if (spec.lend_python) lendModules(env)
  const script = (file: string, words: readonly string[]) =>
    launchScript(resolve(cwd ?? hostDirectory(), file), words, env['PATH'], interpreter)
  if (args !== undefined) return (command.includes('/') && script(command, args)) || { file: command, args }
  const words = command.includes('/') ? simpleWords(command, env) : undefined
  return (words && script(words[0]!, words.slice(1))) || { file: interpreter, args: [...options, command] }
}

/** Where bash is, by PATH: it neither moves nor vanishes while we run. */
const bashes = new Map<string | undefined, string | undefined>()

function findBash(path: string | undefined): string | undefined {
  if (!bashes.has(path)) {
    if (bashes.size > 100) bashes.clear()
    bashes.set(path, findOnPath('bash', path))
  }
  return bashes.get(path)
}

/** Programs for hooks that expect them: in the package, beside the built files. */
const lentPrograms = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../shims' : '../shims', import.meta.url),
)

/** Behind what the hook itself names. */
function lendModules(env: Environment): void {
  const own = env['PYTHONPATH']
  env['PYTHONPATH'] = [...(own ? [own] : []), join(lentPrograms, 'python')].join(delimiter)
  env['HOOKLINE_NODE'] = process.execPath
}

/** Last on PATH, so that whatever is installed comes first. */
function lendPrograms(env: Environment): void {
  env['PATH'] = `${env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}${delimiter}${lentPrograms}`
  env['HOOKLINE_NODE'] = process.execPath
}
