import * as z from 'zod/mini'
import { clip, count, size, ToolFailure } from '../../core/index.ts'
import { defineTool, flag, text } from '../define.ts'
import { type Filesystem, type Place, readText } from '../files/files.ts'

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

const edit = z.strictObject({
  oldText: text('The text to replace, exactly as it is in the file, white space included.'),
  newText: z.string().check(z.describe('What to put in its place; empty to delete it.')),
  replaceAll: z.optional(flag('Replace every occurrence. Without it, the text must occur exactly once.')),
})
export type Edit = z.infer<typeof edit>

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replace exact pieces of text in a file. Each must occur exactly once, unless `replaceAll` is set. Edits are made in their order, and either all of them or none.',
  input: z.strictObject({
    path: text('The file, from the workspace or absolute.'),
    edits: z.array(edit).check(z.minLength(1), z.describe('What to replace.')),
  }),
  aliases: { file_path: 'path' },
  adapt,
  async run({ path, edits }, { files }: Filesystem) {
    const place = await files.locate(path, 'write')
    const before = await readText(files, place)
    if (before.includes('\uFFFD')) throw new ToolFailure(`${place.shown} is not UTF-8, so an edit would damage it.`)
    const { content, times } = applyAll(before, edits, place)
    await files.write(place, content)
    return `Edited ${place.shown}: ${count(times, 'replacement')}.`
  },
})

/** What edits make of a text; throws where one does not fit. */
export const replaced = (before: string, edits: readonly Edit[]): string => applyAll(before, edits).content

function applyAll(before: string, edits: readonly Edit[], place: Shown = { shown: 'it' }) {
  let [content, times] = [before, 0]
  for (const [index, each] of edits.entries()) {
    const done = apply(content, inLineEnds(each, content), place, edits.length > 1 ? `Edit ${index + 1}: ` : '')
    content = done.content
    times += done.times
  }
  return { content, times }
}

type Shown = Pick<Place, 'shown'>

function apply(content: string, { oldText, newText, replaceAll }: Edit, place: Shown, which: string) {
  const places = occurrences(content, oldText)
  if (places.length === 0) throw new ToolFailure(`${which}${notFound(content, oldText, place)}`)
  if (oldText === newText) throw new ToolFailure(`${which}The new text is the same as the old one. ${unchanged}`)
  if (places.length > 1 && !replaceAll) {
    const lines = places.slice(0, 5).map((at) => lineOf(content, at))
    throw new ToolFailure(
      `${which}The text occurs ${places.length} times in ${place.shown} (lines ${lines.join(', ')}${places.length > 5 ? ', …' : ''}). Add the lines around the one you mean, or set \`replaceAll\`. ${unchanged}`,
    )
  }
  // Put together, not replaced by: a dollar in the new text is a dollar.
  return { content: content.split(oldText).join(newText), times: places.length }
}

const unchanged = 'Nothing was changed.'

function occurrences(content: string, piece: string): number[] {
  const found: number[] = []
  for (let at = content.indexOf(piece); at >= 0; at = content.indexOf(piece, at + piece.length)) found.push(at)
  return found
}

const lineOf = (content: string, at: number): number => content.slice(0, at).split('\n').length

function notFound(content: string, piece: string, place: Shown): string {
  const wanted = piece.split('\n').map((line) => line.trim())
  const lines = content.split('\n').map((line) => line.trim())
  const first = wanted.find((line) => line !== '') ?? ''
  const at = first === '' ? -1 : lines.indexOf(first)
  const alike = lines.findIndex((_, index) => wanted.every((line, offset) => lines[index + offset] === line))
  const hint =
    alike >= 0
      ? `At line ${alike + 1} it stands with other white space.`
      : at >= 0
        ? `Its first line is at line ${at + 1} (\`${clip(first, 80)}\`), but what follows differs.`
        : 'Not even its first line is there.'
  return `The text was not found in ${place.shown}. ${hint} Read the file again and copy the text exactly. ${unchanged}`
}

/** A file with Windows line ends is edited in them, however the model writes its own. */
function inLineEnds(each: Edit, content: string): Edit {
  if (!content.includes('\r\n') || content.includes(each.oldText)) return each
  const windows = (piece: string) => piece.replace(/\r?\n/g, '\r\n')
  return { ...each, oldText: windows(each.oldText), newText: windows(each.newText) }
}

const spellings: Record<string, string> = {
  old_text: 'oldText',
  old_string: 'oldText',
  new_text: 'newText',
  new_string: 'newText',
  replace_all: 'replaceAll',
}
const respell = (given: unknown) =>
  typeof given === 'object' && given !== null
    ? Object.fromEntries(Object.entries(given).map(([key, value]) => [spellings[key] ?? key, value]))
    : given

/** One edit may stand without a list, and a list may come as the text of its JSON. */
function adapt(given: Record<string, unknown>): Record<string, unknown> {
  const { path, edits, ...rest } = respell(given) as Record<string, unknown>
  const list = typeof edits === 'string' ? parsed(edits) : edits
  if (list === undefined && 'oldText' in rest) {
    const { oldText, newText, replaceAll, ...more } = rest
    return { path, edits: [{ oldText, newText, ...(replaceAll === undefined ? {} : { replaceAll }) }], ...more }
  }
  return { path, edits: Array.isArray(list) ? list.map(respell) : list, ...rest }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
