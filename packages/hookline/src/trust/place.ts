import { isAbsolute, resolve } from 'node:path'
import { type Dialect, type Event, type Executor, type Hook, isAdministrators } from '../core/index.ts'
import { callerDirectory, callerEnvironment, homeDirectory, isDirectory } from '../platform/index.ts'
import type { Approvable } from './digest.ts'
import type { Place, UnapprovedPart } from './pins.ts'

/** What trust needs to know of an executor. */
export type TrustedExecutor = Pick<Executor, 'pins' | 'withoutApproval' | 'ownWords'>

/**
 * Where a hook would run for this event, as its executor will have it. Of the variables that come with an event, only
 * directories are known beforehand: the others differ from one event to the next, and no approval can rest on them.
 */
export function placeOf(
  hook: Hook,
  event: Event,
  dialect: Dialect,
  executor: TrustedExecutor | undefined,
  exists = isDirectory,
): Place {
  const { cwd, project_dir: project } = event.payload as { cwd?: unknown; project_dir?: unknown }
  // As the executors have it: a directory that is not absolute counts as none.
  const base = typeof cwd === 'string' && isAbsolute(cwd) ? resolve(cwd) : callerDirectory()
  // Where its own is gone, a hook runs in the next of these; see directoryInstead in executors/environment.ts.
  const wanted = hook.workingDir === undefined ? base : resolve(base, hook.workingDir)
  const directory = exists(wanted) ? wanted : ([base, callerDirectory(), homeDirectory()].find(exists) ?? wanted)
  let given: Readonly<Record<string, string>> | undefined
  return {
    directory,
    ...(typeof executor?.pins === 'function' && { pins: ({ type: _, ...spec }) => executor.pins(spec) }),
    withoutApproval: ({ type: _, ...spec }) => unapprovedPart(hook, spec, executor),
    variable(name) {
      if (Object.hasOwn(hook.env, name)) return hook.env[name]
      if (name === 'PATH' || name === 'HOME') return callerEnvironment()[name]
      // Every shell sets these anew.
      if (name === 'PWD') return directory
      if (name === 'OLDPWD') return undefined
      given ??= dialect.event.encode(event, hook).env
      if (!Object.hasOwn(given, name)) return callerEnvironment()[name]
      return given[name] === cwd || given[name] === project ? given[name] : undefined
    },
  }
}

function unapprovedPart(hook: Hook, spec: object, executor: TrustedExecutor | undefined): UnapprovedPart | undefined {
  try {
    const run = executor?.withoutApproval?.(spec, hook)
    if (!executor || !run) return undefined
    const isOurs = (given: object) => executor.ownWords?.(given, hook) === true
    // A key that the spec does not have takes nothing away from it.
    const isAll = Object.keys(run).every((key) => !Object.hasOwn(spec, key))
    const whole = Object.keys(run).length === 0 && isOurs(spec)
    return { run, whole, waits: !(isAll && isOurs({ ...spec, ...run })) }
  } catch {
    return undefined // Who cannot tell what it does is approved like everything else.
  }
}

/** Whether an approval could matter for this hook: told without looking at any file. */
export function mayNeedApproval(hook: Hook, executor: TrustedExecutor | undefined): boolean {
  const { type: _, ...spec } = hook.run
  if (hook.origin.layer === 'code' || isAdministrators(hook.origin.layer) || isTyped(hook.origin)) return false
  return !isOfProject(hook) || unapprovedPart(hook, spec, executor)?.waits !== false
}

/** Given at the command line, by the person who starts the run: what stands in a file has a place. */
export const isTyped = ({ layer, where }: Hook['origin']): boolean => layer === 'session' && where === undefined

/**
 * Found in the project, or named by whoever starts the run: what only tightens holds at once. Your own files are approved
 * like everything else that could make a program act in your name.
 */
export const isOfProject = ({ origin }: Approvable): boolean =>
  origin.layer === 'project' || (origin.layer === 'session' && origin.where !== undefined)
