import { type AtStake, audiences, isRecord } from '../core/index.ts'
import { atStakeOf } from '../executors/index.ts'
import { homeDirectory } from '../platform/index.ts'
import { type Answer, answerFor, type RowName, rows } from '../stakes/index.ts'
import { printable } from './text/inspection.ts'
import { columns } from './text/layout.ts'
import type { Paint } from './text/paint.ts'

/** What a call puts at stake, and what follows, by who can be asked. */
export interface ShownStake extends AtStake {
  /** What the row is about. */
  means: string
  /** How far it reaches. */
  radius: (typeof rows)[RowName]['radius']
  answers: Readonly<Record<(typeof audiences)[number], Answer>>
}

/** `payload` is in our words. Nothing, for what is no call of a tool. */
export async function stakesOfCall(payload: Readonly<Record<string, unknown>>, usual: string): Promise<ShownStake[]> {
  const { tool_name: tool, tool_input: input, cwd = usual } = payload
  if (typeof tool !== 'string' || !isRecord(input)) return []
  const command = typeof input['command'] === 'string' ? { command: input['command'] } : {}
  const { stakes } = await atStakeOf({ tool, input, ...command, cwd: String(cwd) }, homeDirectory())
  return stakes.map((stake) => shown(stake))
}

function shown({ files, ...stake }: AtStake): ShownStake {
  const row = stake.row as RowName
  const answers = Object.fromEntries(audiences.map((audience) => [audience, answerFor(row, audience)]))
  return {
    ...stake,
    means: rows[row].doc,
    radius: rows[row].radius,
    answers: answers as ShownStake['answers'],
    ...(files && { files }),
  }
}

export function stakeLines(stakes: readonly ShownStake[], paint: Paint, width: number): string[] {
  const lines = stakes.map(({ row, reason, answers }) => [
    row,
    printable(reason),
    paint.dim(`(${words[answers.person]}; with nobody to ask, ${words[answers.nobody]})`),
  ])
  return columns(lines, width)
}

const words: Record<Answer, string> = {
  pass: 'passes',
  ask: 'asked',
  snapshot: 'kept in a snapshot, then passes',
  deny: 'blocked',
}
