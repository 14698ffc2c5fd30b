import { defineBuiltin } from '../core/index.ts'
import { gitContext } from './git.ts'
import { eventsHonouring, noArgs } from './parts.ts'

export const addGitStatus = defineBuiltin({
  name: 'add_git_status',
  doc: 'Shows the model `git status --short --branch`. Nothing outside a repository.',
  events: eventsHonouring('context', 'turn_start'),
  args: noArgs,
  answer: (_event, _args, kit) => gitContext(kit, 'Current git status:', ['status', '--short', '--branch']),
  does: ['runs', 'addsContext'],
  examples: [
    {
      title: 'a new file',
      given: { commits: ['first'], edits: { 'new.txt': 'hello' } },
      event: 'turn_start',
      payload: {},
      expect: { context: ['Current git status:\n\n## main\n?? new.txt'] },
    },
    { title: 'no repository, no context', event: 'turn_start', payload: {}, expect: undefined },
  ],
})
