import { resolve } from 'node:path'
import type { Event, Hook, Note } from '../core/index.ts'
import { loadDialect } from '../dialects/index.ts'
import { loadHooks } from '../load-hooks.ts'
import { type Approver, type Inspection, placeOf } from '../trust/index.ts'
import { type Invocation, type Option, text, texts, UsageError } from './command.ts'

/** What every command takes that looks at the hooks of config files. */
export const configOptions = {
  config: { value: 'file', multiple: true, doc: 'The config file with the hooks.' },
  'config-dialect': { value: 'name', doc: 'Whose config it is, where that is not plain from the file.' },
  cwd: { value: 'directory', doc: 'Where the agent works: what relative paths in commands start from. Default: here.' },
} as const satisfies Record<string, Option>

/** Every hook of the config files and what is known of its trust. Nothing runs. */
export async function inspectHooks(
  trust: Approver,
  values: Invocation['values'],
  strict: boolean,
): Promise<{ inspections: Inspection[]; notes: readonly Note[] }> {
  const config = texts(values['config'])
  if (config.length === 0) throw new UsageError('Name a config file: `--config <file>`.')
  const dialect = text(values['config-dialect'])
  const cwd = resolve(text(values['cwd']) ?? '.')
  const { hooks, notes, executors } = await loadHooks({ config, strict, ...(dialect ? { dialect } : {}) })
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  const inspections: Inspection[] = []
  for (const hook of hooks)
    inspections.push(trust.inspect(hook, placeOf(hook, imagined(hook, cwd), await loadDialect(hook.dialect))))
  return { inspections, notes }
}

/** Stands for every event that will ask the hook: only where the agent works matters. */
function imagined({ event: name }: Hook, cwd: string): Event {
  return { name, payload: { cwd, project_dir: cwd, session_id: '' }, depth: 0, synthetic: true } as unknown as Event
}
