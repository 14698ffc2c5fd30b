/**
 * What a repository's own config may name and git would then run, or wait for: switched off, because a repository is
 * not the user. One home: whoever of us calls git does so with these. Locks are not taken, so that looking never gets
 * in the way of the agent's own git, and nothing is fetched.
 */
export const harmlessGitSettings = [
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

export const harmlessGitEnvironment = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
}

/** Ask this first where git will look into files: what it prints goes to `withoutDrivers`. Exit code 1: there are none. */
export const listDrivers: readonly string[] = [
  ...['config', '-z', '--includes', '--name-only', '--get-regexp'],
  '^(filter|diff|merge)\\..+\\.(clean|smudge|process|command|textconv|driver|required)$',
]

/** Variables in which each driver that some config names is empty: git runs no program without a name. By variables, since a name may hold any character. */
export function withoutDrivers(listed: string, settings: readonly string[] = []): Record<string, string> {
  const keys = new Set(listed.split('\0').filter(Boolean))
  const required = [...keys]
    .filter((key) => key.startsWith('filter.'))
    .map((key) => key.replace(/\.[^.]+$/, '.required'))
  const pairs = [
    ...settings.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)] as const),
    ...[...keys].map((key) => [key, ''] as const),
    ...[...new Set(required)].map((key) => [key, 'false'] as const),
  ]
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ])
}

/** Everything for a git of ours in this directory. Variables of a git that called us would make ours work on another repository. */
export function harmlessGit(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
  drivers = '',
): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !name.startsWith('GIT_'))
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    ...pathOutside(env['PATH'], directory),
    ...harmlessGitEnvironment,
    ...withoutDrivers(drivers, harmlessGitSettings),
  }
}

/** Where git itself is looked for: never in the directory it is asked about, nor in one that begins there. */
export function pathOutside(path: string | undefined, directory: string): { PATH?: string } {
  if (path === undefined) return {}
  const delimiter = /^[A-Za-z]:[\\/]/.test(directory) ? ';' : ':'
  const isOutside = (each: string) =>
    /^(?:\/|[A-Za-z]:[\\/])/.test(each) &&
    !/(?:^|[\\/])\.\.?(?:[\\/]|$)/.test(each) &&
    !`${each}/`.startsWith(`${directory}/`)
  return { PATH: path.split(delimiter).filter(isOutside).join(delimiter) }
}
