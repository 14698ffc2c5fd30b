/** Settings of git that make it run programs, now or from now on. */
import { GIT_RUNS_LATER } from '../dangers.ts'
import { isForge } from '../forges.ts'
import type { Danger } from '../types.ts'

/** Settings whose value is a program, a line for the shell, or a place that programs and settings come from. */
const RUN_BY_GIT = new RegExp(
  `^(?:${[
    'core\\.(?:pager|editor|sshcommand|fsmonitor|gitproxy|askpass|hookspath|alternaterefscommand)',
    'pager\\..*|sequence\\.editor|interactive\\.difffilter|alias\\..*',
    'diff\\.external|diff\\..*\\.(?:command|textconv)|merge\\..*\\.driver',
    'filter\\..*\\.(?:clean|smudge|process)|lfs\\.customtransfer\\..*\\.path|lfs\\.extension\\..*\\.(?:clean|smudge)',
    'credential(?:\\..*)?\\.helper|gpg(?:\\..*)?\\.(?:program|defaultkeycommand)',
    '(?:difftool|mergetool|man|browser|guitool)\\..*\\.(?:cmd|path)',
    '(?:uploadpack|pack)\\.packobjectshook|remote\\..*\\.(?:uploadpack|receivepack|vcs)',
    'submodule\\..*\\.update|trailer\\..*\\.(?:command|cmd)|tar\\..*\\.command|imap\\.tunnel',
    'sendemail\\.(?:.*\\.)?(?:tocmd|cccmd|headercmd|sendmailcmd|smtpserver)|instaweb\\.(?:httpd|browser)|web\\.browser',
    'init\\.templatedir|include\\.path|includeif\\..*|protocol\\.(?:ext\\.)?allow|url\\..*\\.(?:push)?insteadof',
  ].join('|')})$`,
)

export const isRunByGit = (key: string): boolean => RUN_BY_GIT.test(key.toLowerCase())

/** What people set as their pager, editor, tool for differences or helper. */
const USUAL_PROGRAMS = new Set(
  (
    'less more most cat bat batcat delta diff-so-fancy diff-highlight ydiff riff colordiff difft difftastic tig ' +
    'vi vim nvim gvim mvim nano emacs emacsclient code code-insiders codium vscodium cursor windsurf zed subl micro hx helix kak kakoune kate gedit pico joe ed mate bbedit atom ' +
    'idea webstorm pycharm goland clion rubymine phpstorm rider studio notepad notepad++ true false : ' +
    'vimdiff nvimdiff gvimdiff meld kdiff3 opendiff bcomp bcompare p4merge tkdiff xxdiff winmerge araxis smerge ksdiff ' +
    'gpg gpg2 gpgsm ssh-keygen op-ssh-sign gitsign smimesign git-lfs git-crypt git-annex transcrypt ' +
    'git-nbdiffdriver git-nbmergedriver nbdiff nbmerge nbstripout jq exiftool pdftotext pdfinfo docx2txt pandoc catdoc odt2txt hexdump xxd sort git gzip xz zstd ssh'
  ).split(' '),
)
/** Where programs of the system and of its package managers lie. */
const USUAL_PLACE =
  /^(?:\/usr(?:\/local)?\/|\/opt\/homebrew\/|\/)s?bin\/|^\/Applications\/|^[A-Za-z]:[\\/]Program Files/i
/** Helpers that git brings along, or that keep credentials in the store of the system. */
const STORES = /^(?:store|cache|osxkeychain|wincred|manager(?:-core)?|libsecret|gnome-keyring|netrc|oauth|gcloud\.sh)\b/
/** Programs that hand out credentials, and nothing else. */
export const HANDS_OUT =
  /^!\s*(?:"?[\w/.~-]*\/)?(?:gh|glab|aws|gcloud|az|git|git-credential-\w+|op|pass)(?:\.exe)?"?(?:\s|$)/
/** What a setting means that stays; undefined when it names nothing, or only what people use every day. */
export function judgeSetting(name: string, value: string): Danger | undefined {
  const key = name.toLowerCase()
  if (key === 'safe.directory') return value === '*' ? TRUSTS_ALL : undefined
  if (/^http\.(?:.*\.)?sslverify$/.test(key)) return NO.test(value) ? TRUSTS_ALL : undefined
  if (/^http\.(?:.*\.)?proxy$/.test(key)) return /^$|localhost|127\.|\[::1\]/.test(value) ? undefined : REDIRECTS
  if (!RUN_BY_GIT.test(key) || value === '' || key.startsWith('alias.')) return undefined
  if (/^url\./.test(key)) return isForge(name.slice(4)) ? undefined : REDIRECTS
  if (/^protocol\./.test(key)) return value === 'always' && key !== 'protocol.allow' ? GIT_RUNS_LATER : undefined
  if (/^submodule\./.test(key)) return value.startsWith('!') ? GIT_RUNS_LATER : undefined
  if (/\.helper$/.test(key) && (STORES.test(value) || HANDS_OUT.test(value))) return undefined
  if (/^(?:core\.fsmonitor|pager\..*)$/.test(key) && SWITCH.test(value)) return undefined
  if (/^(?:core\.hookspath|init\.templatedir|include)/.test(key)) return GIT_RUNS_LATER
  return isUsual(value) ? undefined : GIT_RUNS_LATER
}

const SWITCH = /^(?:true|false|yes|no|on|off|0|1)$/i
const NO = /^(?:false|no|off|0)$/i

/** Every program of the line is one of those, and nothing is computed or redirected. */
function isUsual(value: string): boolean {
  if (/[`<>\n]|\$\(/.test(value) || /ProxyCommand|LocalCommand|\bssh\b.*\s-F/.test(value)) return false
  return value
    .replace(/"[^"]*"|'[^']*'/g, (quoted) => quoted.replace(/[|;&]/g, ' '))
    .split(/[|;&]+/)
    .every((part) => {
      const program = /^\s*(?:[A-Z_]+=\S*\s+)*(?:"([^"]+)"|'([^']+)'|(\S+))/.exec(part)
      const named = program?.[1] ?? program?.[2] ?? program?.[3] ?? ''
      return USUAL_PROGRAMS.has(
        (USUAL_PLACE.test(named) ? (named.split(/[\\/]/).at(-1) ?? '') : named).replace(/\.exe$/i, '').toLowerCase(),
      )
    })
}

const REDIRECTS: Danger = {
  category: 'persistence',
  radius: 'high',
  reason: 'It makes git fetch and push somewhere else from now on.',
}
const TRUSTS_ALL: Danger = {
  category: 'system',
  radius: 'high',
  reason: 'It makes git trust repositories and servers that it would refuse.',
}
