import * as z from 'zod/mini'
import { defineBuiltin } from '../core/index.ts'
import { gitContext } from './git.ts'
import { argument, count, eventsHonouring } from './parts.ts'

export const addRecentCommits = defineBuiltin({
  name: 'add_recent_commits',
  doc: 'Shows the model the latest commits, one line each. Nothing outside a repository.',
  events: eventsHonouring('context', 'session_start'),
  args: z.strictObject({ count: argument(count, 'How many.', 10) }),
  fromList: ([number]) => ({ count: Number(number) }),
  answer: (_event, { count }, kit) =>
    gitContext(kit, 'Recent commits:', ['log', '--no-show-signature', '--oneline', '-n', String(count)]),
  does: ['runs', 'addsContext'],
  examples: [{ title: 'no repository, no context', event: 'session_start', payload: {}, expect: undefined }],
})
