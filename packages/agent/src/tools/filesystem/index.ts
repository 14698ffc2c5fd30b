import { relative, resolve, sep } from 'node:path'
import { realPath } from 'hookline/internal'
import * as z from 'zod/mini'
import { expandVariables, type ToolRun } from '../../core/index.ts'
import { type AnyTool, bindTool, defineToolset, flag, type ToolsetContext } from '../define.ts'
import { diskFiles } from '../files/disk.ts'
import { type Files, type Filesystem, matchesSteps, type Place } from '../files/files.ts'
import { commandEnvironment } from '../shell/machine.ts'
import { runCommand } from '../shell/shell.ts'
import { createDirectory, directoryTree, listDirectory, removeDirectory } from './directories.ts'
import { readFile, readMultipleFiles } from './read-file.ts'
import { searchFiles, searchFilesContent } from './search-files.ts'
import { editFile, writeFile } from './write-file.ts'

const tools = [
  readFile,
  readMultipleFiles,
  writeFile,
  editFile,
  listDirectory,
  directoryTree,
  createDirectory,
  removeDirectory,
  searchFiles,
  searchFilesContent,
]

const postEdit = z.array(
  z.strictObject({
    path: z.string().check(z.minLength(1), z.describe('Which files: `*.go`, or `src/*/*.ts` from the workspace.')),
    cmd: z.string().check(z.minLength(1), z.describe('What to run; `$file` is the file.')),
  }),
)
type PostEdit = z.infer<typeof postEdit>

const directories = (doc: string) => z.optional(z.array(z.string()).check(z.describe(doc)))

const options = z.strictObject({
  ignore_vcs: z.optional(flag('Leave out what git ignores. Default: true.')),
  allow_list: directories('Directories that may be entered, instead of the workspace alone.'),
  deny_list: directories('Directories that may not be entered, whatever other settings allow.'),
  post_edit: z.optional(postEdit.check(z.describe('Command lines to run after such files were written.'))),
})

export const filesystem = toolsetOf(
  'Reads, writes, edits, lists and searches files, inside the workspace wherever links lead.',
  tools,
)

export const file = toolsetOf('Reads, writes and edits single files.', [readFile, writeFile, editFile])

function toolsetOf(doc: string, tools: readonly AnyTool<Filesystem>[]) {
  return defineToolset({
    doc,
    options,
    tools,
    open(given, context) {
      const on: Filesystem = { files: filesOf(given, context), ignore: given.ignore_vcs ?? true }
      const after = (tool: AnyTool<Filesystem>) => (changing.includes(tool) ? edited(tool, given, context) : tool)
      return { tools: tools.map((tool) => bindTool(after(tool), 'filesystem', on)) }
    },
  })
}

const changing: readonly AnyTool<Filesystem>[] = [writeFile, editFile]

/** The commands work on the machine: in the sandbox there is nothing for them to see. */
function edited(tool: AnyTool<Filesystem>, { post_edit = [] }: z.infer<typeof options>, context: ToolsetContext) {
  if (context.sandbox) return tool
  return withPostEdit(tool, post_edit, {
    cwd: context.cwd,
    env: commandEnvironment(context),
    mayNotStart: context.mayNotStart,
  })
}

function filesOf({ allow_list: allowed, deny_list: denied }: z.infer<typeof options>, context: ToolsetContext): Files {
  if (context.sandbox) return context.sandbox.files
  const places = (list: readonly string[]) => list.map((entry) => placeOf(entry, context))
  return diskFiles({
    cwd: context.cwd,
    home: context.home,
    roots: allowed && allowed.length > 0 ? places(allowed) : [context.cwd],
    denied: places(denied ?? []),
    readable: context.readable,
  })
}

function placeOf(entry: string, { cwd, env, home }: ToolsetContext): string {
  const expanded = expandVariables(entry, env).replace(/^~(?=\/|$)/, home)
  return realPath(resolve(cwd, expanded))
}

/** Where and with what the commands run. */
export interface CommandSettings {
  cwd: string
  env: Record<string, string>
  mayNotStart: ToolsetContext['mayNotStart']
}

const timeoutMs = 60_000

/** The same tool; after it has changed a file, the commands for such files run, and what they complain of is warned. */
export function withPostEdit<T extends AnyTool<Filesystem>>(tool: T, commands: PostEdit, settings: CommandSettings): T {
  if (commands.length === 0) return tool
  return {
    ...tool,
    async run(input: { path: string }, on: Filesystem, call: ToolRun) {
      const result = await tool.run(input, on, call)
      const done = typeof result === 'string' ? { content: result } : result
      const place = await on.files.locate(input.path, 'write')
      const complaints = await runFor(place, commands, settings, call)
      return { ...done, content: [done.content, ...complaints].join('\n') }
    },
  }
}

async function runFor(place: Place, commands: PostEdit, settings: CommandSettings, call: ToolRun): Promise<string[]> {
  const { cwd, env, mayNotStart } = settings
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
