import { relative, sep } from 'node:path'
import * as z from 'zod/mini'
import type { ToolRun } from '../../tool.ts'
import type { AnyTool } from '../define.ts'
import type { Place } from '../files/files.ts'
import { matchesSteps } from '../files/ignore.ts'
import { runCommand } from '../shell/shell.ts'
import type { World } from '../toolset.ts'
import type { Filesystem } from './on.ts'

export const postEdit = z.array(
  z.strictObject({
    path: z.string().check(z.minLength(1), z.describe('Which files: `*.go`, or `src/*/*.ts` from the workspace.')),
    cmd: z.string().check(z.minLength(1), z.describe('What to run; `$file` is the file.')),
  }),
)
export type PostEdit = z.infer<typeof postEdit>

/** Where and with what the commands run. */
export interface Bench {
  cwd: string
  env: Record<string, string>
  mayNotStart: World['mayNotStart']
}

const timeoutMs = 60_000

/** The same tool; after it has changed a file, the commands for such files run, and what they complain of is told. */
export function withPostEdit<T extends AnyTool<Filesystem>>(tool: T, commands: PostEdit, bench: Bench): T {
  if (commands.length === 0) return tool
  return {
    ...tool,
    async run(input: { path: string }, on: Filesystem, call: ToolRun) {
      const result = await tool.run(input, on, call)
      const said = typeof result === 'string' ? { content: result } : result
      const place = await on.files.locate(input.path, 'write')
      const complaints = await runFor(place, commands, bench, call)
      return { ...said, content: [said.content, ...complaints].join('\n') }
    },
  }
}

async function runFor(place: Place, commands: PostEdit, bench: Bench, call: ToolRun): Promise<string[]> {
  const { cwd, env, mayNotStart } = bench
  const complaints: string[] = []
  for (const { path, cmd } of commands.filter((each) => isMeant(each.path, relative(cwd, place.path)))) {
    // The agent may just have written what the command runs.
    const refusal = mayNotStart(cmd)
    if (refusal !== undefined) {
      complaints.push(`Warning: the edit stands, but \`${cmd}\` (post_edit for ${path}) was not run: ${refusal}`)
      continue
    }
    // As a variable, a name can be no command, whatever the model has put into it.
    const command = cmd.replace(/(^|\s)\$\{file\}(?=\s|$)/g, '$1"$file"')
    const { content, error } = await runCommand({ command, cwd, env: { ...env, file: place.path }, timeoutMs }, call)
    if (error) complaints.push(`Warning: the edit stands, but \`${cmd}\` (post_edit for ${path}) failed:\n${content}`)
  }
  return complaints
}

/** Without a slash, a pattern holds in every directory. */
function isMeant(pattern: string, path: string): boolean {
  const steps = pattern.replace(/^\.?\//, '').split('/')
  return matchesSteps(steps.length === 1 ? ['**', ...steps] : steps, path.split(sep))
}
