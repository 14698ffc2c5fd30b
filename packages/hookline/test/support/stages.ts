import { afterEach } from 'vitest'
import { close, type Setting, type Stage, stage } from './agent.ts'

/** `stage`, with everything that a test opened closed after it. */
export function stages(): (setting?: Setting) => Promise<Stage> {
  const open: Stage[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map(close))
  })
  return async (setting = {}) => {
    const opened = await stage(setting)
    open.push(opened)
    return opened
  }
}

const common = ['session_id', 'cwd', 'project_dir', 'agent_name', 'agent_id', 'permission_mode']
export const keysOf = (payload: Record<string, unknown> | undefined): string[] => Object.keys(payload ?? {}).sort()
/** The fields of a payload: those of every event, and these. */
export const keys = (...own: string[]): string[] => [...common, ...own].sort()

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2))
}

export const never = () => new Promise<never>(() => {})
