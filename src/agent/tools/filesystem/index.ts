import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { type AnyTool, bindTool, flag } from '../define.ts'
import { diskFiles, realOr } from '../files/disk.ts'
import type { Files } from '../files/files.ts'
import { defineToolset, type World } from '../toolset.ts'
import { expandVariables } from '../variables.ts'
import { createDirectory, removeDirectory } from './directories.ts'
import { directoryTree } from './directory-tree.ts'
import { editFile } from './edit-file.ts'
import { listDirectory } from './list-directory.ts'
import type { Filesystem } from './on.ts'
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
      return { tools: tools.map((tool) => bindTool(tool, 'filesystem', on)) }
    },
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
  return realOr(resolve(cwd, expanded))
}
