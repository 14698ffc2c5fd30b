import type { BuiltinKit } from '../core/index.ts'

/**
 * What a repository's own config may name and git would then run, or wait for: switched off, because a repository is
 * not the user. Locks are not taken, so that looking never gets in the way of the agent's own git.
 */
const harmless = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'color.ui=false',
  'core.quotePath=false',
]
const env = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }

/** The output of git in the working directory; undefined outside a repository, when git is missing, or when it fails. */
export async function git(
  kit: BuiltinKit,
  args: readonly string[],
  outputLimit = 1024 * 1024,
): Promise<string | undefined> {
  const settings = harmless.flatMap((setting) => ['-c', setting])
  const done = await kit.exec('git', [...settings, ...args], { env, outputLimit })
  if (!done || (done.exit !== 0 && !done.truncated)) return undefined
  return done.stdout
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
