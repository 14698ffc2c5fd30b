import type {
  AssistantMessage,
  Attachment,
  Message,
  SessionRecord,
  ToolCall,
  ToolMessage,
  Usage,
} from '../core/index.ts'

/** What the records of a session add up to: all that is needed to go on with it. */
export interface Transcript {
  /** The first record; absent when there is none. */
  session: Extract<SessionRecord, { type: 'session' }> | undefined
  /** The messages since the summary, if there is one. */
  messages: Message[]
  /** What the messages before these came to. */
  summary: string | undefined
  /** What the user wanted last, where the summary replaced that too. */
  request: string | undefined
  /** Pictures and files of that request. */
  attachments: readonly Attachment[]
  /** What `session_start` hooks added, in order. */
  context: string[]
  /** The agent that was active last. */
  agent: string | undefined
  totals: { usage: Usage; cost: number | undefined; calls: number }
  /** How often it was resumed. */
  resumed: number
  /** Why it ended; absent while it is open, or when its process was killed. */
  ended: string | undefined
}

/** Pure. Calls without a result get one that says so, so that the messages can go to a model as they are. */
export function transcriptOf(records: readonly SessionRecord[]): Transcript {
  const transcript: Transcript = {
    session: undefined,
    messages: [],
    summary: undefined,
    request: undefined,
    attachments: [],
    context: [],
    agent: undefined,
    totals: { usage: {}, cost: undefined, calls: 0 },
    resumed: 0,
    ended: undefined,
  }
  for (const record of withInputs(records)) add[record.type]?.(transcript, record as never)
  return { ...transcript, messages: withEveryCallAnswered(transcript.messages) }
}

/** The records with the arguments of tool calls back in their messages; none for calls that hooks never decided about. */
export function withInputs(records: readonly SessionRecord[]): SessionRecord[] {
  const inputs = new Map<string, Record<string, unknown>>()
  // Ids of calls are unique within an answer, and models may use them again: read backwards, the nearest one counts.
  const restored = records.toReversed().flatMap((record): SessionRecord[] => {
    if (record.type === 'call') {
      inputs.set(record.id, record.input)
      return []
    }
    if (record.type !== 'message' || record.message.role !== 'assistant' || !record.message.tool_calls) return [record]
    const tool_calls = record.message.tool_calls.map((call) => {
      const input = inputs.get(call.id)
      inputs.delete(call.id)
      return input && Object.keys(call.input).length === 0 ? { ...call, input } : call
    })
    return [{ ...record, message: { ...record.message, tool_calls } }]
  })
  return restored.reverse()
}

type Adders = { [T in SessionRecord['type']]: (to: Transcript, record: Extract<SessionRecord, { type: T }>) => void }

const add: Adders = {
  session(to, record) {
    to.session ??= record
    to.agent ??= record.agent
  },
  message: (to, { message }) => void to.messages.push(message),
  call() {},
  context: (to, { content }) => void to.context.push(content),
  compacted(to, { summary, kept, request, attachments = [] }) {
    to.summary = summary
    to.request = request
    to.attachments = attachments
    to.messages = kept > 0 ? to.messages.slice(-kept) : []
  },
  agent(to, { agent }) {
    to.agent = agent
  },
  usage(to, { usage = {}, cost }) {
    to.totals.calls += 1
    for (const [key, count] of Object.entries(usage) as [keyof Usage, number][])
      to.totals.usage[key] = (to.totals.usage[key] ?? 0) + count
    if (cost !== undefined) to.totals.cost = (to.totals.cost ?? 0) + cost
  },
  worked() {},
  resumed(to) {
    to.resumed += 1
    to.ended = undefined
  },
  cleared(to) {
    to.messages = []
    to.summary = undefined
    to.request = undefined
    to.attachments = []
    to.context = []
  },
  ended(to, { reason }) {
    to.ended = reason
  },
}

/** Each call is followed by exactly one result, and each result by its call: providers refuse anything else. */
function withEveryCallAnswered(messages: readonly Message[]): Message[] {
  const answered: Message[] = []
  let open: ToolCall[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      const called = open.some(({ id }) => id === message.tool_call_id)
      open = open.filter(({ id }) => id !== message.tool_call_id)
      if (called) answered.push(message)
      continue
    }
    // Context may stand between a call and its result; whatever else does comes after all results.
    if (message.role !== 'system') answered.push(...open.splice(0).map(unanswered))
    answered.push(message)
    if (message.role === 'assistant') open = callsOf(message)
  }
  return [...answered, ...open.map(unanswered)]
}

const callsOf = ({ tool_calls = [] }: AssistantMessage): ToolCall[] => [...tool_calls]

const unanswered = ({ id, name }: ToolCall): ToolMessage => ({
  role: 'tool',
  tool_call_id: id,
  tool_name: name,
  content: 'The session was interrupted before this call ended. Whether it took effect is not known.',
  error: true,
})
