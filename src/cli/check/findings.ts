import { bundles } from '../../builtins/bundles/index.ts'
import type { ConfigFile } from '../../config/discover.ts'
import { readFiles } from '../../config/layers.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { validateHooks } from '../../config/validate.ts'
import type { Code, Dialect, Executor, Hook, Note } from '../../core/index.ts'
import { note } from '../../core/index.ts'
import { loadDialect } from '../../dialects/index.ts'
import { makeBook } from '../../engine/book.ts'
import { createExecutors, executorTypes } from '../../executors/index.ts'
import { programChecker } from './programs.ts'

export interface Finding extends Note {
  severity: 'error' | 'warning'
}

export interface Checked {
  files: LoadedConfig[]
  hooks: Hook[]
  /** In the order of the files, and in each in the order of its lines. */
  findings: Finding[]
}

/** Remarks that a dialect makes while it goes on, but that mean a hook or a setting has no effect. */
const without: ReadonlySet<Code> = new Set<Code>(['matcher-dead', 'config-unknown-key', 'unknown-event'])

/** Everything that can be known of config files without running a hook. */
export async function checkFiles(named: readonly ConfigFile[], cwd: string): Promise<Checked> {
  const { files, hooks: all, locateIn, ...read } = await readFiles(named, bundles)
  const executors = await createExecutors(all.map((hook) => hook.run.type))
  const { hooks, problems, notes } = await validateHooks(all, executors, locateIn, executorTypes)
  const dialects = await loadDialects(hooks)
  const programs = hooks.flatMap(programChecker(cwd, dialects, locateIn))
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))

  const findings: Finding[] = [
    ...[...read.problems, ...problems].map(asError),
    ...[...read.notes, ...notes].map(asFinding),
    ...programs,
    ...repeated(hooks, executors, dialects).map(asWarning),
  ]
  return {
    files,
    hooks,
    findings: inOrder(
      findings,
      named.map(({ file }) => file),
    ),
  }
}

/** What a remark made while loading is worth. */
export const asFinding = (said: Note): Finding => (without.has(said.code) ? asError(said) : asWarning(said))

const asError = (said: Note): Finding => ({ ...said, severity: 'error' })
const asWarning = (said: Note): Finding => ({ ...said, severity: 'warning' })

async function loadDialects(hooks: readonly Hook[]): Promise<Map<string, Dialect>> {
  const names = [...new Set(hooks.map((hook) => hook.dialect))]
  return new Map(await Promise.all(names.map(async (name) => [name, await loadDialect(name)] as const)))
}

/** Of hooks that are the same in everything that counts, the engine asks only the first. */
function repeated(
  hooks: readonly Hook[],
  executors: Readonly<Record<string, Executor>>,
  dialects: ReadonlyMap<string, Dialect>,
): Note[] {
  // No matcher is asked here, so none is compiled.
  const compile = () => ({ test: () => false })
  const book = makeBook(
    hooks.filter((hook) => hook.enabled),
    { executors, dialects, compile },
    1,
  )
  const firsts = new Map<string, Hook>()
  return book.hooks.flatMap(({ hook, identity }) => {
    const key = `${hook.event} ${identity}`
    const first = firsts.get(key)
    if (!first) firsts.set(key, hook)
    const { where } = hook.origin
    return first ? [note('hook-repeated', { first: first.id }, { hook: hook.id, ...(where && { where }) })] : []
  })
}

function inOrder(findings: readonly Finding[], names: readonly string[]): Finding[] {
  const place = ({ where }: Finding) =>
    [names.indexOf(where?.file ?? ''), where?.line ?? 0, where?.column ?? 0] as const
  return findings.toSorted((one, other) => {
    const [a, b] = [place(one), place(other)]
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
  })
}
