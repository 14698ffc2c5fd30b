import { resolve } from 'node:path'
import { realPath } from 'hookline/internal'
import * as z from 'zod/mini'
import { type AnyTool, bindTool, flag } from '../define.ts'
import { diskFiles } from '../files/disk.ts'
import type { Files } from '../files/files.ts'
import { commandEnvironment } from '../shell/environment.ts'
import { defineToolset, type World } from '../toolset.ts'
import { expandVariables } from '../variables.ts'
import { createDirectory, removeDirectory } from './directories.ts'
import { directoryTree } from './directory-tree.ts'
import { editFile } from './edit-file.ts'
import { listDirectory } from './list-directory.ts'
import type { Filesystem } from './on.ts'
import { postEdit, withPostEdit } from './post-edit.ts'
import { readFile } from './read-file.ts'
import { readMultipleFiles } from './read-multiple-files.ts'
import { searchFiles } from './search-files.ts'
import { searchFilesContent } from './search-files-content.ts'
import { writeFile } from './write-file.ts'

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

const directories = (doc: string) => z.optional(z.array(z.string()).check(z.describe(doc)))

const options = z.strictObject({
  ignore_vcs: z.optional(flag('Leave out what git ignores. Default: true.')),
  allow_list: directories('Directories that may be entered, instead of the workspace alone.'),
  deny_list: directories('Directories that may not be entered, whatever else is said.'),
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
    open(given, world) {
      const on: Filesystem = { files: filesOf(given, world), ignore: given.ignore_vcs ?? true }
      const after = (tool: AnyTool<Filesystem>) => (changing.includes(tool) ? edited(tool, given, world) : tool)
      return { tools: tools.map((tool) => bindTool(after(tool), 'filesystem', on)) }
    },
  })
}

const changing: readonly AnyTool<Filesystem>[] = [writeFile, editFile]

/** The commands work on the machine: in the sandbox there is nothing for them to see. */
function edited(tool: AnyTool<Filesystem>, { post_edit = [] }: z.infer<typeof options>, world: World) {
  if (world.sandbox) return tool
  return withPostEdit(tool, post_edit, {
    cwd: world.cwd,
    env: commandEnvironment(world),
    mayNotStart: world.mayNotStart,
  })
}

function filesOf({ allow_list: allowed, deny_list: denied }: z.infer<typeof options>, world: World): Files {
  if (world.sandbox) return world.sandbox.files
  const places = (list: readonly string[]) => list.map((entry) => placeOf(entry, world))
  return diskFiles({
    cwd: world.cwd,
    home: world.home,
    roots: allowed && allowed.length > 0 ? places(allowed) : [world.cwd],
    denied: places(denied ?? []),
    readable: world.readable,
  })
}

function placeOf(entry: string, { cwd, env, home }: World): string {
  const expanded = expandVariables(entry, env).replace(/^~(?=\/|$)/, home)
  return realPath(resolve(cwd, expanded))
}
