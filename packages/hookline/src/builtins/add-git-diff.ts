import * as z from 'zod/mini'
import { defineBuiltin } from '../core/index.ts'
import { gitContext } from './git.ts'
import { argument, eventsHonouring, flag } from './parts.ts'

export const addGitDiff = defineBuiltin({
  name: 'add_git_diff',
  doc: 'Shows the model what changed in the working tree: `git diff --stat`, or the whole diff. At most 4 KiB.',
  events: eventsHonouring('context', 'turn_start'),
  args: z.strictObject({ full: argument(flag, 'The whole diff instead of the summary.', false) }),
  fromList: ([word]) => ({ full: word === 'full' }),
  answer: (_event, { full }, kit) =>
    full
      ? gitContext(kit, 'Current working-tree diff:', ['diff'])
      : gitContext(kit, 'Current working-tree diff (stat):', ['diff', '--stat']),
  does: ['runs', 'addsContext'],
  examples: [
    {
      title: 'a summary',
      given: { files: { 'a.txt': 'one\n' }, commits: ['first'], edits: { 'a.txt': 'two\n' } },
      event: 'turn_start',
      payload: {},
      expect: {
        context: ['Current working-tree diff (stat):\n\n a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)'],
      },
    },
    {
      title: 'nothing changed',
      given: { files: { 'a.txt': '1' }, commits: ['first'] },
      event: 'turn_start',
      payload: {},
      args: ['full'],
      expect: undefined,
    },
  ],
})
