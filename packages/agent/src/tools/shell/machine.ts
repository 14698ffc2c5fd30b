import { analyseOnce, providers } from 'hookline/internal'
import * as z from 'zod/mini'
import { expandAll } from '../../core/index.ts'
import type { Container } from '../container/index.ts'
import { type ToolsetContext, text } from '../define.ts'
import { diskFiles } from '../files/disk.ts'
import { directoryAt, type Files } from '../files/files.ts'

/** What the tools that run commands work on. */
export interface Machine {
  cwd: string
  home: string
  files: Files
  env: Record<string, string>
  timeoutMs: number
  /** Where commands run, when not on the machine itself. */
  container: Container | undefined
}

export const commandLine = {
  command: z
    .string()
    .check(z.regex(/\S/, 'must not be blank'), z.describe('A command line for bash.'))
    .check(z.regex(/^[^\0]*$/, 'must not hold a NUL byte')),
  cwd: z.optional(text('The directory to run it in; the workspace, if left out.')),
}

/** docker-agent's name for it. */
export const aliases = { cmd: 'command' }

/** Only what is known to change nothing, in every part. */
export const onlyReads = ({ command, cwd }: { command: string; cwd?: string | undefined }, on: Machine): boolean =>
  (cwd === undefined || cwd === '.') && analyseOnce({ command, cwd: on.cwd, home: on.home }).verdict === 'safe'

export const directoryFor = async (cwd: string | undefined, { files }: Machine): Promise<string> =>
  (await directoryAt(files, cwd ?? '.')).path

const defaultTimeoutMs = 120_000

export function machineIn(context: ToolsetContext, env: Readonly<Record<string, unknown>> = {}): Machine {
  const { cwd, home } = context
  const files = diskFiles({ cwd, home, roots: [cwd], denied: [], readable: [] })
  return {
    cwd,
    home,
    files,
    env: commandEnvironment(context, env),
    timeoutMs: defaultTimeoutMs,
    container: context.container,
  }
}

/** Keys of models and channels are the agent's own: no command needs them, and one that prints its environment would show them. */
const ownKeys =
  /^(?:TOGETHER_AI|COHERE|PERPLEXITY|AZURE_OPENAI|OLLAMA)_API_KEY$|^(?:TELEGRAM_BOT_TOKEN|HOOKLINE_\w*(?:KEY|TOKEN|SECRET|URL))$/
const modelKeys = new Set(
  Object.values(providers).flatMap(({ keyVariable = '', keyAliases = [] }) => [keyVariable, ...keyAliases]),
)

const isOwnKey = (name: string) => modelKeys.has(name) || ownKeys.test(name)

/** Nothing waits for a person: no pager, no editor, no question for a password. */
const unattended = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'false',
  EDITOR: 'false',
  VISUAL: 'false',
  DEBIAN_FRONTEND: 'noninteractive',
  TERM: 'dumb',
  AGENT: 'hookline',
}

/** What commands get: the user's environment without our keys, then what the toolset names itself. */
export function commandEnvironment(
  { env, secrets }: Pick<ToolsetContext, 'env' | 'secrets'>,
  named: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isOwnKey(entry[0]) && !secrets.includes(entry[0]),
  )
  return { ...Object.fromEntries(inherited), ...unattended, ...expandAll(named, env) }
}
