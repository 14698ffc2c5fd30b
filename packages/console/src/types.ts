/** What the server sends, as its OpenAPI document has it. */
export interface Decision {
  id: number
  seq: number
  time: string
  event: string
  outcome: string
  mark: Mark
  subject: string
  remark: string
  reason: string | null
  host: string
  agent: string | null
  session: string | null
  project: string | null
  tool: string | null
  call: string | null
  duration_ms: number | null
  failed_open: boolean
  machine: string | null
}

export type Mark = 'blocked' | 'asked' | 'allowed' | 'rewritten' | 'failed' | 'quiet'

export interface WholeDecision {
  decision: Decision
  line: 'as-indexed' | 'changed' | 'gone'
  hash: string
  log: string
  entry: Entry | null
}

export interface Opinion {
  decision?: { ruling: string; reason?: string }
  halt?: { reason?: string }
  rewrite?: { value: unknown }
  context?: string[]
  message?: string[]
}

export interface HookEntry {
  id: string
  stage: number
  asked: boolean
  skipped?: string
  outcome?: string
  opinion?: Opinion
  failure?: { kind: string; detail: string }
  duration_ms?: number
  rules?: string[]
  shadow?: boolean
}

export interface Entry extends Opinion {
  seq: number
  time: string
  event: string
  dispatch: string
  actions?: string[]
  rules?: string[]
  duration_ms?: number
  hooks: HookEntry[]
  notes: { code: string; hook?: string }[]
  payload?: Record<string, unknown>
}

export interface Question {
  id: string
  asked: string
  expires: string
  host: string
  session: string | null
  cwd: string
  what: string
  reason: string
  hooks: string[]
  tool: string
  input: Record<string, unknown>
  details: Record<string, string>
  seen: number
}

export type Answer = 'yes' | 'session' | 'always' | 'no'

export interface PastQuestion extends Omit<Question, 'tool' | 'input' | 'details' | 'seen'> {
  settled: string
  answer: Answer | null
  because: string | null
  by: string | null
  rule: string | null
}

export interface Me {
  name: string
  role: string
  version: string
  cwd: string
  proven: boolean
}

export interface Stats {
  failed_open: number
}

/** A session that this server runs. */
export interface OwnSession {
  id: string
  agent: string
  project: string
  title: string
  created: string
  updated: string
  state: 'idle' | 'working' | 'waiting'
  turns: SessionTurn[]
  asks: { id: string; question: string; options: string[] }[]
}

export interface SessionTurn {
  id: string
  kind: 'prompt' | 'follow-up'
  prompt: string
  state: 'queued' | 'running' | 'completed' | 'failed' | 'canceled'
  started: string
  ended: string | null
  user_message: string | null
  response: string | null
}
