import { analyseOnce } from 'hookline/internal'
import * as z from 'zod/mini'
import { text } from '../define.ts'
import type { Files } from '../files/files.ts'
import { directoryAt } from '../filesystem/on.ts'

/** What the tools that run commands work on. */
export interface Machine {
  cwd: string
  home: string
  files: Files
  env: Record<string, string>
  timeoutMs: number
}

export const commandLine = {
  command: z
    .string()
    .check(z.regex(/\S/, 'must not be blank'), z.describe('A command line for bash.'))
    .check(z.regex(/^[^\0]*$/, 'must not hold a NUL byte')),
  cwd: z.optional(text('The directory to run it in; the workspace, if left out.')),
}

/** docker-agent's name for it. */
export const aliases = { cmd: 'command' }

/** Only what is known to change nothing, in every part. */
export const onlyReads = ({ command, cwd }: { command: string; cwd?: string | undefined }, on: Machine): boolean =>
  (cwd === undefined || cwd === '.') && analyseOnce({ command, cwd: on.cwd, home: on.home }).verdict === 'safe'

export const directoryFor = async (cwd: string | undefined, { files }: Machine): Promise<string> =>
  (await directoryAt(files, cwd ?? '.')).path
