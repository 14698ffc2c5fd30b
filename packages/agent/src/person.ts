import type { ToolCall } from './message.ts'

/** The person at the other end. Absent in a run that nobody watches: what would be asked is then refused. */
export interface Person {
  /** One question at a time: the agent waits for the answer before it asks the next. */
  approve(request: ApprovalRequest, signal: AbortSignal): Promise<Approval>
  /** The agent asks something (`ask_user`). */
  answer(question: string, options: readonly string[], signal: AbortSignal): Promise<string>
  /** The limit of model calls is reached: go on? */
  goOn(limit: number, signal: AbortSignal): Promise<boolean>
}

export interface ApprovalRequest {
  call: ToolCall
  agent: string
  category: string
  /** Why it is asked: the reasons of hooks and rules. */
  reason: string
  /** From hooks and guards: `blast_radius`, `category`, `reason` and others. */
  metadata: Readonly<Record<string, string>>
}

/** `session`: everything from now on. `tool`: this tool (for a shell: this simple command) from now on. */
export type Approval = { answer: 'once' | 'session' | 'tool' } | { answer: 'no'; reason?: string }
