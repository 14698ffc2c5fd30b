import * as z from 'zod/mini'
import { clip, size, ToolFailure, type ToolResult } from '../../core/index.ts'
import { defineTool, text, whole } from '../define.ts'
import { type Files, type Filesystem, isBinary, looksAt, type Place, readText } from '../files/files.ts'

/**
 * A page and the hint below it stay within 2,000 lines and 50 KiB: of more, `limit_large_tool_results` keeps the end,
 * and the beginning is what was asked for.
 */
const mostLines = 1_990
const mostBytes = 50_000
const longestLine = 2_000

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
    const picture = await readPicture(files, place)
    if (picture) return picture
    return excerpt(await readText(files, place), offset, { lines: Math.min(limit, mostLines), bytes: mostBytes })
  },
})

const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}
/** Providers take no larger ones. */
const largestPicture = 5 * 1024 * 1024

/** A picture goes to the model as one. */
async function readPicture(files: Files, place: Place): Promise<ToolResult | undefined> {
  const ending = /\.(\w+)$/.exec(place.path)?.[1]?.toLowerCase() ?? ''
  const media_type = Object.hasOwn(pictures, ending) ? pictures[ending] : undefined
  if (media_type === undefined) return undefined
  const content = await files.read(place)
  if (!isBinary(content)) return undefined
  if (content.length > largestPicture)
    throw new ToolFailure(`${place.shown} is too large for a picture: ${size(content.length)}.`)
  const attachments = [{ name: place.shown, media_type, data: content.toString('base64') }]
  return { content: `(${place.shown}: ${media_type}, ${size(content.length)})`, attachments }
}

/** The requested lines; where there are more, it says how to continue. */
export function excerpt(content: string, offset: number, most: { lines: number; bytes: number }): string {
  if (content === '') return '(The file is empty.)'
  const lines = content.split('\n')
  // The end of the last line is no line of its own.
  if (lines.at(-1) === '') lines.pop()
  if (offset > lines.length) return `(The file has only ${lines.length} lines.)`
  const shown: string[] = []
  let bytes = 0
  for (const line of lines.slice(offset - 1, offset - 1 + most.lines)) {
    const cut = line.length > longestLine ? `${clip(line, longestLine)}… (${line.length} characters)` : line
    bytes += Buffer.byteLength(cut) + 1
    if (bytes > most.bytes && shown.length > 0) break
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
    // Each with its heading, its hint and the lines between them.
    const share = {
      lines: Math.floor(mostLines / paths.length) - 4,
      bytes: Math.floor(mostBytes / paths.length) - 300,
    }
    const parts = await Promise.all(
      paths.map(async (path) => {
        try {
          const place = await files.locate(path, 'read')
          return `=== ${path} ===\n${excerpt(await readText(files, place), 1, share)}`
        } catch (error) {
          return `=== ${path} ===\n(Not read: ${(error as Error).message})`
        }
      }),
    )
    return parts.join('\n\n')
  },
})
