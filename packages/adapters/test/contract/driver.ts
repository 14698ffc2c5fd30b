import type { Hooks, Note } from 'hookline'

/** What a scripted model does in one call. */
export type Turn = { say: string } | { calls: readonly { tool: string; input: Record<string, unknown> }[] }

/** What an adapter is given: the same for every SDK. */
export interface Scenario {
  hooks: Hooks
  prompt: string
  turns: readonly Turn[]
  tools: Readonly<Record<string, (input: Record<string, unknown>, signal: AbortSignal | undefined) => unknown>>
  /** Who answers. Absent: the SDK itself carries the question, and `waiting` of the result is what came of it. */
  ask?: 'yes' | 'no' | 'nobody'
  stream?: boolean
  shadow?: boolean
  session?: string
  signal?: AbortSignal
  /** The agent is a sub-agent of another. */
  subagent?: string
}

export interface Result {
  /** The last text that the person reads, and everything that was streamed to them before. */
  text: string
  streamed: string
  /** What the model got, call by call, as JSON. */
  seen: readonly string[]
  /** Somebody must answer first; the answer may come with other hooks. */
  waiting?: { answer(hooks: Hooks, approved: boolean): Promise<Result> }
}

export interface Driver {
  name: string
  /** Situations that this SDK cannot carry, with what happens instead. */
  cannot: Readonly<Record<string, string>>
  run(scenario: Scenario): Promise<Result>
}

export const quiet = (_note: Note) => {}
