import type { Answer as Answered } from '../../server/src/client/client.ts'

/** What the server sends: by the same table that it answers by. */
export type { Answered }

export type Decision = Answered<'listDecisions'>['decisions'][number]
export type Mark = Decision['mark']
export type Question = Answered<'listQuestions'>['questions'][number]
export type PastQuestion = Answered<'answeredQuestions'>['questions'][number]
export type Answer = NonNullable<PastQuestion['answer']>
export type OwnSession = Answered<'showSession'>
export type SessionTurn = OwnSession['turns'][number]

export interface WholeDecision extends Omit<Answered<'showDecision'>, 'entry'> {
  entry: Entry | null
}

/** What a line of the journal holds, as far as it is shown. */
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
