/** Programs whose arguments are a language of their own. */
import { flagValues, parseArguments, readOptions } from '../../../shell/index.ts'
import { awkActs } from '../programs/awk.ts'
import { sedActions } from '../programs/sed.ts'
import type { Call } from '../types.ts'

const FIND_TESTS = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -empty -newer -newermt -newerct -anewer -cnewer ' +
    '-mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -depth -d -prune -print -print0 -printf -ls -not -and -or -a -o -user -group -uid -gid ' +
    '-nouser -nogroup -perm -links -inum -samefile -readable -writable -executable -follow -xdev -mount -daystart -true -false -quit -lname -ilname -fstype ' +
    '-noleaf -warn -nowarn -H -L -P -E -s -x ( ) ! ,'
  ).split(' '),
)

export const SPECIAL: Readonly<Record<string, (call: Call) => boolean>> = {
  echo: () => true,
  printf: () => true,
  test: () => true,
  '[': () => true,
  find: isFindReading,
  gfind: isFindReading,
  sed: isSedReading,
  gsed: isSedReading,
  awk: isAwkReading,
  gawk: isAwkReading,
  mawk: isAwkReading,
  date: (call) =>
    call.args.every(
      (word, index) =>
        /^[+]|^-[uRIj]$|^--?(?:utc|iso-8601|rfc)/.test(word.text) ||
        /^-[drv]$/.test(call.args[index - 1]?.text ?? '') ||
        /^-[drv]|^--(?:date|reference)=/.test(word.text),
    ),
  // Any variable may hold a credential; these hold none.
  printenv: (call) => call.args.length > 0 && call.args.every((word) => PLAIN_VARIABLES.has(word.text)),
  // `env` alone prints every variable, credentials included; with a command it is a wrapper.
  env: () => false,
  ps: isProcessList,
  tar: isTarListing,
  gtar: isTarListing,
  bsdtar: isTarListing,
}

const PLAIN_VARIABLES = new Set(
  'HOME USER LOGNAME SHELL PATH PWD OLDPWD LANG LC_ALL TERM TZ EDITOR VISUAL PAGER TMPDIR HOSTNAME DISPLAY NODE_ENV CI SHLVL'.split(
    ' ',
  ),
)

/**
 * Without a dash, `e` shows the environment of every process: `ps eww`, `ps axe`. So it does behind one, once what stands in
 * the line makes no sense to the other grammar: `ps -auxe`, `ps -eo p`. So `e` stands only beside what every grammar takes.
 */
function isProcessList(call: Call): boolean {
  const options = readOptions(
    '-aAdefFhHjlLmMno:p:rsSTu:vVwxXyZN --forest --sort= --pid= --ppid= --user= --format= --no-headers --headers --width=',
  )
  const words = call.args.filter(({ text }) => !/^-aux?[fw]*$/.test(text))
  const args = parseArguments(words, options)
  const values = [...flagValues(args, 'o|--format')].map((value) => value?.text ?? '')
  const doubtful = words.length < call.args.length || args.operands.length > 0 || flagValues(args, 'u').length > 0
  return (
    args.flags.every(({ name }) => (name.startsWith('-') ? options.names.has(name) : options.letters.has(name))) &&
    flagValues(args, 'p').every((value) => /^[\d,]+$/.test(value?.text ?? '')) &&
    flagValues(args, 'u').every((value) => value && words.includes(value) && /^[\w.,-]+$/.test(value.text)) &&
    values.every((value) => value.split(',').every((each) => PROCESS_COLUMNS.has(each.replace(/[=:].*$/s, '')))) &&
    args.operands.every(({ text }) => /^[a-df-zA-DF-Z]+$|^\d+$/.test(text) && !/[oOtU]/.test(text)) &&
    !(doubtful && args.flags.some(({ name }) => name === 'e'))
  )
}

const PROCESS_COLUMNS = new Set(
  (
    'pid ppid pgid pgrp sid sess tid lwp spid nlwp thcount user euser ruser uname uid euid ruid group egroup gid egid rgid comm ucmd ucomm cmd ' +
    'command args fname exe stat state s etime etimes time cputime cputimes bsdtime lstart start stime bsdstart start_time pcpu %cpu c cp ' +
    'pmem %mem rss rssize rsz vsz vsize sz size ni nice pri priority rtprio cls class psr tty tt tname wchan flags f majflt minflt label unit'
  ).split(' '),
)

/** Arguments that make an otherwise read-only program do more. */
const JQ_REACHES = /\benv\b|\$ENV|\$__prog|input_filename|\bimport\b|\binclude\b|\bmodulemeta\b|\bget_search_list\b/

/** What the filters of ss are made of; any other name in them is a host. */
const SOCKET_WORDS = (
  'state exclude all connected synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed close-wait ' +
  'last-ack listen listening closing sport dport src dst eq ne neq gt lt ge le and or not dev fwmark autobound inet inet6 unix tcp udp'
).split(' ')

export const VETOES: Readonly<Record<string, RegExp>> = {
  // A host that is looked up: whoever answers for its name sees that.
  lsof: /@[^\d[]/,
  ss: new RegExp(`^(?!-).*(?<![\\w:.-])(?!(?:${SOCKET_WORDS.join('|')})(?![\\w.-]))[a-z_][\\w.-]*`, 'i'),
  ...Object.fromEntries(['jq', 'gojq', 'jaq', 'xq', 'tomlq'].map((name) => [name, JQ_REACHES])),
  yq: /\benv\b|strenv|envsubst|load|\$ENV|ENVIRON|\bsystem\b|\bimport\b|\binclude\b|input_filename|@sh|\beval\s*\(/,
  sysctl: /=/,
  // A macro of that form is a command.
  rpm: /%\(/,
  // `+!command` is run as the pager starts.
  ...Object.fromEntries(['less', 'more', 'most', 'bat', 'batcat'].map((name) => [name, /^\+/])),
  // A path makes man render that file, and whatever it includes.
  ...Object.fromEntries(['man', 'apropos', 'whatis'].map((name) => [name, /[/\\]/])),
  // `host:file` is fetched by a remote shell.
  ...Object.fromEntries(['tar', 'gtar', 'bsdtar'].map((name) => [name, /:/])),
  docker: /^(?:tcp|ssh|unix):/,
  // It fetches `http:`, and asks modules for `pkcs11:`.
  openssl: /^[a-z][\w.+-]+:/i,
  // Keys whose values are credentials, or hold them.
  // `%G?` and `%(signature)` check signatures, by a program that settings name.
  git: /%G|%\(\*?signature|^(?:http\..*extraheader|credential\..*|.*[.:](?:token|.*password|.*passwd|.*secret|.*pass|.*apikey|oauth.*))$/i,
  // `@file` is read as further options, and one of them loads a library.
  ...Object.fromEntries(['nm', 'objdump', 'readelf', 'size', 'strings', 'otool', 'lipo'].map((name) => [name, /^@/])),
}

/** `tar tzf file` or `tar -tvf file`, and names of members. */
function isTarListing({ args: [letters, ...others] }: Call): boolean {
  return (
    /^-?[vzjJa]*t[vzjJa]*f?[vzjJa]*$/.test(letters?.text ?? '') && others.every((word) => !word.text.startsWith('-'))
  )
}

function isFindReading(call: Call): boolean {
  return call.args.every(
    (word) =>
      !/^[-(!)]/.test(word.text) ||
      FIND_TESTS.has(word.text) ||
      /^-(?:O\d|newer[aBcm][aBcmt]|\d+[kMGc]?)$/.test(word.text) ||
      isFindValue(word.text),
  )
}

/** `-mtime -7`, `-size -10k`, `-perm -u+x`. */
const isFindValue = (text: string) => /^-\d+[a-zA-Z]?$|^-[ugoa]*[+=][rwxs]+$/.test(text)

function isSedReading(call: Call): boolean {
  const args = parseArguments(
    call.args,
    readOptions('-e:nErszu --expression= --quiet --silent --regexp-extended --posix --debug'),
  )
  const listed = args.flags.every(({ name }) =>
    /^(?:e|n|E|r|s|z|u|--expression|--quiet|--silent|--regexp-extended|--posix|--debug)$/.test(name),
  )
  const given = flagValues(args, 'e|--expression').map((value) => value?.text ?? '')
  const scripts = given.length > 0 ? given : [args.operands[0]?.text ?? '']
  // Several expressions are one script: what one leaves open, the next goes on with.
  return listed && [...scripts, scripts.join('\n')].every((script) => sedActions(script).length === 0)
}

function isAwkReading(call: Call): boolean {
  const args = parseArguments(call.args, readOptions('-F:v: --field-separator= --assign='))
  const listed = args.flags.every(({ name }) => /^(?:F|v|--field-separator|--assign)$/.test(name))
  const [program, ...files] = args.operands.map(({ text }) => text)
  // gawk opens a connection of such a name, also when it is one of its files.
  return listed && !!program && !awkActs(program) && !files.some((file) => /^\/inet[46]?\//.test(file))
}
