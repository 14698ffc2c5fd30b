/** Scripts of a package: what `npm run x`, `composer x` and `deno task x` run. */
import { lookup, parseArguments, readOptions } from '../../../shell/index.ts'
import { report } from '../findings.ts'
import { DEEPEST_SCRIPT, depthOf, shellIn, walkFollowed } from '../followed.ts'
import { isKnown, stream } from '../text.ts'
import type { Call, Danger } from '../types.ts'
import { nearestFile } from './nearest.ts'

interface Manager {
  /** Where the scripts stand, and under which key. */
  file: readonly string[]
  key: 'scripts' | 'tasks'
  /** The verbs behind which the name of a script comes. */
  runs: RegExp
  /** The verbs that mean a script of that name; absent: all that are not its own. */
  named?: RegExp
  /** What it runs by itself, by verb. */
  lifecycles?: Readonly<Record<string, readonly string[]>>
  /** Scripts called `prex` and `postx` run with `x`. */
  around?: true
}

const LIFECYCLES: Readonly<Record<string, readonly string[]>> = {
  install: ['preinstall', 'install', 'postinstall', 'prepare'],
  ci: ['preinstall', 'install', 'postinstall', 'prepare'],
  publish: ['prepublishOnly', 'prepack', 'prepare', 'postpack', 'publish', 'postpublish'],
  pack: ['prepack', 'prepare', 'postpack'],
}
const node: Manager = {
  ...{ file: ['package.json'], key: 'scripts', around: true, lifecycles: LIFECYCLES },
  runs: /^(?:run|run-script|rum)$/,
}
const few: Manager = { ...node, named: /^(?:test|start|stop|restart)$/ }

const MANAGERS: Readonly<Record<string, Manager>> = {
  ...{ npm: few, bun: few, yarn: node, pnpm: node },
  composer: {
    ...{ file: ['composer.json'], key: 'scripts', runs: /^(?:run|run-script|exec)$/ },
    lifecycles: {
      install: ['pre-install-cmd', 'post-install-cmd', 'post-autoload-dump'],
      update: ['pre-update-cmd', 'post-update-cmd', 'post-autoload-dump'],
    },
  },
  deno: { file: ['deno.json', 'deno.jsonc'], key: 'tasks', runs: /^task$/, named: /^$/ },
}

const SHORT: Readonly<Record<string, string>> = { t: 'test', tst: 'test', i: 'install', add: 'install', '': 'install' }
const OPTIONS =
  '-w:C:F:d: --workspace= --prefix= --dir= --cwd= --filter= --loglevel= --script-shell= --registry= --cache= --userconfig= --working-dir= --timeout='
const FOLDER = /^(?:C|w|d|--prefix|--dir|--cwd|--workspace|--working-dir)$/

/** The scripts of the package around, those before and after it included. */
export function followPackageScript(call: Call): void {
  const { run, state, name } = call
  const manager = lookup(MANAGERS, name)
  if (!manager || !run.disk || run.elsewhere || depthOf(run) >= DEEPEST_SCRIPT) return
  const { operands, flags } = parseArguments(call.args, readOptions(OPTIONS))
  const [verb = '', ...rest] = operands.map(({ text }) => text)
  const runs = manager.runs.test(verb)
  const wanted = runs ? (rest[0] ?? '') : (lookup(SHORT, verb) ?? verb)
  if (wanted === '' || !isKnown(wanted)) return
  const own = runs ? undefined : lookup(manager.lifecycles ?? {}, wanted)
  if (!runs && !own && manager.named && !manager.named.test(wanted)) return
  const folder = flags.find((flag) => FOLDER.test(flag.name))?.value?.text
  const found = nearestFile(manager.file, folder, call)
  const scripts = found && scriptsIn(found.text, manager.key)
  if (!scripts || (runs && scripts[wanted] === undefined)) judgeName(call, wanted)
  if (!scripts) return
  const more = call.args.slice(call.args.findIndex(({ text }) => text === (runs ? rest[0] : verb)) + 1)
  const label = [name, ...(runs ? [verb, wanted] : [verb])].join(' ').trim()
  for (const each of own ?? (manager.around ? [`pre${wanted}`, wanted, `post${wanted}`] : [wanted])) {
    const args = each === wanted && !own ? more.filter(({ text }) => text !== '--') : []
    for (const script of linesOf(scripts[each]))
      walkFollowed(
        stream([script, ...args.map((word) => quoted(word.text))].join(' ')),
        shellIn(found.directory, state),
        call,
        label,
      )
  }
}

/** Of a script that cannot be read, its name is all there is: `npm run db:reset`. */
function judgeName(call: Call, name: string): void {
  const forced = call.args.some(({ text }) => /^--(?:force(?:-reset)?|accept-data-loss|yes)$|^-[fy]$/.test(text))
  if (WIPES.test(name) || (forced && TOUCHES_DATA.test(name))) report(call.run, 'destructive', MAY_WIPE, call.shown)
}
const TOUCHES_DATA = /(?:^|[:_-])(?:db|database|prisma|drizzle|schema|sql|migrations?)(?:[:_-]|$)/i
const WIPES = new RegExp(
  `${TOUCHES_DATA.source}(?:.*[:_-])?(?:reset|drop|wipe|nuke|purge|destroy|truncate|fresh|clear|flush)(?:[:_-]|$)`,
  'i',
)
const MAY_WIPE: Danger = {
  category: 'database',
  radius: 'medium',
  reason: 'By its name, the script empties or rebuilds a database, and it cannot be read from here.',
}

/** One line, several, or an object that holds it. */
function linesOf(script: unknown): string[] {
  if (Array.isArray(script)) return script.filter((line) => typeof line === 'string').slice(0, 32)
  if (typeof script === 'string') return [script]
  const { command } = (script ?? {}) as { command?: unknown }
  return typeof command === 'string' ? [command] : []
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function scriptsIn(text: string, key: Manager['key']): Readonly<Record<string, unknown>> | undefined {
  try {
    const found = (JSON.parse(text) as Record<string, unknown>)[key]
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
