import type { Desk, Hooks, Invocation, Paint } from 'hookline/internal'
import type { Team } from '../core/index.ts'
import type { Agent, RunEnd } from '../loop/index.ts'
import type { RunRecord } from './record.ts'

/** What a command at the prompt can use. */
export interface SlashContext {
  agent: Agent
  hooks: Hooks
  team: Team
  cwd: string
  /** The options of the run. */
  invocation: Invocation
  /** Where the person answers questions of ours; absent where they cannot. */
  desk?: Desk | undefined
  paint: Paint
  width(): number
  say(lines: readonly string[]): void
  record: RunRecord
  /** Works like a prompt: it can be steered and cancelled. */
  work(run: () => Promise<RunEnd>): Promise<void>
  quit(): void
}

export interface SlashCommand {
  usage?: string
  doc: string
  /** It works while the agent is busy. */
  anytime?: true
  run(words: string, context: SlashContext): unknown
}
