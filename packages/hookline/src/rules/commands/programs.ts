/** What matching must know about well-known programs. A program that is not here is matched word by word. */

/** Their first word is a subcommand: `git push` is not `git stash push`, and `npm publish` not `npm run publish`. */
const withSubcommands = new Set(
  (
    'git npm pnpm yarn bun deno cargo go docker podman kubectl oc helm terraform tofu pulumi gh glab aws gcloud az fly ' +
    'flyctl heroku vercel netlify wrangler firebase supabase railway pip pip3 uv poetry pdm conda composer gem bundle brew ' +
    'apt apt-get dnf yum pacman apk snap systemctl launchctl dotnet mvn rails rake mix flutter prisma sequelize alembic ' +
    'django-admin artisan rustup nvm hookline'
  ).split(' '),
)

/** Their options have one dash and many letters: `-auto-approve` is no `-a -u -t -o`. */
const withLongDash = new Set(
  'find terraform tofu go java javac ffmpeg ffprobe openssl gcc g++ clang clang++ packer vault nomad consul xcodebuild convert magick'.split(
    ' ',
  ),
)

/** Other names of the same option, by program or by program and subcommand: `other=name`, several names for one that means them all. */
const options: Readonly<Record<string, string>> = {
  rm: 'recursive=r R=r force=f dir=d verbose=v interactive=i',
  rmdir: 'parents=p',
  cp: 'recursive=r R=r archive=a,r a=a,r force=f no-clobber=n',
  mv: 'force=f no-clobber=n',
  ln: 'force=f symbolic=s',
  mkdir: 'parents=p',
  chmod: 'recursive=R',
  chown: 'recursive=R',
  chgrp: 'recursive=R',
  grep: 'recursive=r R=r dereference-recursive=r ignore-case=i line-number=n files-with-matches=l',
  ls: 'all=a recursive=R',
  sed: 'in-place=i expression=e quiet=n',
  tar: 'extract=x create=c file=f gzip=z verbose=v list=t',
  curl: 'output=o data=d request=X header=H insecure=k location=L upload-file=T form=F user=u silent=s',
  wget: 'output-document=O quiet=q recursive=r',
  'git push': 'force=f delete=d set-upstream=u dry-run=n quiet=q verbose=v',
  'git clean': 'force=f dry-run=n interactive=i quiet=q',
  'git branch': 'delete=d force=f D=d,f move=m M=m,f copy=c',
  'git commit': 'no-verify=n all=a message=m',
  'git checkout': 'force=f',
  'git switch': 'force=f discard-changes=f create=c',
  'git rm': 'force=f',
  'git tag': 'delete=d force=f annotate=a message=m',
  'git stash': 'include-untracked=u',
  'git fetch': 'force=f prune=p',
  'git pull': 'force=f rebase=r',
  'git rebase': 'interactive=i',
  'git merge': 'no-verify=n',
  'git add': 'all=A force=f patch=p',
  'git worktree': 'force=f',
  npm: 'global=g force=f save-dev=D yes=y',
  pnpm: 'global=g force=f save-dev=D',
  pip: 'upgrade=U requirement=r yes=y editable=e',
  pip3: 'upgrade=U requirement=r yes=y editable=e',
  docker: 'force=f volumes=v volume=v all=a detach=d interactive=i tty=t env=e publish=p',
  podman: 'force=f volumes=v volume=v all=a detach=d interactive=i tty=t env=e publish=p',
  kubectl: 'namespace=n filename=f all-namespaces=A selector=l output=o',
  helm: 'namespace=n values=f',
  psql: 'command=c file=f dbname=d host=h username=U',
  mysql: 'execute=e database=D host=h user=u',
  ssh: '',
  kill: 'signal=s',
  apt: 'yes=y',
  'apt-get': 'yes=y',
}

/** Other names of a subcommand. */
const subcommands: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  npm: {
    i: 'install',
    in: 'install',
    add: 'install',
    t: 'test',
    tst: 'test',
    'run-script': 'run',
    rum: 'run',
    un: 'uninstall',
    remove: 'uninstall',
    rm: 'uninstall',
    r: 'uninstall',
    x: 'exec',
    up: 'update',
    'clean-install': 'ci',
  },
  pnpm: {
    i: 'install',
    t: 'test',
    'run-script': 'run',
    un: 'uninstall',
    remove: 'uninstall',
    rm: 'uninstall',
    up: 'update',
  },
  git: { 'send-pack': 'push', stage: 'add', annotate: 'blame' },
  cargo: { b: 'build', c: 'check', d: 'doc', r: 'run', t: 'test', rm: 'remove' },
}

export const hasSubcommands = (program: string): boolean => withSubcommands.has(program)
export const hasLongDash = (program: string): boolean => withLongDash.has(program)
export const subcommandOf = (program: string, word: string): string =>
  Object.hasOwn(subcommands, program) ? (subcommands[program]?.[word] ?? word) : word

/** The options that one option of a command stands for, under one name each. */
export function optionNames(program: string, subcommand: string | undefined, option: string): readonly string[] {
  const tables = [subcommand === undefined ? undefined : tableOf(`${program} ${subcommand}`), tableOf(program)]
  for (const table of tables) {
    const names = table?.get(option) ?? (option.length > 1 ? namesInShort(table, option) : undefined)
    if (names) return names
  }
  return [option]
}

/** GNU programs and git take a long option by its beginning: `--recurs`. `--force` is no beginning of `--force-with-lease`. */
function namesInShort(table: Table | undefined, option: string): readonly string[] | undefined {
  for (const [name, names] of table ?? []) if (isShortFor(option, name)) return names
  return undefined
}

export const isShortFor = (option: string, name: string): boolean =>
  option.length > 1 && name.startsWith(option) && /^[a-z]/.test(name.slice(option.length))

/** What words say that options could say as well: `git push origin +main` forces, `:main` deletes, `--mirror` does both. */
export function impliedOptions(
  program: string | undefined,
  subcommand: string | undefined,
  options: ReadonlySet<string>,
  words: readonly string[],
): readonly string[] {
  if (program !== 'git' || subcommand !== 'push') return []
  const mirrors = options.has('mirror')
  return [
    ...(mirrors || words.some((each) => each.startsWith('+')) ? ['f'] : []),
    ...(mirrors || options.has('prune') || words.some((each) => /^\+?:./.test(each)) ? ['d'] : []),
  ]
}

type Table = ReadonlyMap<string, readonly string[]>

const made = new Map<string, Table>()

function tableOf(command: string): Table | undefined {
  const known = made.get(command)
  if (known) return known
  const written = Object.hasOwn(options, command) ? options[command] : undefined
  if (!written) return undefined
  const table = new Map(
    written.split(' ').map((pair) => {
      const [name = '', means = ''] = pair.split('=')
      return [name, means.split(',')] as const
    }),
  )
  made.set(command, table)
  return table
}
