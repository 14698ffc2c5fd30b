import { readFileSync } from 'node:fs'

/** Whether a process with this id runs, ours or somebody else's. One that ended and was not collected does not run. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return processStatus(pid)?.[0] !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** When a process started, which tells it from a later one with the same id. Undefined where the system does not say. */
export const processStart = (pid: number): string | undefined => processStatus(pid)?.[19]

/** The fields of /proc/<pid>/stat after the name, which may itself contain spaces and parentheses. */
function processStatus(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
