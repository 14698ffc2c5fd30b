import { join, resolve } from 'node:path'
import { type ConfigFile, shortened } from '../config/index.ts'
import { type Event, type Hook, type Note, wholes } from '../core/index.ts'
import { loadDialect } from '../dialects/index.ts'
import { loadHooks } from '../hooks/index.ts'
import { existingRealPath, isDirectory, stateDirectory } from '../platform/index.ts'
import { type Approver, type Inspection, placeOf } from '../trust/index.ts'
import { type FileCapability, hasAgent, loadAgent } from './agent-package.ts'
import type { Invocation } from './command.ts'
import { configured } from './configured.ts'

interface Choice {
  /** False: a config with a mistake is shown without it, rather than refused. */
  strict?: false
  /** Files that did not change since they were last read are not parsed again. */
  cached: boolean
}

/** Every hook that counts here, what agent files bring beside, and whether it is approved. Nothing runs. */
export async function inspectHooks(trust: Approver, invocation: Invocation, choice: Choice): Promise<Inspected> {
  const { files, cwd, off } = await configured(invocation)
  const { hooks: loaded, notes, executors } = await load(files, choice)
  const hooks = wholes(loaded)
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  const dialects = await dialectsOf(hooks)
  const exists = remembering(isDirectory)
  const real = remembering(existingRealPath)
  const places = hooks.map((hook) => {
    const executor = executors[hook.run.type]
    const place = placeOf(hook, imagined(hook, cwd), dialects.get(hook.dialect)!, executor, exists)
    return { hook, place: { ...place, real } }
  })
  const brought = await broughtBy(trust, files, hooks, cwd)
  return { inspections: trust.inspectAll(places), brought, notes, cwd, off: off() }
}

interface Inspected {
  inspections: Inspection[]
  brought: Inspection<FileCapability>[]
  notes: readonly Note[]
  cwd: string
  off: Note | undefined
}

/** What is known of files is known by their absolute paths; people see them as they would write them. */
async function load(files: readonly ConfigFile[], { strict, cached }: Choice) {
  const leniently = strict === undefined ? {} : { strict }
  if (!cached) return loadHooks({ files, ...leniently })
  const absolute = files.map((each) => (each.text === undefined ? { ...each, file: resolve(each.file) } : each))
  const loaded = await loadHooks({ files: absolute, ...leniently, cache: join(stateDirectory(), 'config') })
  const { hooks, notes } = loaded
  const shortName = remembering((file) => shortened(file, process.cwd()))
  const short = <W extends { file: string }>(where: W): W => ({ ...where, file: shortName(where.file) })
  return {
    ...loaded,
    hooks: hooks.map((hook) =>
      hook.origin.where ? { ...hook, origin: { ...hook.origin, where: short(hook.origin.where) } } : hook,
    ),
    notes: notes.map((each) => (each.where ? { ...each, where: short(each.where) } : each)),
  }
}

/** Many hooks share a directory and a file. */
function remembering<T>(look: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>()
  return (path) => {
    if (!known.has(path)) known.set(path, look(path))
    return known.get(path)!
  }
}

async function dialectsOf(hooks: readonly Hook[]) {
  const names = [...new Set(hooks.map(({ dialect }) => dialect))]
  return new Map(await Promise.all(names.map(async (name) => [name, await loadDialect(name)] as const)))
}

/** Only agent files bring something: a file with hooks of another dialect is none, and is not read twice. */
async function broughtBy(trust: Approver, files: readonly ConfigFile[], hooks: readonly Hook[], cwd: string) {
  const others = new Set(
    hooks.filter(({ dialect }) => dialect !== agentDialect).map(({ origin }) => resolve(origin.where?.file ?? '')),
  )
  const candidates = files.filter(
    ({ file, dialect }) => (dialect === undefined || dialect === agentDialect) && !others.has(resolve(file)),
  )
  if (candidates.length === 0 || !hasAgent()) return []
  return (await loadAgent()).capabilitiesOfFiles(trust, candidates, cwd)
}

const agentDialect = 'docker-agent'

/** Stands for every event that a hook will run at: only where the agent works matters. */
export function imagined({ event: name }: Hook, cwd: string): Event {
  return { name, payload: { cwd, project_dir: cwd, session_id: '' }, depth: 0, synthetic: true } as unknown as Event
}
