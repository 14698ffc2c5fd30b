import * as z from 'zod/mini'
import { defineTool, text, whole } from '../define.ts'
import { walk } from '../files/walk.ts'
import { nameOf } from './list-directory.ts'
import { directoryAt, type Filesystem, looksAt } from './on.ts'

const mostEntries = 500

export const directoryTree = defineTool({
  name: 'directory_tree',
  description: 'Show a directory and everything below it, indented. What git ignores is left out.',
  input: z.strictObject({
    path: z.optional(text('The directory; the workspace, if left out.')),
    max_depth: z.optional(whole('How many levels to show.')),
  }),
  readOnly: looksAt,
  async run({ path = '.', max_depth: depth }, { files, ignore }: Filesystem, { signal }) {
    const place = await directoryAt(files, path)
    const lines = [`${place.shown}/`]
    for await (const step of walk(files, place, { ignore, signal, ...(depth === undefined ? {} : { depth }) })) {
      if (lines.length > mostEntries) {
        lines.push('(There is more. Look at a directory further down, or set `max_depth`.)')
        break
      }
      lines.push(`${'  '.repeat(step.path.length)}${nameOf(step)}`)
    }
    return lines.join('\n')
  },
})
