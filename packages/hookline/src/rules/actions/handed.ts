/** What the words of a command tell where no table says what the program makes of them: the files and addresses it is handed. */
import { type Field, isKnown, SOME } from '../../guards/shell/index.ts'
import { unknownSlot } from '../types.ts'
import type { Doing, Effect } from './effect.ts'
import { hostSlot, targetOf } from './hosts.ts'
import { normalise } from './paths.ts'

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Their words are text, names of programs or settings of the shell: nothing is opened because it stands there. */
const takesText = set(
  ': true false echo printf print test [ [[ ]] expr let which whereis type command hash man info tldr apropos whatis alias unalias export ' +
    'declare typeset local readonly set unset shift read getopts trap return exit break continue cd pushd popd dirs pwd jobs fg bg wait kill ' +
    'pkill killall pgrep pidof ps sleep date cal seq yes basename dirname realpath readlink stat logger say notify-send osascript tput clear ' +
    'history fc times ulimit umask shopt bind complete compgen enable builtin grep egrep fgrep rg ag ack sed awk gawk tr cut sort jq yq ' +
    'figlet cowsay toilet git hookline',
)

/** Their rows say where each address stands: a header or a body may hold another. */
const knowsAddresses = set(
  'curl wget wget2 http https xh xhs httpie git ssh scp sftp rsync nc ncat netcat socat openssl',
)

/** Their rows say nothing about some of the files they are handed: scripts, and tools with verbs. */
const knowsSomeFiles = set(
  'sh bash zsh dash ksh mksh ash fish python pypy ipython node nodejs tsx ts-node bun deno php lua luajit rscript julia elixir tclsh perl ruby ' +
    'go cargo javac gcc clang g++ clang++ cc tsc rustc make gmake docker podman nerdctl openssl',
)

/** Variables that lead a program to another host. Their values are not read here. */
const leadsElsewhere =
  /^(?:(?:https?|all|ftp|socks5?|rsync|grpc)_proxy|(?:npm|yarn|pnpm|bun)_config_.*|yarn_npm_.*|pip_.*|uv_.*(?:index|url).*|goproxy|gonosumdb|cargo_(?:registr|net|http).*|gem_(?:host|source).*|bundle_.*|docker_(?:host|context)|git_(?:config.*|proxy.*|ssh.*)|aws_endpoint_url.*|gh_host|gitlab_host|pg(?:host|hostaddr|service.*)|mysql_host|redis_url|database_url|kubeconfig|curl_home|wgetrc|.*_(?:base_)?(?:url|endpoint|registry|mirror))$/i

/** `row`: whether a table of files, or of the network, knows the program; `known`: what they say of this command. */
export function handedTo(doing: Doing, row: { files: boolean; network: boolean }, known: readonly Effect[]): Effect[] {
  const { name, args } = doing
  if (args.length === 0 || takesText.has(name) || !isKnown(name)) return []
  const said = new Set(known.map(sayingOf))
  const looksAtFiles = (!row.files && !knowsAddresses.has(name)) || knowsSomeFiles.has(name)
  const looksAtAddresses = !knowsAddresses.has(name)
  const effects: Effect[] = []
  for (const [at, word] of args.slice(0, mostWords).entries()) {
    const value = valueIn(word)
    if (looksAtAddresses && isAddress(value.text)) effects.push({ does: 'fetch', to: targetOf(value) })
    else if (looksAtAddresses && !row.network && isHostOption(args[at - 1], word))
      effects.push({ does: 'fetch', to: { host: hostSlot(value.text) } })
    else if (
      (looksAtFiles && (value !== word || !word.text.startsWith('-')) && isFile(value, doing)) ||
      isFileOption(args[at - 1], word)
    )
      effects.push({ does: 'read', word: value })
  }
  return effects.filter((effect) => !said.has(sayingOf(effect)))
}

/** What the tables have said of a word or host needs not be said again. */
const sayingOf = (effect: Effect): string =>
  effect.does === 'fetch' ? `//${effect.to.host.parts.join(SOME)}` : effect.word.text.replace(/\/+$/, '')

/** Where what a command fetches from may be set beside it. */
export const elsewhere = (assigned: readonly string[], effects: readonly Effect[]): Effect[] =>
  effects.some(({ does }) => does === 'fetch') && assigned.some((name) => leadsElsewhere.test(name))
    ? [{ does: 'fetch', to: { host: unknownSlot } }]
    : []

const mostWords = 256

/** `--registry=VALUE`, `-Durl=VALUE`, `repo=VALUE`, `@VALUE`: what stands behind. */
function valueIn(word: Field): Field {
  const text = word.text.replace(/^(?:--?[\w.-]+|[\w.-]+)=@?|^@/, '')
  return text === word.text ? word : { ...word, text }
}

const isAddress = (text: string): boolean =>
  /^[a-z][a-z0-9+.:-]*:\/\/[^/\s]/i.test(text) && !/^(?:file|unix|data|s3|gs):/i.test(text)

/** Behind `--server`, `--keyserver`, `-host`: a host, if it looks like one. */
function isHostOption(before: Field | undefined, word: Field): boolean {
  const option = optionOf(before, word)
  return (
    option !== undefined &&
    /(?:^|-)(?:server|host|hostname|endpoints?|keyserver|addr|address|brokers?|proxy|mirror|registry)$/.test(option) &&
    /^(?:[\w-]+\.)+[a-z0-9-]+(?:[:/].*)?$/i.test(valueIn(word).text)
  )
}

/** Behind `--env-file`, `--from-file`, `-var-file`: a file, whatever the program is. */
function isFileOption(before: Field | undefined, word: Field): boolean {
  const option = optionOf(before, word)
  return (
    option !== undefined &&
    /(?:^|-)files?(?:-from)?$/.test(option) &&
    !/(?:^|-)(?:out|output|log|pid|lock)-/.test(option)
  )
}

/** The option that a word is the value of, or may be. */
function optionOf(before: Field | undefined, word: Field): string | undefined {
  const own = /^--?([\w-]+)=./.exec(word.text)?.[1]
  return own ?? (word.text.startsWith('-') ? undefined : /^--?([\w-]{4,})$/.exec(before?.text ?? '')?.[1])
}

/** A file that is there; where nobody can look, what is plainly written as one. */
function isFile({ text, glob }: Field, { cwd, look }: Doing): boolean {
  if (text === '' || text.length > 4_096 || /[\n=]/.test(text)) return false
  if (glob || !isKnown(text)) return /^[./~]/.test(text) && isKnown(text)
  const path = text.startsWith('/')
    ? text
    : text.startsWith('~/')
      ? `${look.home ?? '~'}${text.slice(1)}`
      : cwd && `${cwd}/${text}`
  if (!look.realpath || !path)
    return /^(?:\.{1,2}\/|\/|~\/)?(?:[^/\s]+\/)*\.?[\w-]+\.[\w.-]+$/.test(text) || /^\.[\w-]/.test(text)
  if (look.realpath(normalise(path)) === undefined) return false
  return !(look.isDirectory?.(path) ?? look.list?.(path) !== undefined)
}
