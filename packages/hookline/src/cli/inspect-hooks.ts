import type { ConfigFile } from '../config/index.ts'
import type { Event, Hook, Note } from '../core/index.ts'
import { loadDialect } from '../dialects/index.ts'
import { loadHooks } from '../hooks/index.ts'
import { type Approver, type Inspection, placeOf } from '../trust/index.ts'
import { type FileCapability, hasAgent, loadAgent } from './agent-package.ts'
import type { Invocation } from './command.ts'
import { configured } from './configured.ts'

/** Every hook that counts here, what agent files bring beside, and what is known of their trust. Nothing runs. */
export async function inspectHooks(trust: Approver, invocation: Invocation, strict: boolean): Promise<Inspected> {
  const { files, cwd, off } = await configured(invocation)
  const { hooks, notes, executors } = await loadHooks({ files, strict })
  await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
  const inspections: Inspection[] = []
  for (const hook of hooks)
    inspections.push(
      trust.inspect(
        hook,
        placeOf(hook, imagined(hook, cwd), await loadDialect(hook.dialect), executors[hook.run.type]),
      ),
    )
  return { inspections, brought: await broughtBy(trust, files, cwd), notes, cwd, off: off() }
}

interface Inspected {
  inspections: Inspection[]
  brought: Inspection<FileCapability>[]
  notes: readonly Note[]
  cwd: string
  off: Note | undefined
}

/** Files that hold nothing but hooks are not read twice. */
async function broughtBy(
  trust: Approver,
  files: readonly ConfigFile[],
  cwd: string,
): Promise<Inspection<FileCapability>[]> {
  const candidates = files.filter(({ dialect }) => dialect === undefined || dialect === 'docker-agent')
  if (candidates.length === 0 || !hasAgent()) return []
  return (await loadAgent()).capabilitiesOfFiles(trust, candidates, cwd)
}

/** Stands for every event that will ask the hook: only where the agent works matters. */
export function imagined({ event: name }: Hook, cwd: string): Event {
  return { name, payload: { cwd, project_dir: cwd, session_id: '' }, depth: 0, synthetic: true } as unknown as Event
}
