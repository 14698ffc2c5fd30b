import type { Attachment, Message, ToolCall, Usage } from './model.ts'
import type { BudgetUse } from './team.ts'

/** One line of a session's file. Appended, never changed: a session is what its records add up to. */
export type SessionRecord =
  | {
      type: 'session'
      id: string
      started: string
      cwd: string
      agent: string
      team?: string
      parent?: string
      title?: string
      version: 1
    }
  /**
   * Arguments of tool calls are not in here, but in the `call` of each: no hook has seen them yet, and what a hook takes out of
   * them must not be kept.
   */
  | { type: 'message'; message: Message }
  /** How a tool call was decided, and its arguments as hooks left them. Kept before the tool runs. */
  | { type: 'call'; id: string; decision: 'allow' | 'deny' | 'canceled'; input: Record<string, unknown> }
  /** Kept for the life of the session: what `session_start` hooks added. */
  | { type: 'context'; content: string }
  /** The messages so far are replaced by this summary; the last `kept` of them stay, else the last `request` of the user. */
  | {
      type: 'compacted'
      summary: string
      kept: number
      reason: string
      request?: string
      attachments?: readonly Attachment[]
    }
  | { type: 'agent'; agent: string }
  /** `session`: the sub-agent that spent it, when not this session itself. */
  | { type: 'usage'; model: string; agent?: string; usage?: Usage; cost?: number; session?: string }
  /** How long an agent worked at a turn, where a budget counts that. */
  | { type: 'worked'; agent: string; ms: number }
  | { type: 'resumed'; at: string }
  /** The conversation begins anew; what was said before is not sent to the model any more. */
  | { type: 'cleared'; at: string }
  | { type: 'ended'; at: string; reason: string }

/** One step of a turn, which a store that replays work must not do twice. */
export interface Boundary {
  /**
   * A call of a model; what hooks decide about an event; what the person answers, or wrote meanwhile (`input`); a tool that runs;
   * what the model reads of it.
   */
  kind: 'model' | 'verdict' | 'person' | 'input' | 'tool' | 'result'
  session: string
  /**
   * The same for the same step when the session is run again from its beginning, and no other step of the session has it: the
   * turn, the call if it is part of one, and what happens there. It does not depend on the order in which parallel calls end.
   */
  key: string
  /**
   * Present where the step must not be done again by whoever cannot know whether it was: what it gives then. Absent: it may be
   * repeated.
   */
  unsure?: unknown
  /** What has to be remembered of what it gave, where that is less than all; who gets it back completes it. */
  kept?(given: unknown): unknown
}

/**
 * What makes a session survive its process: its records, and the boundaries of its steps. The session log is the embedded one: it
 * keeps records and runs every step once. A server brings another, which remembers what a step gave and gives it back. Both keep
 * the same contract: packages/agent/test/durable/contract.ts.
 */
export interface Durable {
  /** The file it is kept in, for hooks that want to read what was said: `transcript_path`. */
  readonly path?: string
  /**
   * Kept when it returns, as far as a killed process goes; by a store that remembers steps at the latest with the next of them that
   * it writes down, since until then the same record is made again. `key` is one of those of steps: who runs a session again from its
   * beginning gets the same record with the same key, and keeps it once.
   */
  append(record: SessionRecord, key?: string): void
  /**
   * Absent: the step is simply run. It gives plain JSON. One that rejects was cut off, by the user or by a defect: it is not
   * remembered, and its error is handed on. Steps of parallel calls run side by side; none contains another.
   */
  step?<T>(boundary: Boundary, run: () => Promise<T>): Promise<T>
  /** Kept for good. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** The name that `Durable` had. */
export type SessionLog = Durable

/** A reason as a hook gave it, and as people read it: a sentence, and apart from it the command it is about. */
export interface Explained {
  reason: string
  explanation: string
  command?: string
}

/** What the agent reports while it works, to the terminal, `--json` or an embedding program. Plain JSON. */
export type Happening = { session_id: string; agent: string; sub_agent?: true } & (
  | { type: 'session'; source: string; model: string }
  | { type: 'prompt'; text: string; kind: 'prompt' | 'steering' | 'follow-up' | 'redo' | 'goal' }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; call: ToolCall; category: string }
  | ({
      type: 'approval'
      call_id: string
      decision: 'allow' | 'deny' | 'canceled'
      source: string
    } & Partial<Explained>)
  /** Output while a tool runs, as it comes: no hook has judged it yet. `held`: there is some, and it is not shown. */
  | { type: 'tool_progress'; call_id: string; text: string; held?: true }
  | { type: 'tool_result'; call_id: string; tool: string; content: string; error?: boolean }
  /** The reply as it stands after hooks; what was streamed before may differ. */
  | { type: 'response'; text: string; rewritten?: true }
  | { type: 'usage'; model: string; usage?: Usage; cost?: number }
  /** Where there are budgets: how much of each is used. */
  | { type: 'budget_usage'; budgets: readonly BudgetUse[] }
  /** A budget is used up, and the run stops. */
  | { type: 'budget_exceeded'; budget: string; limit: string; used: string; max: string; config_path: string }
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; text: string }
  | { type: 'agent_switch'; from: string; to: string; kind: string }
  | { type: 'compaction'; reason: string; state: 'begun' | 'done' | 'vetoed' | 'failed'; summary?: string }
  | { type: 'turn_end'; reason: string }
  /** A hook blocked the prompt, so that there was no turn. `user_message`: what the hook wants the user to read. */
  | ({ type: 'turn.failed'; code: 'blocked_by_hook'; user_message: string } & Explained)
  | { type: 'waiting' }
  | { type: 'outbound'; channel: string; state: 'sent' | 'blocked' | 'failed'; detail?: string }
  | { type: 'end'; reason: string }
)

export type Watch = (happening: Happening) => void

/** The person who runs the agent. Absent in a run without one: a call that needs approval is then blocked. */
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
  /** Why approval is needed: the reasons of hooks and rules. */
  reason: string
  /** From hooks and guards: `blast_radius`, `category`, `reason` and others. */
  metadata: Readonly<Record<string, string>>
}

/** `session`: everything from now on. `tool`: this tool (for a shell: this simple command) from now on. */
export type Approval =
  | { answer: 'once' | 'session' | 'tool' }
  | { answer: 'no'; reason?: string }
  /** With other arguments: they are judged anew, and asked about again where nothing allows them. */
  | { answer: 'edit'; input: Record<string, unknown> }
