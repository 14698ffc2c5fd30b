import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Event, type Hook, mapTexts, note } from '../../core/index.ts'
import type { ReadyHook, RunServices } from '../../engine/index.ts'
import { executorRow } from '../../executors/index.ts'
import { type Approver, isInside, placeOf, sha256Of } from '../../trust/index.ts'
import { copyProject, type ProjectCopy } from './project-copy.ts'

/** Where hooks run while they are examined. */
export type Where =
  | { in: 'project'; live: boolean }
  | { in: 'copy'; root: string; files: number; bytes: number }
  /** There is no copy: hooks that may change files are only checked. */
  | { in: 'nowhere'; reason: string }

export interface Ground {
  where: Where
  /** Whether this hook may run at all. */
  admits(ready: ReadyHook): boolean
  /** The same hook and payload there, and what came of it in the words of the project. */
  there<T>(value: T): T
  here<T>(value: T): T
  hookThere(ready: ReadyHook): ReadyHook
  trust: RunServices['trust']
  /** Does this with the process standing there, as hooks that run inside it see it. */
  standing<T>(work: () => Promise<T>): Promise<T>
}

interface GroundOptions {
  hooks: readonly Hook[]
  cwd: string
  live: boolean
  /** A directory for the copy. */
  scratch: string
  configs: readonly string[]
  /** Absent: whoever asks trusts all hooks. */
  approver?: Approver | undefined
}

export function makeGround({ hooks, cwd, live, scratch, configs, approver }: GroundOptions): Ground {
  const gate: RunServices['trust'] = approver?.gate ?? (() => ({ trusted: true }))
  const isNeeded = !live && hooks.some((hook) => hook.enabled && !leavesFiles(hook))
  const copied = isNeeded ? copyProject(cwd, configs, scratch) : undefined
  if (copied?.ok) return copyGround(copied.project, cwd, approver)
  const where: Where = copied ? { in: 'nowhere', reason: copied.reason } : { in: 'project', live }
  return {
    where,
    admits: ({ hook }) => live || leavesFiles(hook),
    there: (value) => value,
    here: (value) => value,
    hookThere: (ready) => ready,
    trust: gate,
    standing: (work) => work(),
  }
}

const leavesFiles = ({ run }: Hook): boolean => executorRow(run.type)?.leavesFiles === true

function copyGround(project: ProjectCopy, cwd: string, approver: Approver | undefined): Ground {
  const { root, files, bytes, toCopy, toProject } = project
  const originals = new Map<string, ReadyHook>()
  return {
    where: { in: 'copy', root, files, bytes },
    admits: () => true,
    there: (value) => mapTexts(value, toCopy),
    here: (value) => mapTexts(value, toProject),
    hookThere(ready) {
      originals.set(ready.hook.id, ready)
      return { ...ready, hook: movedHook(ready.hook, toCopy), spec: mapTexts(ready.spec, toCopy) }
    },
    trust(hook, event, dialect, executor) {
      const original = originals.get(hook.id)?.hook
      if (!approver) return { trusted: true }
      if (!original) return { trusted: false, detail: 'It is not known here.', remedy: '' }
      const before = { ...event, payload: mapTexts(event.payload, toProject) } as Event
      const asked = { ...original, event: hook.event }
      const answer = approver.gate(asked, before, dialect, executor)
      if (!answer.trusted) return answer
      const { files } = approver.inspect(asked, placeOf(asked, before, dialect, executor)).pinned
      const own = files.flatMap((file) => ('missing' in file || !isInside(file.path, root) ? [] : [file]))
      // What was approved runs as copies that lead back into the project; here, the copy of the project has the same bytes.
      if (own.length === 0 || answer.restricted)
        return answer.run ? { ...answer, run: mapTexts(answer.run, toCopy) } : answer
      const other = own.find(({ path, sha256 }) => sha256Of(readFileSync(toCopy(path))) !== sha256)
      if (!other) return { trusted: true }
      const { message, remedy } = note('hook-changed', {
        detail: `${other.path} changed just now`,
        command: 'hookline approve',
      })
      return { trusted: false, detail: message, remedy }
    },
    async standing(work) {
      const [start, pwd] = [process.cwd(), process.env['PWD']]
      process.chdir(toCopy(cwd))
      process.env['PWD'] = toCopy(cwd)
      try {
        return await work()
      } finally {
        process.chdir(start)
        if (pwd === undefined) delete process.env['PWD']
        else process.env['PWD'] = pwd
      }
    },
  }
}

function movedHook(hook: Hook, toCopy: (text: string) => string): Hook {
  const { run, env, workingDir, origin } = hook
  const where = origin.where && { ...origin.where, file: toCopy(resolve(origin.where.file)) }
  return {
    ...hook,
    run: mapTexts(run, toCopy),
    env: mapTexts(env, toCopy),
    ...(workingDir !== undefined && { workingDir: toCopy(workingDir) }),
    origin: { ...origin, ...(where && { where }) },
  }
}
