import * as z from 'zod/mini'
import { clip } from '../../core/index.ts'
import { defineTool, text, whole } from '../define.ts'
import { type Filesystem, looksAt, readText } from '../files/files.ts'

const mostLines = 2_000
const longestLine = 2_000
const mostCharacters = 100_000

export const readFile = defineTool({
  name: 'read_file',
  description: `Read a text file. Of a long one, ${mostLines} lines at most; read on with \`offset\`.`,
  input: z.strictObject({
    path: text('The file, from the workspace or absolute.'),
    offset: z.optional(whole('The first line to read; lines count from 1.')),
    limit: z.optional(whole('How many lines to read.')),
  }),
  aliases: { file_path: 'path', line: 'offset' },
  readOnly: looksAt,
  onlyReads: true,
  async run({ path, offset = 1, limit = mostLines }, { files }: Filesystem) {
    const place = await files.locate(path, 'read')
    return excerpt(await readText(files, place), offset, Math.min(limit, mostLines))
  },
})

/** The requested lines; where there are more, it says how to continue. */
export function excerpt(content: string, offset: number, limit: number): string {
  if (content === '') return '(The file is empty.)'
  const lines = content.split('\n')
  // The end of the last line is no line of its own.
  if (lines.at(-1) === '') lines.pop()
  if (offset > lines.length) return `(The file has only ${lines.length} lines.)`
  const shown: string[] = []
  let characters = 0
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const cut = line.length > longestLine ? `${clip(line, longestLine)}… (${line.length} characters)` : line
    characters += cut.length + 1
    if (characters > mostCharacters && shown.length > 0) break
    shown.push(cut)
  }
  const next = offset + shown.length
  const left = lines.length - next + 1
  return left > 0 ? `${shown.join('\n')}\n\n(${left} more lines. Go on with offset ${next}.)` : shown.join('\n')
}

const mostFiles = 20

export const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  description: 'Read several text files at once. A file that cannot be read does not hinder the others.',
  input: z.strictObject({
    paths: z.array(text('A file.')).check(z.minLength(1), z.maxLength(mostFiles), z.describe('The files.')),
  }),
  readOnly: ({ paths }, { files }: Filesystem) => paths.every((path) => files.isOrdinary(path)),
  onlyReads: true,
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
