/** PowerShell and cmd, read where they are simple: programs and plain words. Everything else is a doubt. */
import { type Field, SOME } from '../../guards/shell/index.ts'
import { programName } from '../../shell/index.ts'
import type { Look, RunAction } from '../types.ts'
import { byName, type Doing, type Effect, touch } from './effect.ts'
import { files } from './files.ts'
import type { Found } from './found.ts'
import { gitDoes } from './git.ts'
import { targetOf } from './hosts.ts'
import { fetch, network } from './network.ts'
import { placesOf } from './paths.ts'
import { search } from './search.ts'
import { showSlot, slotOf } from './slots.ts'

type Shell = 'powershell' | 'cmd'

export function readWindowsLine(
  command: string,
  shell: Shell,
  start: string | undefined,
  look: Look,
  found: Found,
): void {
  const { commands, plain } = splitLine(command, shell)
  if (!plain) found.doubts.add('Part of it is code of PowerShell or cmd, which is not read.')
  const heads = new Map()
  let cwd = start
  for (const { words, redirected } of commands) {
    const [first, ...args] = words
    if (!first) continue
    const name = programName(first.text).replace(/\.(?:cmd|bat|com)$/, '')
    if (/^(?:iex|invoke-expression|invoke-command|icm|start-process|saps|powershell|pwsh|cmd|&|\.)$/.test(name))
      found.doubts.add('It runs code that is not read.')
    const doing: Doing = { name, args, cwd, look, assigned: [] }
    const git = name === 'git' ? gitDoes(doing, heads) : undefined
    if (git?.alias) found.doubts.add('It runs an alias of git.')
    const run: RunAction = {
      kind: 'run',
      words: words.map((each, at) => slotOf(at === 0 ? name : each.text, each.glob)),
      inside: [],
      shown: words.map(({ text }, at) => (at === 0 ? name : showSlot(slotOf(text)))).join(' '),
      extras: redirected.length > 0 ? ['redirection'] : [],
      ...(git?.branches ? { branches: git.branches } : {}),
    }
    const by = found.add(run)
    const own = cmdlets(name)
    const effects = git?.effects ?? (own.length > 0 ? own : programs(name)).flatMap((program) => program(doing))
    addEffects(effects, { cwd, look, found, by })
    addEffects(redirected, { cwd, look, found })
    if (/^(?:cd|chdir|set-location|sl|push-location|pushd)$/.test(name)) cwd = enter(args.at(-1), cwd)
  }
}

interface Where {
  cwd: string | undefined
  look: Look
  found: Found
  by?: number
}

function addEffects(effects: readonly Effect[], { cwd, look, found, by }: Where): void {
  const rest = { inside: [], ...(by === undefined ? {} : { by }) }
  for (const effect of effects) {
    if (effect.does === 'fetch')
      found.add({
        kind: 'fetch',
        ...effect.to,
        ...(effect.sends ? { sends: true } : {}),
        ...rest,
        shown: showSlot(effect.to.host),
      })
    else
      for (const place of placesOf(slashed(effect.word), cwd, look))
        found.add({ kind: effect.does, ...place, ...(effect.recursive ? { recursive: true } : {}), ...rest })
  }
}

const slashed = (each: Field): Field => ({ ...each, text: each.text.replaceAll('\\', '/') })

function enter(to: Field | undefined, cwd: string | undefined): string | undefined {
  const path = to && slashed(to).text
  if (path === undefined || path.includes(SOME)) return undefined
  return /^(?:\/|[A-Za-z]:)/.test(path) ? path : cwd === undefined ? undefined : `${cwd}/${path}`
}

/** Parameters of a cmdlet: `-Path x`, `-Recurse`; the rest in order. Names have no case and may be cut short. */
function parameters(
  args: readonly Field[],
  switches: RegExp,
): { named: (pattern: RegExp) => Field[]; has: (pattern: RegExp) => boolean; rest: Field[] } {
  const pairs: { name: string; value: Field | undefined }[] = []
  const rest: Field[] = []
  for (let at = 0; at < args.length; at++) {
    const each = args[at]!
    const [, name, attached] = /^-([A-Za-z][\w-]*)(?::(.*))?$/s.exec(each.text) ?? []
    if (name === undefined) rest.push(each)
    else if (switches.test(name)) pairs.push({ name, value: undefined })
    else pairs.push({ name, value: attached === undefined ? args[++at] : { ...each, text: attached } })
  }
  return {
    named: (pattern) => pairs.flatMap(({ name, value }) => (pattern.test(name) && value ? [value] : [])),
    has: (pattern) => pairs.some(({ name }) => pattern.test(name)),
    rest,
  }
}

const SWITCHES =
  /^(?:r(?:e(?:c(?:urse?)?)?)?|fo(?:rce)?|v(?:erbose)?|whatif|wi|confirm|cf|raw|append|noclobber|nonewline|passthru|usebasicparsing|useb|hidden|directory|file|wait|rf|s|q|f)$/i
const PATHS = /^(?:path|literalpath|lp|pspath|filepath|fp)$/i

const onPaths =
  (does: 'read' | 'write' | 'delete', first = 1) =>
  ({ args }: Doing): Effect[] => {
    const given = parameters(args, SWITCHES)
    const paths = [...given.named(PATHS), ...given.rest.slice(0, given.named(PATHS).length > 0 ? 0 : first)]
    return touch(does, paths.flatMap(listed), given.has(/^(?:r(?:e(?:c(?:urse?)?)?)?|rf)$/i))
  }

const copies =
  (deletes: boolean) =>
  ({ args }: Doing): Effect[] => {
    const given = parameters(args, SWITCHES)
    const [from, to] = [...given.named(PATHS), ...given.rest]
    const target = given.named(/^dest/i)[0] ?? to
    return [
      ...touch('read', [from], true),
      ...(deletes ? touch('delete', [from], true) : []),
      ...touch('write', [target], true),
    ]
  }

const web = ({ args }: Doing): Effect[] => {
  const given = parameters(args, SWITCHES)
  const [url] = [...given.named(/^uri$/i), ...given.rest]
  const method = given.named(/^m(?:ethod)?$/i)[0]?.text ?? 'get'
  const sends = given.has(/^(?:body|infile|form)$/i) || !/^(?:get|head)$/i.test(method)
  return [
    ...(url ? [fetch(targetOf(url), sends)] : []),
    ...touch('read', given.named(/^infile$/i)),
    ...touch('write', given.named(/^outf/i)),
  ]
}

/** cmd's own: options begin with a slash. */
const cmdOperands = (args: readonly Field[]): Field[] =>
  args.filter(({ text }) => !/^[/-][a-z]{1,2}(?::.*)?$/i.test(text))

const removes = (doing: Doing): Effect[] =>
  doing.args.some(({ text }) => /^\/[a-z]$/i.test(text))
    ? touch('delete', cmdOperands(doing.args), true)
    : onPaths('delete', mostPaths)(doing)
const mostPaths = 100

const cmdlets = byName<(doing: Doing) => readonly Effect[]>({
  'remove-item ri rm del erase rd rmdir': removes,
  'clear-content clc': onPaths('write'),
  'get-content gc type cat': onPaths('read', mostPaths),
  'select-string sls': ({ args }) => touch('read', parameters(args, SWITCHES).named(PATHS).flatMap(listed)),
  'get-childitem gci ls dir': onPaths('read'),
  'set-content sc add-content ac out-file tee-object new-item ni md mkdir': onPaths('write'),
  'copy-item cpi cp copy xcopy robocopy': copies(false),
  'move-item mi mv move rename-item rni ren rename': copies(true),
  'invoke-webrequest iwr invoke-restmethod irm curl wget': web,
  'start-bitstransfer': ({ args }) => {
    const given = parameters(args, SWITCHES)
    const [from, to] = [...given.named(/^source$/i), ...given.rest]
    return [...(from ? [fetch(targetOf(from))] : []), ...touch('write', [given.named(/^dest/i)[0] ?? to])]
  },
})
const programs = byName(files, search, network)

/** `a,b` is a list. */
const listed = (each: Field): Field[] => each.text.split(',').map((text) => ({ ...each, text }))

interface Command {
  words: Field[]
  redirected: Effect[]
}

/** Words between `;`, `|`, `&` and line ends; `plain` is false as soon as something else is in the line. */
function splitLine(line: string, shell: Shell): { commands: Command[]; plain: boolean } {
  const commands: Command[] = []
  let current: Command = { words: [], redirected: [] }
  let plain = true
  let pending: 'read' | 'write' | undefined
  const token = shell === 'cmd' ? cmdToken : powershellToken
  for (const { groups = {} } of line.matchAll(token)) {
    const { end, redirect, single, double, bare, odd } = groups
    if (end !== undefined) {
      commands.push(current)
      current = { words: [], redirected: [] }
    } else if (redirect !== undefined)
      pending = redirect.includes('&') ? undefined : redirect.includes('<') ? 'read' : 'write'
    else if (odd !== undefined) {
      plain = false
      current.words.push({ text: SOME, taints: [], glob: false })
    } else {
      const text = single?.replaceAll("''", "'") ?? double ?? bare ?? ''
      const unknown = single === undefined && (shell === 'cmd' ? /%[^%]*%|!/ : /[$`]/).test(text)
      const word: Field = {
        text: unknown ? text.replace(shell === 'cmd' ? /%[^%]*%|!\w+!/g : /\$\{?[\w:]+\}?|`./g, SOME) : text,
        ...{ taints: [], glob: bare !== undefined && /[*?]/.test(text) },
      }
      if (pending) current.redirected.push(...touch(pending, /^(?:\$null|nul)$/i.test(text) ? [] : [word]))
      else current.words.push(word)
      pending = undefined
    }
  }
  commands.push(current)
  return { commands, plain }
}

const powershellToken =
  /(?<end>;|\|\|?|&&|\r?\n)|(?<redirect>\d?>>?(?:&\d)?|<)|'(?<single>(?:[^']|'')*)'|"(?<double>(?:[^"`$]|`.|\$\w+)*)"|(?<odd>[&(){}@"'#]|\$\()|(?<bare>[^\s;|&(){}<>'"@#]+)/g
const cmdToken =
  /(?<end>\r?\n|\|\|?|&&?)|(?<redirect>\d?>>?(?:&\d)?|<)|"(?<double>[^"]*)"|(?<odd>[()^"])|(?<bare>[^\s&|<>"()^]+)/g
