import * as z from 'zod/mini'
import { count, ToolFailure } from '../../core/index.ts'
import { defineTool, text, whole } from '../define.ts'
import {
  directoryAt,
  type Filesystem,
  type Item,
  ignoreNothing,
  ignoreUsual,
  looksAt,
  visible,
  walk,
} from '../files/files.ts'

const mostEntries = 1_000

export const listDirectory = defineTool({
  name: 'list_directory',
  description: 'List what is in a directory. Directories end in `/`, links in `@`. What git ignores is left out.',
  input: z.strictObject({ path: z.optional(text('The directory; the workspace, if left out.')) }),
  readOnly: looksAt,
  onlyReads: true,
  async run({ path = '.' }, { files, ignore }: Filesystem) {
    const place = await directoryAt(files, path)
    const { items, hidden } = await visible(files, place, [], ignore ? ignoreUsual : ignoreNothing, { ignore })
    const left = hidden > 0 ? `(${count(hidden, 'ignored entry', 'ignored entries')} not shown)` : ''
    if (items.length === 0) return `${place.shown} is empty. ${left}`.trim()
    const more = items.length > mostEntries ? `(${items.length - mostEntries} more)` : ''
    return [...items.slice(0, mostEntries).map(nameOf), more, left].filter((line) => line !== '').join('\n')
  },
})

const marks: Record<Item['kind'], string> = { directory: '/', link: '@', file: '', other: '' }
export const nameOf = ({ name, kind }: Item): string => `${name}${marks[kind]}`

const mostInTree = 500

export const directoryTree = defineTool({
  name: 'directory_tree',
  description: 'Show a directory and everything below it, indented. What git ignores is left out.',
  input: z.strictObject({
    path: z.optional(text('The directory; the workspace, if left out.')),
    max_depth: z.optional(whole('How many levels to show.')),
  }),
  readOnly: looksAt,
  onlyReads: true,
  async run({ path = '.', max_depth: depth }, { files, ignore }: Filesystem, { signal }) {
    const place = await directoryAt(files, path)
    const lines = [`${place.shown}/`]
    for await (const step of walk(files, place, { ignore, signal, ...(depth === undefined ? {} : { depth }) })) {
      if (lines.length > mostInTree) {
        lines.push('(There is more. Look at a directory further down, or set `max_depth`.)')
        break
      }
      lines.push(`${'  '.repeat(step.path.length)}${nameOf(step)}`)
    }
    return lines.join('\n')
  },
})

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
