import { ago, columns, printable } from 'hookline/internal'
import { missingKey } from '../models/index.ts'
import { listSessions, sessionsDirectory } from '../sessions/index.ts'
import { clipped } from './show.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/sessions`: what was done here before, and how to go on with it. */
export const sessions: SlashCommand = {
  doc: 'The latest sessions of this directory, and how to go on with one.',
  anytime: true,
  async run(_words, { agent, cwd, say, paint, width }) {
    const found = await listSessions(sessionsDirectory(), { cwd, limit: 10 })
    if (found.length === 0) return say(['There are no sessions of this directory yet.'])
    const rows = found.map(({ id, updated, title }) => [
      id === agent.sessionId ? paint.green(`${id} (this one)`) : paint.bold(id),
      ago(updated),
      clipped(printable(title), Math.max(20, width() - 50)),
    ])
    say([...columns(rows, width()), paint.dim('Go on with one: hookline run --resume=<id>')])
  },
}

/** `/model`: which model answers, and another one from now on. */
export const model: SlashCommand = {
  usage: '[provider/model]',
  doc: 'Which model answers; with a name, that one does from now on.',
  async run(words, { agent, team, say }) {
    if (words === '') return say([`${agent.modelName} answers. Another one: \`/model openai/gpt-5\`.`])
    const missing = missingKey(words, { team, env: process.env })
    if (missing) return say([missing.notes[0]?.message ?? missing.message])
    await agent.useModel(words)
    say([`${printable(words)} answers from now on.`])
  },
}
