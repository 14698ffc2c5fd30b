import * as z from 'zod/mini'
import { defineTool, flag, text } from '../define.ts'
import { matchesSteps } from '../files/ignore.ts'
import { type Filesystem, looksAt } from './on.ts'
import { lineTest, search } from './search-files.ts'

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
