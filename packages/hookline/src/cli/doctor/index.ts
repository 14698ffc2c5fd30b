import { resolve } from 'node:path'
import type { ConfigFile } from '../../config/index.ts'
import { type Dialect, type Hook, type Note, type Where as Place, wholes } from '../../core/index.ts'
import { compilePattern } from '../../core/regex.ts'
import { loadDialect } from '../../dialects/index.ts'
import { makeHookIndex, makeSlots, type ReadyHook } from '../../engine/index.ts'
import { loadHooks } from '../../hooks/index.ts'
import { type Approver, type Inspection, placeOf } from '../../trust/index.ts'
import { programChecker } from '../check/programs.ts'
import { imagined } from '../inspect-hooks.ts'
import { examine } from './examine.ts'
import { makeGround, type Where } from './ground.ts'
import type { Examination } from './proof.ts'

export interface DoctorOptions {
  files: readonly ConfigFile[]
  cwd: string
  /** Absent: whoever asks trusts all of them. */
  approver?: Approver | undefined
  /** Hooks run in the project itself, and what they change stays changed. Else they run in a copy. */
  live: boolean
  /** A directory for that copy, which is gone afterwards. */
  scratch: string
  /** Which hooks; absent: all. */
  choose?(all: readonly Hook[]): readonly Hook[]
  spends: boolean
  signal: AbortSignal
  /** Called after each hook, as it ends. */
  progress?(done: number, of: number, last: Hook): void
}

export interface Doctored {
  where: Where
  examinations: Examination[]
  notes: readonly Note[]
}

/** So many hooks at once that a slow one delays nobody, and so few that they do not slow each other down. */
const atOnce = 4

/** Examines every hook. What hooks keep in directories of ours goes to a scratch directory, which the caller has set. */
export async function examineHooks(options: DoctorOptions): Promise<Doctored> {
  const { cwd, signal, spends, progress, approver, files } = options
  const { hooks: loaded, notes, executors } = await loadHooks({ files })
  const hooks = wholes(loaded)
  let closing: Promise<unknown> | undefined
  const close = () => (closing ??= Promise.all(Object.values(executors).map((executor) => executor.close?.())))
  try {
    const dialects = new Map<string, Dialect>()
    for (const { dialect } of hooks) dialects.set(dialect, await loadDialect(dialect))
    const names = fileNames(files)
    const index = makeHookIndex(hooks.map(names.absolute), { executors, dialects, compile }, 1)
    const chosen = new Set((options.choose?.(hooks) ?? hooks).map(({ id }) => id))
    const wanted = index.hooks.filter(({ hook }) => chosen.has(hook.id))
    const configs = files.flatMap(({ file, text }) => (text === undefined ? [file] : []))
    const { live, scratch } = options
    const ground = makeGround({ hooks: wanted.map(({ hook }) => hook), cwd, live, scratch, configs, approver })
    const examiner = {
      cwd,
      signal,
      spends,
      ground,
      look: programChecker(cwd, dialects, () => undefined),
      trust: (hook: Hook) =>
        stateOf(() =>
          approver?.inspect(
            hook,
            placeOf(hook, imagined(hook, cwd), dialects.get(hook.dialect)!, executors[hook.run.type]),
          ),
        ),
      services: {
        trust: ground.trust,
        slots: new Map(
          Object.values(executors).flatMap(({ type, concurrency }) =>
            concurrency ? [[type, makeSlots(concurrency)]] : [],
          ),
        ),
        nested: <T>(_depth: number, work: () => T) => work(),
        afterwards: () => {},
        background: () => {},
      },
    }
    const places = makeSlots(atOnce)
    let done = 0
    const examineOne = async (ready: ReadyHook) => {
      const leave = await places.take(undefined)
      try {
        return await examine(ready, examiner)
      } finally {
        leave()
        progress?.(++done, wanted.length, ready.hook)
      }
    }
    const examinations = await ground.standing(async () => {
      const all = await Promise.all(wanted.map(examineOne))
      // Before the copy is gone, whatever runs in it must be.
      await close()
      return all
    })
    return { where: ground.where, examinations: examinations.map(names.asGiven), notes }
  } finally {
    await close()
  }
}

/** Hooks of relative files are found wherever the process stands, and reported as their files were named. */
function fileNames(files: readonly ConfigFile[]) {
  const given = new Map(files.flatMap(({ file, text }) => (text === undefined ? [[resolve(file), file] as const] : [])))
  const at = <W extends { where?: Place }>(about: W, name: (file: string) => string): W =>
    about.where ? { ...about, where: { ...about.where, file: name(about.where.file) } } : about
  const back = (file: string) => given.get(file) ?? file
  const real = (file: string) => (given.has(resolve(file)) ? resolve(file) : file)
  const of = (hook: Hook, name: (file: string) => string): Hook => ({ ...hook, origin: at(hook.origin, name) })
  return {
    absolute: (hook: Hook) => of(hook, real),
    asGiven: (examination: Examination): Examination => ({
      ...examination,
      hook: of(examination.hook, back),
      findings: examination.findings.map((finding) => at(finding, back)),
    }),
  }
}

/** Loading has refused every pattern that does not compile. */
function compile(source: string, whole: boolean) {
  const compiled = compilePattern(source, whole)
  if (compiled.ok) return compiled.pattern
  throw new Error(compiled.detail)
}

/** The gate reports approvals that cannot be read. */
function stateOf(inspect: () => Inspection | undefined): Inspection['state'] {
  try {
    return inspect()?.state ?? 'vouched'
  } catch {
    return 'not-approved'
  }
}
