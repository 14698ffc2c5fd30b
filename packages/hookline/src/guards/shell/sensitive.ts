/** Paths that matter for what they are, wherever they lie. Patterns are tested on the resolved, lower-cased path. */
import { matchesGlob } from '../../shell/index.ts'
import { holdsCredentials, placeAt, runsLater } from '../paths/index.ts'
import { resolvePath } from './places.ts'
import { emptiest, type Field } from './text.ts'
import type { State } from './types.ts'

interface Kind {
  patterns: readonly RegExp[]
  /** False: none of the patterns fits. To ask is far cheaper than to compile them. */
  near?(path: string): boolean
  /** Well-known members, for words that are globs. */
  samples: readonly string[]
}

const SECRETS: Kind = {
  patterns: [
    /(?:^|\/)\.env(?:\.(?!example|sample|template|dist|defaults?|schema|ci$|md$)[^/]*)?$/,
    /(?:^|\/)[^/.][^/]*\.env$/,
    /(?:^|\/)\.envrc$/,
    /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/.]*$/,
    /(?:^|\/)\.ssh(?:\/(?!known_hosts|config$|authorized_keys|[^/]*\.pub$)[^/]+)?$/,
    /(?:^|\/)\.aws(?:\/credentials|\/sso|\/cli\/cache)?$/,
    /(?:^|\/)\.gnupg(?:\/|$)/,
    /(?:^|\/)\.password-store(?:\/|$)/,
    /(?:^|\/)\.(?:netrc|pgpass|my\.cnf|git-credentials|pypirc|vault-token|s3cfg|boto|htpasswd)$/,
    /(?:^|\/)\.npmrc$/,
    /(?:^|\/)\.kube\/config$/,
    /(?:^|\/)\.docker\/config\.json$/,
    /(?:^|\/)\.config\/(?:gh\/hosts\.ya?ml|gcloud(?:\/.*)?|rclone\/rclone\.conf|op(?:\/.*)?|hub)$/,
    /(?:^|\/)\.azure\/(?:accesstokens|msal_token|azureprofile)/,
    /(?:^|\/)\.(?:cargo|gem|terraform\.d)\/credentials/,
    /(?:^|\/)\.(?:claude\/\.credentials|codex\/auth|gemini\/oauth_creds|config\/github-copilot\/(?:hosts|apps))\.json$/,
    /^\/etc\/(?:g?shadow-?|master\.passwd|sudoers|krb5\.keytab|ssl\/private(?:\/.*)?|ssh\/ssh_host_[^/]*_key)$/,
    /^\/proc\/[^/]+\/(?:environ|mem)$/,
    /^\/(?:run|var\/run)\/secrets(?:\/|$)/,
    /(?:^|\/)(?:credentials|secrets?|client_secret|service[-_]?account[^/]*)\.(?:json|ya?ml|toml|ini|env)$/,
    /(?:^|\/)[^/]*(?:priv(?:ate)?[-_.]?key|_rsa|-key)[^/]*\.pem$/,
    /(?:^|\/)[^/]+\.(?:key|p12|pfx|ppk|jks|keystore|kdbx)$/,
    /(?:login data|cookies(?:\.sqlite)?|key4\.db|logins\.json|wallet\.dat|\.keychain(?:-db)?)$/,
  ],
  samples: ['.env', '~/.env', '~/.ssh/id_rsa', '~/.ssh/id_ed25519', '~/.aws/credentials', '~/.netrc', '~/.kube/config']
    .concat(['/etc/shadow', '~/.git-credentials', '~/.config/gh/hosts.yml', '~/.docker/config.json', '~/.npmrc'])
    .concat(['/proc/self/environ', '~/.pgpass', '.env.local', '.env.production', 'id_rsa']),
}

/** No secrets by themselves, but what holds whatever was typed, or all of a disk or the memory. */
const REVEALING: Kind = {
  patterns: [
    /(?:^|\/)\.(?:\w+_history|histfile|lesshst|viminfo|local\/share\/fish\/fish_history)$/,
    /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|dm-|mapper\/|loop|md|k?mem$|port$)/,
    /^\/proc\/(?:kcore|[^/]+\/(?:mem|maps|fd\/.*|(?:root|cwd|task)(?:\/.*)?))$/,
  ],
  samples: ['~/.bash_history', '~/.zsh_history', '/dev/sda', '/dev/mem'],
}

/** May be read here, and must not leave: names of users, and files that say by their name what is in them. */
const STAYING: Kind = {
  patterns: [
    /^\/etc\/(?:passwd|group)$/,
    /(?:^|\/)(?:[\w-]+[-_.])?(?:secrets?|passwords?|passwd|tokens?|api[-_]?keys?|private[-_]?keys?|credentials?)\.(?:txt|md|csv|log|conf|cfg|bak|b64|enc|xml|gpg|zip|tgz|tar(?:\.\w+)?)$/,
    /(?:^|\/)(?:passwords?|passwd)$/,
  ],
  samples: [],
}

/** Files that run, or let someone in, later. */
const STARTUP: Kind = {
  patterns: [
    /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xinitrc|xprofile|xsessionrc|login)$/,
    /(?:^|\/)\.config\/(?:fish\/|autostart\/|systemd\/|environment\.d\/|plasma-workspace\/env\/)/,
    /(?:^|\/)\.ssh\/(?:authorized_keys2?|config|rc|environment)$/,
    /(?:^|\/)\.git\/hooks(?:\/|$)/,
    /(?:^|\/)\.git\/config$/,
    /(?:^|\/)\.gitconfig$/,
    /(?:^|\/)\.husky\//,
    /(?:^|\/)library\/(?:launchagents|launchdaemons|startupitems)(?:\/|$)/,
    /^\/etc\/(?:cron|profile|bash\.bashrc|bashrc|zsh|environment|rc\.local|init\.d|systemd|sudoers|ld\.so|pam\.d|ssh\/sshd_config|passwd|shadow|group|update-motd\.d|xdg\/autostart|inittab|hosts\.equiv)/,
    /^\/var\/spool\/(?:cron|at)(?:\/|$)/,
    /^\/(?:usr\/)?lib\/systemd\//,
    /microsoft\/windows\/start menu\/programs\/startup/,
    /(?:^|\/)(?:sitecustomize|usercustomize)\.py$/,
    /\/(?:site|dist)-packages\/[^/]+\.pth$/,
    // In front of the programs that everybody trusts.
    /\/(?:\.local\/bin|bin)\/(?:sudo|su|doas|ssh|scp|git|ls|cat|cp|mv|rm|ps|grep|sed|awk|find|env|which|sh|bash|zsh|login|passwd|gpg|curl|wget|crontab|kill|top|id|whoami)$/,
  ],
  samples: ['~/.bashrc', '~/.zshrc', '~/.profile', '~/.bash_profile', '~/.ssh/authorized_keys', '/etc/crontab'].concat([
    '/etc/sudoers',
    '/etc/profile',
    '.git/hooks/pre-commit',
    '~/.gitconfig',
    '/etc/passwd',
  ]),
}

const AGENT_DIRECTORIES =
  '(?:claude|crush|gemini|codex|cursor|hookline|agent-hooks|hooks|opencode|windsurf|continue|qwen|kiro|roo|cline|amp|goose|copilot|docker-agent|cagent|everruns|pydantic-deep|deepagents|starchild|hermes|openhands|augment|factory|trae|aider)'

/** What decides what an agent may do: its hook configuration, its approvals, its journal. */
const AGENT: Kind = {
  near: (path) => path.includes('.') || /managed-settings|^\/etc\/|library\/application support/.test(path),
  patterns: [
    new RegExp(`(?:^|/)\\.(?:config/)?${AGENT_DIRECTORIES}$`),
    new RegExp(`(?:^|/)\\.(?:config/|local/share/|local/state/)${AGENT_DIRECTORIES}(?:/|$)`),
    new RegExp(
      `(?:^|/)\\.${AGENT_DIRECTORIES}/(?:.*/)?(?:hooks(?:[./].*)?|settings[^/]*|config[^/]*|permissions?[^/]*|trust[^/]*|approv[^/]*|journal[^/]*|policy[^/]*|policies(?:/.*)?|managed[^/]*|mcp[^/]*\\.json|requirements\\.toml|plugins(?:/.*)?)$`,
    ),
    /(?:^|\/)\.(?:hookline|agent-hooks)(?:\/|$)/,
    /(?:^|\/)\.?(?:crush|hookline|opencode|cagent|docker-agent)\.(?:jsonc?|ya?ml|toml)$/,
    /(?:^|\/)\.claude\.json$/,
    /(?:^|\/)managed-settings(?:\.json|\.d(?:\/.*)?)$/,
    /^\/etc\/(?:claude-code|hookline|codex|gemini-cli|crush)(?:\/|$)/,
    /(?:^|\/)library\/application support\/(?:claudecode|hookline|geminicli)(?:\/|$)/,
  ],
  samples: [
    '.claude/settings.json',
    '~/.claude/settings.json',
    '.crush.json',
    'crush.json',
    '.hookline',
    '.agent-hooks',
  ].concat(['.gemini/settings.json', '.cursor/hooks.json', '.codex/config.toml', '.claude', '.crush', 'hookline.yaml']),
}

/** By the table of the path guard, and by what only commands name. */
export const isSecret = (word: Field, state: State) =>
  isOf(SECRETS, word, state) || isRow(holdsCredentials, word, state) || findsSecret(word)
export const isRevealing = (word: Field, state: State) => isOf(REVEALING, word, state)
/** What shells and their like write down of what was typed. */
export const isTyped = (word: Field, state: State): boolean =>
  /_history$|\.histfile$|fish_history$/.test(foldedPath(word, state))
export const mustStay = (word: Field, state: State) => isRevealing(word, state) || isOf(STAYING, word, state)
export const isStartup = (word: Field, state: State) =>
  isOf(STARTUP, word, state) || isRow(runsLater, word, state) || isHomeSetting(word, state)

/** From where the installs of every project come; in a project, such a file is part of it. */
function isHomeSetting(word: Field, state: State): boolean {
  const path = foldedPath(word, state)
  const home = state.home.toLowerCase()
  return path.startsWith(`${home}/.`) && HOME_SETTINGS.test(path.slice(home.length + 2))
}
const HOME_SETTINGS =
  /^(?:npmrc|pip\/pip\.conf|config\/pip\/pip\.conf|cargo\/config(?:\.toml)?|m2\/settings\.xml|gradle\/(?:init\.gradle|init\.d\/.*|gradle\.properties)|bundle\/config|gemrc|condarc|yarnrc(?:\.yml)?|docker\/daemon\.json)$/
export const isAgentConfig = (word: Field, state: State) => isOf(AGENT, word, state)

/** `find / -name id_rsa -exec cat {} +`: by the name that was looked for, whatever lies on the way. */
const findsSecret = ({ listed }: Field): boolean =>
  listed !== undefined &&
  /(?:^|[/\uE002\uE003])(?:id_(?:rsa|dsa|ecdsa|ed25519)\*?|\*?\.(?:kdbx|ppk|p12|pfx|jks|keystore)|\.(?:netrc|pgpass|npmrc|git-credentials|pypirc)|credentials|shadow|wallet\.dat|key4\.db|logins\.json)$/.test(
    listed,
  )

/** A name that nothing opens as a path is none: `https://…`, a sentence. */
function isRow(rows: (path: string) => boolean, { text, glob }: Field, state: State): boolean {
  if (glob || text === '' || text.length > LONGEST_PATH || /\n|:\/\//.test(text)) return false
  const path = resolvePath(emptiest(text) ?? text, state)
  return path !== undefined && rows(path.startsWith('/') ? path : `/${path}`)
}

/** Whether the path guard would not let a tool read it. */
export function isSensitive({ text }: Field, state: State): boolean {
  if (text === '' || text.length > LONGEST_PATH) return false
  const path = resolvePath(text, state)
  return path !== undefined && placeAt(path.startsWith('/') ? path : `/${path}`, 'read') !== undefined
}

const LONGEST_PATH = 4_096

export function isGitInternal(word: Field, state: State): boolean {
  const path = resolvePath(word.text, state) ?? word.text
  return /(?:^|\/)\.git(?:\/(?!hooks\/.*\.sample$|info\/exclude$)|$)/.test(path)
}

function isOf(kind: Kind, word: Field, state: State): boolean {
  if (word.text === '') return false
  const path = foldedPath(word, state)
  if (isNamed(kind, path)) return true
  return word.glob && samplesLike(kind, path, state).length > 0
}

/** Of one word, as long as the line stays in one directory. */
function foldedPath(word: Field, state: State): string {
  const known = folded.get(word)
  if (known && known.cwd === state.cwd) return known.path
  const text = emptiest(word.text) ?? word.text
  const path = (resolvePath(text, state) ?? text).toLowerCase().replaceAll('\\', '/')
  folded.set(word, { cwd: state.cwd, path })
  return path
}

const folded = new WeakMap<Field, { cwd: string | undefined; path: string }>()

/** Each word of a command is looked for many times, by everybody who judges it: the last answers are kept. */
function isNamed(kind: Kind, path: string): boolean {
  const answers = answered.get(kind) ?? new Map<string, boolean>()
  answered.set(kind, answers)
  const known = answers.get(path)
  if (known !== undefined) return known
  const found = kind.near?.(path) !== false && kind.patterns.some((pattern) => pattern.test(path))
  if (answers.size >= mostAnswers) answers.clear()
  if (path.length <= LONGEST_PATH) answers.set(path, found)
  return found
}

const answered = new Map<Kind, Map<string, boolean>>()
const mostAnswers = 256

function samplesLike(kind: Kind, path: string, state: State): string[] {
  return kind.samples.flatMap((sample) => {
    const full = resolvePath(sample.replace(/^~/, state.home), state)
    if (full === undefined) return []
    // A leading star does not match hidden names.
    const hidden = (full.split('/').at(-1) ?? '').startsWith('.') && /(?:^|\/)[*?][^/]*$/.test(path)
    return !hidden && matchesGlob(path, full.toLowerCase(), true) ? [full] : []
  })
}

/** Files with secrets that a pattern may stand for. */
export function secretsLike({ text }: Field, state: State): string[] {
  return samplesLike(SECRETS, (resolvePath(text, state) ?? text).toLowerCase(), state)
}
