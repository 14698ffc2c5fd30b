import type { ConfigFile } from '../../config/index.ts'
import type { Dialect, Hook, Note } from '../../core/index.ts'
import { compilePattern } from '../../core/regex.ts'
import { loadDialect } from '../../dialects/index.ts'
import { makeHookIndex, makeSlots } from '../../engine/index.ts'
import { type HooksOptions, loadHooks } from '../../hooks/index.ts'
import { type Inspection, openTrust, placeOf } from '../../trust/index.ts'
import { programChecker } from '../check/programs.ts'
import { imagined } from '../inspect-hooks.ts'
import { examine } from './examine.ts'
import type { Examination } from './proof.ts'

export interface DoctorOptions {
  files: readonly ConfigFile[]
  cwd: string
  /** Absent: whoever asks trusts all of them. */
  trust?: HooksOptions['trust'] | undefined
  /** Which hooks; absent: all. */
  choose?(all: readonly Hook[]): readonly Hook[]
  spends: boolean
  signal: AbortSignal
  /** Called after each hook, as it ends. */
  progress?(done: number, of: number, last: Hook): void
}

export interface Doctored {
  examinations: Examination[]
  notes: readonly Note[]
}

/** So many hooks at once that a slow one delays nobody, and so few that they do not slow each other down. */
const atOnce = 4

/** Examines every hook. What hooks keep in directories of ours goes to a scratch directory, which the caller has set. */
export async function examineHooks(options: DoctorOptions): Promise<Doctored> {
  const { cwd, signal, spends, progress } = options
  const { hooks, notes, executors } = await loadHooks({ files: options.files })
  try {
    const dialects = new Map<string, Dialect>()
    for (const { dialect } of hooks) dialects.set(dialect, await loadDialect(dialect))
    const index = makeHookIndex(hooks, { executors, dialects, compile }, 1)
    const chosen = new Set(options.choose?.(hooks) ?? hooks)
    const wanted = index.hooks.filter(({ hook }) => chosen.has(hook))
    const approver = options.trust && openTrust()
    const examiner = {
      cwd,
      signal,
      spends,
      look: programChecker(cwd, dialects, () => undefined),
      trust: (hook: Hook) =>
        stateOf(() =>
          approver?.inspect(
            hook,
            placeOf(hook, imagined(hook, cwd), dialects.get(hook.dialect)!, executors[hook.run.type]),
          ),
        ),
      services: {
        trust: options.trust ?? (() => ({ trusted: true }) as const),
        slots: new Map(
          Object.values(executors).flatMap(({ type, concurrency }) =>
            concurrency ? [[type, makeSlots(concurrency)]] : [],
          ),
        ),
        nested: <T>(_depth: number, work: () => T) => work(),
        afterwards: () => {},
      },
    }
    const places = makeSlots(atOnce)
    let done = 0
    const examinations = await Promise.all(
      wanted.map(async (ready) => {
        const leave = await places.take(undefined)
        try {
          return await examine(ready, examiner)
        } finally {
          leave()
          progress?.(++done, wanted.length, ready.hook)
        }
      }),
    )
    return { examinations, notes }
  } finally {
    await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
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
