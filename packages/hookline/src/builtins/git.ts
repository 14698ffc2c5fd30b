import { delimiter, isAbsolute, relative } from 'node:path'
import type { BuiltinKit } from '../core/index.ts'

/**
 * What a repository's own config may name and git would then run, or wait for: switched off, because a repository is
 * not the user. One home: every builtin that calls git does so with these. Locks are not taken, so that looking never gets
 * in the way of the agent's own git, and nothing is fetched.
 */
export const harmlessSettings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=false',
  'core.attributesFile=/dev/null',
  'credential.helper=',
  'diff.ignoreSubmodules=all',
  'gpg.program=false',
  'log.showSignature=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
  'status.submoduleSummary=false',
  'submodule.recurse=false',
  'color.ui=false',
  'core.quotePath=false',
]

export const harmlessEnvironment = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
}

/** Variables of git's that say where it looks, or what it runs: whoever set them did not mean us. */
const unset = (kit: Pick<BuiltinKit, 'env'>): Record<string, string> =>
  Object.fromEntries(
    Object.keys(kit.env)
      .filter((name) => /^GIT_(?:EXTERNAL_DIFF|SSH|SSH_COMMAND|ASKPASS|PROXY_COMMAND|CONFIG_PARAMETERS)$/.test(name))
      .map((name) => [name, '']),
  )

/** The output of git in the working directory; undefined outside a repository, when git is missing, or when it fails. */
export async function git(
  kit: BuiltinKit,
  args: readonly string[],
  outputLimit = 1024 * 1024,
): Promise<string | undefined> {
  const settings = harmlessSettings.flatMap((setting) => ['-c', setting])
  const run = (words: readonly string[], env: Readonly<Record<string, string>>) =>
    kit.exec('git', [...settings, ...words], {
      env: { ...unset(kit), ...harmlessEnvironment, ...pathOutside(kit), ...env },
      outputLimit,
    })
  const [verb = '', ...rest] = args
  const plain = comparesFiles[verb]
  const readsFiles = plain !== undefined
  const drivers = readsFiles ? (await run(['config', '-z', '--name-only', '--get-regexp', driverKeys], {}))?.stdout : ''
  const words = readsFiles ? [verb, ...plain, ...rest] : args
  const done = await run(words, withoutDrivers(drivers?.split('\0').filter(Boolean) ?? []))
  if (!done || (done.exit !== 0 && !done.truncated)) return undefined
  return done.stdout
}

/** What looks into the files of the working tree, and so through the filters of the repository. */
const comparesFiles: Readonly<Record<string, readonly string[]>> = {
  status: ['--ignore-submodules=all'],
  diff: ['--ignore-submodules=all', '--no-ext-diff', '--no-textconv'],
}
const driverKeys = '^(filter|diff|merge)\\..+\\.(clean|smudge|process|command|textconv|driver)$'

/** Each driver that some config names, by its own name and empty: git runs no program without a name. */
function withoutDrivers(keys: readonly string[]): Record<string, string> {
  const required = keys.filter((key) => key.startsWith('filter.')).map((key) => key.replace(/\.[^.]+$/, '.required'))
  const pairs = [
    ...[...new Set(keys)].map((key): [string, string] => [key, '']),
    ...[...new Set(required)].map((key): [string, string] => [key, 'false']),
  ]
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ])
}

/** Where git itself is looked for: never in the working directory. */
export function pathOutside({
  env = {},
  cwd,
}: Partial<Pick<BuiltinKit, 'env'>> & Pick<BuiltinKit, 'cwd'>): Record<string, string> {
  const isOutside = (directory: string) => isAbsolute(directory) && relative(cwd, directory).startsWith('..')
  const outside = (env.PATH ?? '').split(delimiter).filter(isOutside)
  return env.PATH === undefined ? {} : { PATH: outside.join(delimiter) }
}

/** Enough to be useful and too little to crowd out the conversation; as docker-agent. */
const contextLimit = 4096

/** Context made of git's output, or none when there is no output. */
export async function gitContext(
  kit: BuiltinKit,
  title: string,
  args: readonly string[],
): Promise<{ context: string[] } | undefined> {
  const output = (await git(kit, args, contextLimit * 4))?.trimEnd()
  if (!output) return undefined
  return { context: [`${title}\n\n${cut(output, contextLimit)}`] }
}

/** At most this many bytes, never half a character. */
export function cut(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  return `${new TextDecoder().decode(buffer.subarray(0, bytes), { stream: true })}\n... (truncated)`
}
