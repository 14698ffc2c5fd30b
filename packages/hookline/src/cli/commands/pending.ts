import { stringifyJson } from '../../core/index.ts'
import { connectDaemon } from '../../daemon/index.ts'
import { defineCommand } from '../command.ts'
import { masked, showQuestion } from '../questions/show.ts'
import { paintFor } from '../text/paint.ts'

export const command = defineCommand({
  name: 'pending',
  summary: 'List what agents wait for: questions that they cannot ask you themselves.',
  usage: 'pending [--json]',
  doc: [
    'A rule or hook that asks is answered in the agent where that can ask. Where it cannot, the question waits here, while',
    '`hookline watch` is open or `questions: { notify: true }` stands in your config, and at most as long as the agent',
    'waits. Where nobody would answer, it does not wait: the call is refused at once.',
  ].join('\n'),
  options: {
    json: { doc: 'Print a list with `id`, `host`, `cwd`, `what`, `reason`, `hooks`, `asked` and `expires`.' },
  },
  examples: ['hookline pending', 'hookline answer k3f9a yes'],
  exits: { 1: 'The daemon does not answer.' },
  async run({ values, output }) {
    const daemon = await connectDaemon()
    const { pending } = daemon ? await daemon.request('pending', {}) : { pending: [] }
    daemon?.close()
    if (values['json']) {
      output.write(`${stringifyJson(pending.map(masked))}\n`)
      return 0
    }
    if (pending.length === 0) output.write('Nothing is waiting for you.\n')
    const paint = paintFor(output)
    for (const question of pending) {
      output.write(`${showQuestion(question, paint).join('\n')}\n`)
      output.write(`  ${paint.dim('Answer:')}  hookline answer ${question.id} yes|session|always|no\n\n`)
    }
    return 0
  },
})
