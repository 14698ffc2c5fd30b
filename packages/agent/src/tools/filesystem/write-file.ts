import * as z from 'zod/mini'
import { defineTool, text } from '../define.ts'
import { count, size } from '../text.ts'
import type { Filesystem } from './on.ts'

export const writeFile = defineTool({
  name: 'write_file',
  description: 'Create a file, or replace all of its content. Directories are made as needed.',
  input: z.strictObject({
    path: text('The file, from the workspace or absolute.'),
    content: z.string().check(z.describe('All of its content.')),
  }),
  aliases: { file_path: 'path' },
  async run({ path, content }, { files }: Filesystem) {
    const place = await files.locate(path, 'write')
    const before = await files.stat(place)
    await files.write(place, content)
    const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)
    const written = `${place.shown}: ${count(lines, 'line')}, ${size(Buffer.byteLength(content))}`
    return before ? `Replaced ${written}.` : `Created ${written}.`
  },
})
