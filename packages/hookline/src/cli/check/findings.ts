import { join, resolve } from 'node:path'
import { bundles } from '../../builtins/bundles/index.ts'
import type { ConfigFile, LoadedConfig } from '../../config/index.ts'
import { inOrder, type LocateIn, readFiles, validateHooks, withoutPlace } from '../../config/index.ts'
import type { Code, Hook, Note } from '../../core/index.ts'
import { formatWhere, note } from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { identityOf } from '../../engine/index.ts'
import { createExecutors, type Executors, executorTypes } from '../../executors/index.ts'
import { openLoadCache, spellingsIn } from '../../hooks/index.ts'
import { homeDirectory, stateDirectory } from '../../platform/index.ts'
import { isOfRules, rulesOf } from '../cases/rules.ts'
import { type Reach, reachesOf, unreachedIn } from './installed-hosts.ts'
import { nearMisses } from './near-misses.ts'
import { type Finding, notOffered, programChecker, startsProgram } from './programs.ts'

export type { Finding }

export interface Checked {
  files: Pick<LoadedConfig, 'file' | 'dialect'>[]
  /** How many there are, without those that are broken. */
  hooks: number
  /** How many of them are made of rules, and of how many rules. */
  lists: number
  rules: number
  /** In the order of the files, and in each in the order of its lines. */
  findings: Finding[]
}

/** What follows from the text of files alone. What the machine makes of it is looked at each time. */
interface Known extends Checked {
  /** Those that start a program, without those that start it just as another does. */
  starting: Hook[]
  reaches: Reach[]
}

/** Remarks that a dialect makes while it goes on, but that mean a hook or a setting has no effect. */
const without: ReadonlySet<Code> = new Set<Code>(['matcher-dead', 'config-unknown-key', 'unknown-event'])

/** Everything that can be known of config files without running a hook. */
export async function checkFiles(named: readonly ConfigFile[], cwd: string): Promise<Checked> {
  const sources = inOrder(named)
  const cache = openLoadCache<Known>(join(stateDirectory(), 'checked'), sources.map(absolute))
  const known = cache?.recall()
  // Findings name files as they were named, and only the file itself shows where a program is named.
  if (known && sources.every(({ file }, at) => known.files[at]?.file === file))
    if ((await findPrograms(known.starting, cwd)).length === 0)
      return { ...known, findings: byPlace([...known.findings, ...(await remarks(known.reaches, cwd))], named) }

  const { files, hooks: all, locateIn, tools, ...read } = await readFiles(named, { bundles })
  const executors = await createExecutors(
    all.map((hook) => hook.run.type),
    {
      spellings: () => spellingsIn(undefined),
      declared: () => Object.keys(tools),
    },
  )
  const { hooks, problems, notes } = await validateHooks(all, executors, locateIn, executorTypes)
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  const starting = hooks.filter(startsProgram)

  const before = [...[...read.problems, ...problems].map(asError), ...[...read.notes, ...notes].map(asFinding)]
  const after = [
    ...hooks.flatMap((hook) => notOffered(hook, executors, locateIn)),
    ...repeated(hooks, executors),
    ...withoutDead(await nearMisses(hooks.filter(isInForce), tools), read.notes),
  ].map(asWarning)
  const reaches = await reachesOf(hooks)
  const checked = (onMachine: readonly Finding[]): Checked => ({
    files: files.map(({ file, dialect }) => ({ file, ...(dialect !== undefined && { dialect }) })),
    hooks: hooks.length,
    lists: hooks.filter(isOfRules).length,
    rules: rulesOf(hooks).length,
    findings: byPlace([...before, ...onMachine, ...after], named),
  })
  cache?.keep({ ...checked([]), starting: different(starting), reaches }, files.map(absolute))
  return checked([...(await findPrograms(starting, cwd, locateIn)), ...(await remarks(reaches, cwd))])
}

/** What is worth knowing about the agents that are used here. */
const remarks = async (reaches: readonly Reach[], cwd: string): Promise<Finding[]> =>
  (await unreachedIn(reaches, cwd, homeDirectory())).map((remark) => ({ ...remark, severity: 'note' }))

const isInForce = ({ enabled }: Hook): boolean => enabled

/** Of a matcher that can never match, enough has been said. */
function withoutDead(misses: readonly Note[], notes: readonly Note[]): Note[] {
  const dead = new Set(notes.flatMap(({ code, where }) => (code === 'matcher-dead' ? [where] : [])).map(placeKey))
  return misses.filter(({ where }) => !dead.has(placeKey(where)))
}

const placeKey = (where: Note['where']): string => (where ? formatWhere(where) : '')

/** What a remark made while loading is worth. */
export const asFinding = (remark: Note): Finding => (without.has(remark.code) ? asError(remark) : asWarning(remark))

const asError = (remark: Note): Finding => ({ ...remark, severity: 'error' })
const asWarning = (remark: Note): Finding => ({ ...remark, severity: 'warning' })
const absolute = <F extends { file: string }>(source: F): F => ({ ...source, file: resolve(source.file) })

/** One for each way to start a program, without its places: the next check only looks whether all can be started. */
function different(hooks: readonly Hook[]): Hook[] {
  const ways = hooks.map((hook) => withoutPlace({ ...hook, matcher: [] }))
  const key = ({ dialect, event, run, env, workingDir }: Hook) => JSON.stringify([dialect, event, run, env, workingDir])
  return [...new Map(ways.map((hook) => [key(hook), hook])).values()]
}

async function findPrograms(hooks: readonly Hook[], cwd: string, locateIn?: LocateIn): Promise<Finding[]> {
  const names = [...new Set(hooks.map((hook) => hook.dialect))]
  const dialects = new Map(await Promise.all(names.map(async (name) => [name, await loadDialect(name)] as const)))
  return hooks.flatMap(programChecker(cwd, dialects, locateIn))
}

/** Of hooks that do the same, the engine runs only the first that matches: another never runs where that one always matches too. */
function repeated(hooks: readonly Hook[], executors: Executors): Note[] {
  const earlier = new Map<string, Hook[]>()
  return similar(hooks.filter((hook) => hook.enabled)).flatMap((hook, position) => {
    const key = `${hook.event} ${identityOf(hook, position, executors[hook.run.type])}`
    const same = earlier.get(key) ?? []
    earlier.set(key, [...same, hook])
    const first = same.find((other) => covers(other, hook))
    const { where } = hook.origin
    return first ? [note('hook-repeated', { first: first.id }, { hook: hook.id, ...(where && { where }) })] : []
  })
}

/** Whether one hook certainly runs wherever the other would: each of its conditions is also one of the other's. */
function covers(one: Hook, other: Hook): boolean {
  const conditions = ({ matcher, unlessRuled, topLevelOnly }: Hook) => [
    ...matcher.map(({ where: _where, ...test }) => JSON.stringify(test)),
    ...(unlessRuled ? ['unlessRuled'] : []),
    ...(topLevelOnly ? ['topLevelOnly'] : []),
  ]
  const of = new Set(conditions(other))
  return conditions(one).every((condition) => of.has(condition))
}

/** Those that another is like in what is quickly compared. No other can be the same. */
function similar(hooks: readonly Hook[]): Hook[] {
  const outlines = hooks.map(({ event, dedupe, matcher, run }) => {
    if (dedupe !== undefined) return `${event} ${dedupe}`
    return [
      event,
      run.type,
      run['command'],
      ...matcher.map(({ test }) => ('names' in test ? test.names[0] : '')),
    ].join()
  })
  const times = new Map<string, number>()
  for (const outline of outlines) times.set(outline, (times.get(outline) ?? 0) + 1)
  return hooks.filter((_, at) => times.get(outlines[at]!)! > 1)
}

function byPlace(findings: readonly Finding[], files: readonly ConfigFile[]): Finding[] {
  const names = files.map(({ file }) => file)
  const place = ({ where }: Finding) =>
    [names.indexOf(where?.file ?? ''), where?.line ?? 0, where?.column ?? 0] as const
  return findings.toSorted((one, other) => {
    const [a, b] = [place(one), place(other)]
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
  })
}
