import * as z from 'zod/mini'
import { defineTool, text } from '../define.ts'
import type { Item } from '../files/files.ts'
import { ignoreNothing, ignoreUsual } from '../files/ignore.ts'
import { visible } from '../files/walk.ts'
import { count } from '../text.ts'
import { directoryAt, type Filesystem, looksAt } from './on.ts'

const mostEntries = 1_000

export const listDirectory = defineTool({
  name: 'list_directory',
  description: 'List what is in a directory. Directories end in `/`, links in `@`. What git ignores is left out.',
  input: z.strictObject({ path: z.optional(text('The directory; the workspace, if left out.')) }),
  readOnly: looksAt,
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
