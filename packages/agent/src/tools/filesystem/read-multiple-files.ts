import * as z from 'zod/mini'
import { defineTool, text } from '../define.ts'
import { type Filesystem, readText } from './on.ts'
import { excerpt } from './read-file.ts'

const mostFiles = 20

export const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  description: 'Read several text files at once. A file that cannot be read does not hinder the others.',
  input: z.strictObject({
    paths: z.array(text('A file.')).check(z.minLength(1), z.maxLength(mostFiles), z.describe('The files.')),
  }),
  readOnly: ({ paths }, { files }: Filesystem) => paths.every((path) => files.isOrdinary(path)),
  async run({ paths }, { files }: Filesystem) {
    const parts = await Promise.all(
      paths.map(async (path) => {
        try {
          const place = await files.locate(path, 'read')
          return `=== ${path} ===\n${excerpt(await readText(files, place), 1, Math.ceil(2_000 / paths.length))}`
        } catch (error) {
          return `=== ${path} ===\n(Not read: ${(error as Error).message})`
        }
      }),
    )
    return parts.join('\n\n')
  },
})
