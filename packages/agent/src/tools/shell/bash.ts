import { posix } from 'node:path'
import { analyseOnce, type Outcome, type Sandbox, workspace } from 'hookline/internal'
import * as z from 'zod/mini'
import type { ToolResult } from '../../tool.ts'
import { defineTool, whole } from '../define.ts'
import type { VirtualFiles } from '../files/virtual.ts'
import { directoryAt } from '../filesystem/on.ts'
import { aliases, commandLine } from './on.ts'
import { createOutput } from './output.ts'
import { mostSeconds } from './shell.ts'

const mostOutput = 64 * 1024
/** Beyond it the sandbox gives up on the script. */
const mostPrinted = 4 * 1024 * 1024

/** What the shell of the sandbox works on: files that exist only for the session. */
export interface Virtual {
  files: VirtualFiles
  shell: Sandbox
  timeoutMs: number
}

export const bash = defineTool({
  name: 'bash',
  description:
    'Run a shell script in a sandbox: its files are a copy of the workspace that lasts for the session. There are the usual text tools (grep, sed, awk, jq, find …), and no other programs and no network.',
  input: z.strictObject({
    ...commandLine,
    timeout: z.optional(whole('Seconds until it is stopped; 120, if left out.').check(z.lte(mostSeconds))),
  }),
  aliases,
  alone: true,
  readOnly: ({ command }) => analyseOnce({ command, cwd: workspace }).verdict === 'safe',
  async run({ command, cwd = '.', timeout }, on: Virtual, { signal }) {
    const place = await directoryAt(on.files, cwd)
    const timeoutMs = timeout === undefined ? on.timeoutMs : timeout * 1_000
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const job = {
      command,
      cwd: posix.normalize(place.path),
      stdin: '',
      env: {},
      files: {},
      kept: on.files.tree,
      mounts: [],
      settings: { limits: {}, allow: [] },
      outputLimit: mostPrinted,
    }
    try {
      return resultOf(await on.shell.run(job, limited), on.files)
    } catch (error) {
      if (signal.aborted) throw error
      const why = limited.aborted ? `It was stopped after ${timeoutMs / 1_000} seconds.` : (error as Error).message
      return { content: `${why} ${nothingKept}`, error: true }
    }
  },
})

const nothingKept = 'Nothing that it wrote was kept.'

function resultOf(outcome: Outcome, files: VirtualFiles): ToolResult {
  if (outcome.kind !== 'done')
    return { content: `The sandbox stopped it: ${outcome.detail}. ${nothingKept}`, error: true }
  files.apply(outcome.changed, outcome.removed)
  const output = createOutput(mostOutput)
  output.add(Buffer.from(outcome.stdout + outcome.stderr))
  const said = output.text().trimEnd()
  if (outcome.exit === 0) return { content: said === '' ? '(no output)' : said }
  return { content: `${said}\n(Exit code ${outcome.exit}.)`.trim(), error: true }
}
