import { compilePattern } from 'hookline/internal'
import * as z from 'zod/mini'
import { clip, count, size, ToolFailure } from '../../core/index.ts'
import { defineTool, flag, text, whole } from '../define.ts'
import { type Filesystem, isBinary, largestFile, looksAt, matchesSteps, type Place, walk } from '../files/files.ts'

const mostMatches = 200
const mostFiles = 20_000
const longestLine = 300

export const searchFiles = defineTool({
  name: 'search_files',
  description:
    'Find files by name, by content, or both. What git ignores is left out. By content, lines are shown as `path:line: text`.',
  input: z.strictObject({
    pattern: z.optional(text('A glob for the path, such as `*.ts` or `src/**/*.test.ts`.')),
    content: z.optional(text('What a line of the file must hold.')),
    regex: z.optional(flag('`content` is a regular expression (RE2 syntax).')),
    ignore_case: z.optional(flag('Upper and lower case are the same in `content`.')),
    path: z.optional(text('The directory to look in; the workspace, if left out.')),
    limit: z.optional(whole(`How many matches to show; ${mostMatches} at most.`)),
  }),
  aliases: { query: 'content', glob: 'pattern', is_regex: 'regex' },
  readOnly: looksAt,
  onlyReads: true,
  async run({ path = '.', pattern, content, regex, ignore_case, limit }, on: Filesystem, { signal }) {
    if (pattern === undefined && content === undefined)
      throw new ToolFailure('Say what to look for: `pattern` for names, `content` for what is in the files.')
    const isFound = content === undefined ? undefined : lineTest(content, regex ?? false, ignore_case ?? false)
    return search(on, path, { isNamed: nameTest(pattern), isFound, limit: Math.min(limit ?? 100, mostMatches), signal })
  },
})

export interface Search {
  isNamed(path: readonly string[]): boolean
  /** Without it, the name alone decides. */
  isFound: ((line: string) => boolean) | undefined
  limit: number
  signal: AbortSignal
}

export async function search({ files, ignore }: Filesystem, path: string, options: Search): Promise<string> {
  const place = await files.locate(path, 'read')
  const found = await files.stat(place)
  if (!found) throw new ToolFailure(`There is no ${place.shown}.`)
  const matches: string[] = []
  const skipped: string[] = []
  let looked = 0
  const candidates = found.kind === 'directory' ? walk(files, place, { ignore, signal: options.signal }) : [only(place)]
  for await (const step of candidates) {
    if (step.kind !== 'file' || !options.isNamed(step.path)) continue
    if (++looked > mostFiles) return report(matches, `(Stopped after ${mostFiles} files. Look further down.)`)
    if (options.isFound) matches.push(...(await linesIn(step.place, options.isFound)))
    else matches.push(step.place.shown)
    if (matches.length > options.limit)
      return report(matches.slice(0, options.limit), `(More than ${options.limit} matches. Ask for less.)`)
  }
  const nothing = matches.length === 0 ? `Nothing found in ${count(looked - skipped.length, 'file')}.` : ''
  return report(matches, [nothing, notSearched(skipped)].filter((remark) => remark !== '').join(' '))

  async function linesIn(file: Place, isFound: (line: string) => boolean): Promise<string[]> {
    const found = await files.stat(file)
    const content = (found?.size ?? 0) > largestFile ? undefined : await files.read(file).catch(() => undefined)
    if (!content) {
      skipped.push(file.shown)
      return []
    }
    if (isBinary(content)) return []
    return content
      .toString('utf8')
      .split('\n')
      .flatMap((line, at) => (isFound(line) ? [`${file.shown}:${at + 1}: ${clip(line.trim(), longestLine)}`] : []))
  }
}

/** A search that left something out has not found nothing. */
function notSearched(skipped: readonly string[]): string {
  if (skipped.length === 0) return ''
  const named = skipped.slice(0, 5).join(', ')
  const more = skipped.length > 5 ? ` and ${skipped.length - 5} more` : ''
  return `(Not searched, because they are over ${size(largestFile)} or cannot be read: ${named}${more}. Use \`grep\`.)`
}

const only = (place: Place) => ({ kind: 'file', place, path: [place.shown] }) as const
const report = (matches: readonly string[], remark: string) =>
  [...matches, remark].filter((line) => line !== '').join('\n')

function nameTest(pattern: string | undefined): Search['isNamed'] {
  if (pattern === undefined) return () => true
  const steps = pattern.replace(/^\.?\//, '').split('/')
  const anywhere = steps.length === 1 ? ['**', ...steps] : steps
  return (path) => matchesSteps(anywhere, path)
}

export function lineTest(content: string, regex: boolean, ignoreCase: boolean): (line: string) => boolean {
  if (!regex && !ignoreCase) return (line) => line.includes(content)
  if (!regex) return (line) => line.toLowerCase().includes(content.toLowerCase())
  const compiled = compilePattern(ignoreCase ? `(?i)${content}` : content, false)
  if (!compiled.ok) throw new ToolFailure(`The regular expression cannot be used: ${compiled.detail}.`)
  return (line) => compiled.pattern.test(line)
}

/** docker-agent's search, under its own name and with its own arguments. */
export const searchFilesContent = defineTool({
  name: 'search_files_content',
  description: 'Find text, or a regular expression, in the files of a directory.',
  input: z.strictObject({
    path: z.optional(text('The directory; the workspace, if left out.')),
    query: text('What a line must hold.'),
    is_regex: z.optional(flag('`query` is a regular expression (RE2 syntax).')),
    excludePatterns: z.optional(z.array(z.string()).check(z.describe('Globs of paths to leave out.'))),
  }),
  aliases: { exclude_patterns: 'excludePatterns' },
  readOnly: looksAt,
  onlyReads: true,
  run({ path = '.', query, is_regex: regex = false, excludePatterns = [] }, on: Filesystem, { signal }) {
    const excluded = excludePatterns.map((pattern) => ['**', ...pattern.split('/'), '**'])
    return search(on, path, {
      isNamed: (steps) => !excluded.some((pattern) => matchesSteps(pattern, steps)),
      isFound: lineTest(query, regex, false),
      limit: 200,
      signal,
    })
  },
})
