import type { Desk, Hook, Paint, Verdict } from 'hookline/internal'
import type { Happening, Person } from '../core/index.ts'
import type { Permissions } from '../permissions/index.ts'
import type { Conversation } from './converse.ts'

/** Where a run is shown, and the person who can answer. */
export interface Screen {
  paint: Paint
  width(): number
  watch(happening: Happening): void
  hooks(verdict: Verdict, milliseconds: number): void
  /** Which hooks there are, to show them by name. */
  setHooks(hooks: readonly Hook[]): void
  /** Hooks that wait for approval, as the person knows already. */
  setWaiting(ids: readonly string[]): void
  /** Lines of the command itself, beside the agent's. */
  say(lines: readonly string[]): void
  /** Absent where no person watches. */
  person?(permissions: Permissions, cwd: string): Person
  /** Where the person answers questions that are not the agent's. */
  desk?: Desk
  /** The person sits elsewhere: nothing can be asked before there is a session. */
  remote?: true
  /** Where prompts come from, for hooks. Default: `cli`. */
  channel?: string
  /** Starts reading what the person types. */
  listen?(conversation: Conversation, listening: Listening): void
  working(at: boolean): void
  result(result: Result): void
  close(): void
}

/** What can be offered while the person types. */
export interface Listening {
  cwd: string
  commands(): readonly { name: string; usage?: string; doc: string }[]
}

export interface Result {
  session_id: string
  reason: string
  response: string
  detail?: string
  exit: number
}
