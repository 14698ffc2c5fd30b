/** Programs whose arguments are a language of their own. */
import { flagValues, hasFlag, parseArguments, readOptions } from '../../../shell/index.ts'
import { isSecretName } from '../parameters.ts'
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
  printenv: (call) => call.args.length > 0 && call.args.every((word) => !isSecretName(word.text)),
  // `env` alone prints every variable, credentials included; with a command it is a wrapper.
  env: () => false,
  aws: isAwsReading,
  tar: isTarListing,
  gtar: isTarListing,
  bsdtar: isTarListing,
}

/** Arguments that make an otherwise read-only program do more. */
export const VETOES: Readonly<Record<string, RegExp>> = {
  jq: /\benv\b|\$ENV|input_filename/,
  gojq: /\benv\b|\$ENV|input_filename/,
  jaq: /\benv\b|\$ENV|input_filename/,
  yq: /\benv\b|strenv|envsubst|load/,
  sysctl: /=/,
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
  return listed && scripts.every((script) => sedActions(script).length === 0)
}

function isAwkReading(call: Call): boolean {
  const args = parseArguments(call.args, readOptions('-F:v: --field-separator= --assign='))
  const listed = args.flags.every(({ name }) => /^(?:F|v|--field-separator|--assign)$/.test(name))
  const program = args.operands[0]?.text ?? ''
  // A slash opens a pattern only where a value may start; elsewhere it divides.
  const unquoted = program.replace(/"(?:\\.|[^"\\])*"/g, '""')
  const bare = unquoted.replace(/(^|[({,;!~&|\n]|\bprint\b)(\s*)\/(?:\\.|[^/\\\n])*\//g, '$1$2//')
  const acts =
    /\bsystem\b|\bgetline\b|[^|]\|[^|]|@load|@include|\b(?:print|printf)\b[^;}\n]*>|\bclose\b|\bfflush\b/.test(bare)
  return listed && program !== '' && !acts
}

/** AWS names what it does: describe-, list-, get-. Values that are secrets are judged elsewhere. */
function isAwsReading(call: Call): boolean {
  const args = parseArguments(
    call.args,
    readOptions('--profile= --region= --output= --query= --endpoint-url= --filters= --max-items= --page-size='),
  )
  const [service, verb] = args.operands.map((word) => word.text)
  const writes =
    hasFlag(args, '--cli-input-json|--cli-input-yaml|--generate-cli-skeleton|--endpoint-url') ||
    call.args.some((word) => /^fileb?:/.test(word.text)) ||
    (verb?.startsWith('get-') && args.operands.length > 2) // a third operand is a file to write
  if (service === 's3') return verb === 'ls'
  if (service === 'configure') return verb === 'list' || verb === 'list-profiles'
  if (service === 'secretsmanager' || service === 'ssm' || service === 'kms') return false
  if (verb === 'get-object' || verb === 'get-session-token' || verb === undefined) return false
  return (
    !writes &&
    /^(?:describe|list|get|head)-[a-z-]+$/.test(verb) &&
    !/password|token|secret|credential|key-pair-data/.test(verb)
  )
}
