import { resolve } from 'node:path'
import {
  type CodeHook,
  type ConfigFile,
  configured,
  createHooks,
  fileState,
  formatNote,
  type Hooks,
  type HooksOptions,
  type Invocation,
  isAlwaysOn,
  isRecord,
  journalFor,
  type Note,
  texts,
  trustBy,
  version,
} from 'hookline/internal'
import type { Team } from '../core/index.ts'
import { hookFileOf } from '../team/index.ts'
import { agentFile } from '../trust/index.ts'
import type { Screen } from './screen.ts'

/** The bundles that guard a run without any configured hook. */
export const usualBundles = ['security', 'secrets']

/** The hooks of all layers, those of the agent file, and what the options ask for. */
export async function composeHooks(
  invocation: Invocation,
  team: Team,
  screen: Screen,
  more: readonly ConfigFile[] = [],
): Promise<Hooks> {
  const { values } = invocation
  const { say, paint } = screen
  const warn = (note: Note) => say([formatNote(note)])
  const { files, cwd, off, settings, find, places } = await configured(invocation, [], { mayBeNone: true })
  const own: ConfigFile = team.file === undefined ? hookFileOf(team) : agentFile(team.file)
  const unguarded =
    more.length === 0 && files.every((each) => each.text !== undefined) && (team.file === undefined || !hasHooks(team))
  if (unguarded)
    say([paint.dim(`No hooks are configured, so the bundles ${usualBundles.join(' and ')} guard this run.`)])
  const hooks = await createHooks({
    files: () =>
      [...find(), ...more, own].map((each) => (each.text !== undefined ? each : { ...each, file: resolve(each.file) })),
    watch: places(),
    // Nobody adds hooks while it runs: what only those would need is not loaded.
    sealed: true,
    state: fileState(),
    host: { name: 'hookline', version: version() },
    cwd,
    off,
    journal: journalFor(values, settings, warn),
    ...(unguarded ? { use: usualBundles } : {}),
    hooks: (values['snapshots'] || settings.snapshot) && !team.snapshot ? snapshots : [],
    ...besideRuntime(await trustBy(texts(values['trust']))),
    onNote: warn,
  })
  if (hooks.notes.length > 0) say(hooks.notes.map(formatNote))
  return hooks
}

const hasHooks = ({ agents }: Team): boolean =>
  Object.values(agents).some(({ hooks }) => isRecord(hooks) && Object.keys(hooks).length > 0)

/** Hooks of the runtime itself need no approval. */
function besideRuntime({ trust }: Pick<HooksOptions, 'trust'>): Pick<HooksOptions, 'trust'> {
  if (!trust) return {}
  return { trust: (hook, ...rest) => (isAlwaysOn(hook) ? { trusted: true } : trust(hook, ...rest)) }
}

const snapshots: readonly CodeHook[] = (['session_start', 'turn_start', 'turn_end', 'session_end'] as const).map(
  (event) => ({ id: `snapshot:${event}`, event, run: { type: 'builtin', name: 'snapshot' } }),
)
