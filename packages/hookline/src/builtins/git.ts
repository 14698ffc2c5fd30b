import type { BuiltinKit } from '../core/index.ts'
import {
  harmlessGitEnvironment,
  harmlessGitSettings,
  listDrivers,
  pathOutside,
  withoutDrivers,
} from '../shell/index.ts'

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
  const settings = harmlessGitSettings.flatMap((setting) => ['-c', setting])
  const run = (words: readonly string[], env: Readonly<Record<string, string>>) =>
    kit.exec('git', [...settings, ...words], {
      env: { ...unset(kit), ...harmlessGitEnvironment, ...pathOutside(kit.env['PATH'], kit.cwd), ...env },
      outputLimit,
    })
  const [verb = '', ...rest] = args
  const plain = comparesFiles[verb]
  const readsFiles = plain !== undefined
  const drivers = readsFiles ? (await run(listDrivers, {}))?.stdout : ''
  const words = readsFiles ? [verb, ...plain, ...rest] : args
  const done = await run(words, withoutDrivers(drivers ?? ''))
  if (!done || (done.exit !== 0 && !done.truncated)) return undefined
  return done.stdout
}

/** What looks into the files of the working tree, and so through the filters of the repository. */
const comparesFiles: Readonly<Record<string, readonly string[]>> = {
  status: ['--ignore-submodules=all'],
  diff: ['--ignore-submodules=all', '--no-ext-diff', '--no-textconv'],
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
