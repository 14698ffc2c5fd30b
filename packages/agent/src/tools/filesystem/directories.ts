import * as z from 'zod/mini'
import { defineTool, ToolFailure, text } from '../define.ts'
import { directoryAt, type Filesystem } from './on.ts'

export const createDirectory = defineTool({
  name: 'create_directory',
  description: 'Create a directory, and those above it as needed.',
  input: z.strictObject({ path: text('The directory.') }),
  async run({ path }, { files }: Filesystem) {
    const place = await files.locate(path, 'write')
    const found = await files.stat(place)
    if (found?.kind === 'directory') return `${place.shown} is there already.`
    if (found) throw new ToolFailure(`${place.shown} is a file.`)
    await files.makeDirectory(place)
    return `Created ${place.shown}.`
  },
})

export const removeDirectory = defineTool({
  name: 'remove_directory',
  description: 'Remove an empty directory.',
  input: z.strictObject({ path: text('The directory.') }),
  async run({ path }, { files }: Filesystem) {
    const place = await files.locate((await directoryAt(files, path)).path, 'write')
    if ((await files.list(place)).length > 0) throw new ToolFailure(`${place.shown} is not empty.`)
    await files.removeDirectory(place)
    return `Removed ${place.shown}.`
  },
})
