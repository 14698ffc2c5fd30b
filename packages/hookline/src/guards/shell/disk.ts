/** Scripts that lie on disk: read where whoever asks lets us, and walked as part of the line. Guards never do: they are pure. */
import { lookup, parseArguments, readOptions } from '../../shell/index.ts'
import { MOST_SCRIPT_STEPS, spendWithin } from './budget.ts'
import { standIn, unite } from './directories.ts'
import { resolvePath } from './places.ts'
import type { Disk } from './seen.ts'
import { type Field, field, isKnown, type Stream, stream } from './text.ts'
import { doubt, newTrace } from './trace.ts'
import type { Call, Run, State } from './types.ts'

const MOST_FILES = 16
const LARGEST_FILE = 65_536
const DEEPEST_SCRIPT = 4

export interface Machine {
  isDirectory?(path: string): boolean | undefined
  read?(path: string): string | undefined
}

export function openDisk({ isDirectory, read }: Machine): Disk {
  const disk: Disk = {
    left: MOST_FILES,
    asked: false,
    isDirectory(path) {
      disk.asked = true
      return path.startsWith('/') ? isDirectory?.(path) : undefined
    },
    read(path) {
      disk.asked = true
      if (!path.startsWith('/') || disk.left <= 0) return undefined
      disk.left--
      const text = read?.(path)
      return text === undefined || text.length > LARGEST_FILE || text.includes('\0') ? undefined : text
    },
  }
  return disk
}

/** The text of a file that the line names, where it is certain which one. */
function readFile(word: Field, { state, run }: Call): { path: string; text: string } | undefined {
  if (!run.disk || run.elsewhere || word.content || !isKnown(word.text)) return undefined
  for (const cwd of state.standing.now) {
    const path = resolvePath(word.text, { ...state, cwd })
    const text = path === undefined ? undefined : run.disk.read(path)
    if (path !== undefined && text !== undefined) return { path, text }
  }
  return undefined
}

/** Names that stand in a file, one in each line. */
export function linesOf(stdin: Stream | undefined, run: Run): readonly string[] | undefined {
  if (stdin === undefined) return undefined
  const text = isKnown(stdin.text) ? stdin.text : stdin.file === undefined ? undefined : run.disk?.read(stdin.file)
  return text?.split(/\r?\n|\0/).filter((line) => line !== '')
}

/** `bash x.sh`, `. x.sh`, `./x.sh`: walks what stands in it; false when that cannot be read. */
export function followScript(
  file: Field,
  args: readonly Field[],
  call: Call,
  kind: 'shell' | 'sourced' | 'program',
): boolean {
  if (depthOf(call.run) >= DEEPEST_SCRIPT) return false
  const found = readFile(file, call)
  if (!found || (kind === 'program' && !isShellScript(found.text))) return false
  const label = kind === 'program' ? file.text : `${call.name} ${file.text}`
  const named = new Map(call.state.variables).set('BASH_SOURCE', [field(found.path)])
  const state = kind === 'sourced' ? call.state : ownShell(call.state, named.set('0', [field(found.path)]))
  const positional = state.positional
  if (args.length > 0 || kind !== 'sourced') state.positional = args
  walkFollowed(stream(found.text), state, call, label)
  if (kind === 'sourced') state.positional = positional
  return true
}

const isShellScript = (text: string): boolean => {
  const [first = ''] = text.split('\n', 1)
  return !first.startsWith('#!') || /^#!\s*\S*\/(?:env\s+(?:-\S+\s+)*)?(?:ba|z|da|k|a)?sh\b/.test(first)
}

function ownShell(state: State, variables: State['variables']): State {
  return { ...state, variables, functions: new Map(), aliases: new Map(), files: new Map(state.files), left: [] }
}

const depthOf = ({ script }: Run): number => {
  let depth = 0
  for (let at = script; at; at = at.script) depth++
  return depth
}

/**
 * What cannot be read in a script on disk is the business of the program that it is, as with every other program: only
 * reaching a limit is a doubt.
 */
function walkFollowed(script: Stream, state: State, call: Call, label: string): void {
  const { run, seen } = call
  if (!seen) return
  const trace = newTrace()
  const inner: Run = {
    ...{ ...run, trace, script: seen, inside: [...run.inside, label] },
    ...{ findings: [], reading: { commands: [], certain: true, more: false } },
  }
  const read = spendWithin(run, MOST_SCRIPT_STEPS, (budget) =>
    run.walker.script(script, state, { ...inner, budget }, { ...call.wiring, stdin: undefined }),
  )
  if (!read) doubt(run, LONG_SCRIPT)
  for (const each of trace.seen) run.trace.seen.push(each)
  run.trace.guesses.push(...trace.guesses)
  run.findings.push(
    ...inner.findings.filter(({ verdict, category }) => verdict === 'destructive' && category !== 'limit'),
  )
  if (inner.findings.some(({ category }) => category === 'limit')) doubt(run, LONG_SCRIPT)
}

const LONG_SCRIPT = 'It runs a script that is too long to be read.'

const LIFECYCLES: Readonly<Record<string, readonly string[]>> = {
  install: ['preinstall', 'install', 'postinstall', 'prepare'],
  ci: ['preinstall', 'install', 'postinstall', 'prepare'],
  publish: ['prepublishOnly', 'prepack', 'prepare', 'postpack', 'publish', 'postpublish'],
  pack: ['prepack', 'prepare', 'postpack'],
}
const SHORT: Readonly<Record<string, string>> = { t: 'test', tst: 'test', i: 'install', add: 'install', '': 'install' }
const OPTIONS =
  '-w:C:F: --workspace= --prefix= --dir= --cwd= --filter= --loglevel= --script-shell= --registry= --cache= --userconfig='

/** `npm run x`: the scripts of the package around, those before and after it included. */
export function followPackageScript(call: Call): void {
  const { run, state, name } = call
  if (!run.disk || run.elsewhere || !/^(?:npm|yarn|pnpm|bun)$/.test(name) || depthOf(run) >= DEEPEST_SCRIPT) return
  const { operands, flags } = parseArguments(call.args, readOptions(OPTIONS))
  const [verb = '', ...rest] = operands.map(({ text }) => text)
  const runs = /^(?:run|run-script|rum)$/.test(verb)
  const wanted = runs ? (rest[0] ?? '') : (lookup(SHORT, verb) ?? verb)
  if (wanted === '' || !isKnown(wanted)) return
  const own = lookup(LIFECYCLES, runs ? '' : wanted)
  // Other verbs of npm are npm's own; yarn and pnpm take the name of a script for one.
  if (!runs && !own && !/^(?:test|start|stop|restart)$/.test(wanted) && (name === 'npm' || name === 'bun')) return
  const folder = flags.find((flag) => /^(?:C|w|--prefix|--dir|--cwd|--workspace)$/.test(flag.name))?.value?.text
  const found = state.standing.now.flatMap((cwd) => nearestPackage(cwd, folder, state, run) ?? [])
  const [nearest] = found
  if (!nearest) return
  const more = call.args.slice(call.args.findIndex(({ text }) => text === (runs ? rest[0] : verb)) + 1)
  const label = [name, ...(runs ? [verb, wanted] : [verb])].join(' ').trim()
  for (const each of own ?? [`pre${wanted}`, wanted, `post${wanted}`]) {
    const script = nearest.scripts[each]
    if (typeof script !== 'string') continue
    const args = each === wanted && !own ? more.filter(({ text }) => text !== '--') : []
    const text = [script, ...args.map((word) => quoted(word.text))].join(' ')
    const inner = ownShell(state, new Map())
    inner.cwd = nearest.directory
    inner.standing = standIn([nearest.directory])
    inner.positional = []
    walkFollowed(stream(text), inner, call, label)
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function nearestPackage(
  cwd: string | undefined,
  folder: string | undefined,
  state: State,
  run: Run,
): { directory: string; scripts: Readonly<Record<string, unknown>> } | undefined {
  const start = folder === undefined ? cwd : resolvePath(folder, { ...state, cwd })
  if (start === undefined || !start.startsWith('/') || !isKnown(start)) return undefined
  for (let at = start, tries = 0; tries < 8; at = at.slice(0, Math.max(1, at.lastIndexOf('/'))), tries++) {
    const text = run.disk?.read(`${at === '/' ? '' : at}/package.json`)
    const scripts = text === undefined ? undefined : scriptsIn(text)
    if (text !== undefined) return scripts && { directory: at, scripts }
    if (at === '/' || folder !== undefined) return undefined
  }
  return undefined
}

function scriptsIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? (scripts as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Where a redirection reads from, for those who need the names in it. */
export function fileOf(word: Field, state: State): string | undefined {
  const [path, ...others] = unite(state.standing.now.map((cwd) => resolvePath(word.text, { ...state, cwd })))
  return others.length === 0 && isKnown(word.text) ? path : undefined
}
