import { createHash } from 'node:crypto'
import {
  type Dialect,
  eventRow,
  type HostInfo,
  joinReasons,
  type Layer,
  type StateStore,
  statePlace,
  stringifyJson,
  type Verdict,
} from '../../core/index.ts'
import type { GivenAnswer, Question, QuestionBroker } from '../../daemon/index.ts'
import type { Hooks } from '../../hooks/index.ts'
import { callerEnvironment } from '../../platform/index.ts'
import { gistOf, oneLine } from '../text/entries.ts'
import { notifyDesktop } from './notify.ts'

/** Where questions wait that a host cannot ask; only a daemon has it. */
export interface Asking {
  questions: QuestionBroker
  /** How long a question may wait: less than the host does. */
  forMs: number
  /** Whether the desktop shows it, and so somebody comes. */
  notify: boolean
  /** The host has gone away. */
  signal?: AbortSignal
}

interface Surroundings {
  hooks: Hooks
  dialect: Dialect
  /** As `hookline hosts` names it. */
  name: string
  host: HostInfo
  state: StateStore
  cwd: string
  /** Absent: nobody can answer here. */
  asking: Asking | undefined
}

/** Whether somebody would answer a question right now. */
export const isAttended = ({ questions, notify }: Asking): boolean => notify || questions.attended

/**
 * A question goes to the host where that can ask. Where it cannot, it waits for whoever is attached; where nobody is, or
 * nobody answers, the call is refused. What became of it is in the journal.
 */
export async function settleQuestion(verdict: Verdict, around: Surroundings): Promise<Verdict> {
  const { event, decision, payload } = verdict
  if (decision?.ruling !== 'ask' || !isCall(verdict)) return verdict
  if ((around.dialect.audience?.(payload, callerEnvironment()) ?? 'person') === 'person') return verdict
  const held = statePlace({ payload }, 'answers', keyOf(verdict))
  const began = Date.now()
  const remembered = (await around.state.read(held)) as GivenAnswer | undefined
  const { asking } = around
  const attended = asking !== undefined && isAttended(asking)
  const given = remembered ?? (attended ? await ask(questionOf(verdict, around), asking) : undefined)
  if (!remembered && given?.answer === 'session') await around.state.update(held, () => given)
  const source = given ? sources[given.answer] : attended ? 'question_unanswered' : 'question_unattended'
  const outcome = settled(verdict, given, attended, around.name)
  await around.hooks.raise(
    'on_tool_approval_decision',
    {
      ...payload,
      approval_decision: outcome.decision?.ruling === 'deny' ? 'deny' : 'allow',
      approval_source: source,
      ...(given?.by !== undefined && { approval_by: given.by }),
      ...(given?.because !== undefined && { approval_reason: given.because }),
      ...(attended && !remembered && { approval_ms: Date.now() - began }),
    } as never,
    { dialect: around.dialect, host: around.host },
  )
  return { ...outcome, event }
}

/** docker-agent's words, and one of ours for a rule that was written. */
const sources: Record<GivenAnswer['answer'], string> = {
  yes: 'user_approved',
  session: 'user_approved_session',
  always: 'user_approved_always',
  no: 'user_rejected',
}

/** Something waits for the answer. A request for permission is the host's own question: it asks in any case. */
function isCall({ event }: Verdict): boolean {
  const { subject, failure, result } = eventRow(event)
  return subject.tool !== undefined && failure === 'closed' && result === undefined && event !== 'permission_request'
}

async function ask(question: Question, { questions, forMs, notify, signal }: Asking): Promise<GivenAnswer | undefined> {
  // Whoever reads the notice comes: as good as somebody who sits there.
  const leave = notify ? questions.attach() : undefined
  const stop = notify
    ? questions.onChange((change) => change.kind === 'asked' && notifyDesktop(change.question))
    : undefined
  try {
    const answering = questions.ask(question, { forMs, ...(signal && { signal }) })
    stop?.()
    return await answering
  } finally {
    leave?.()
  }
}

function settled(verdict: Verdict, given: GivenAnswer | undefined, attended: boolean, name: string): Verdict {
  const { decision, ...rest } = verdict
  const asked = decision!.reason
  const refused = (reason: string): Verdict => ({ ...rest, decision: { ruling: 'deny', reason } })
  if (!given)
    return refused(
      joinReasons(asked, attended ? 'Nobody answered in time, so it does not run.' : unasked(name)).replaceAll(
        '\n',
        ' ',
      ),
    )
  if (given.answer === 'no')
    return refused(given.because ? `The user said no: ${given.because}` : `The user said no. ${asked}`.trim())
  return { ...rest, decision: { ruling: 'allow', reason: 'The user said yes.' } }
}

const unasked = (name: string): string => `${name} cannot ask its user about this, so it does not run.`

function questionOf({ event, decision, payload, reports, metadata }: Verdict, around: Surroundings): Question {
  const { hooks, dialect, name, cwd } = around
  const asking = reports.filter(({ opinion }) => opinion?.decision?.ruling === 'ask')
  const { event: ours } = hooks.plan(event, payload as never, { dialect })
  const { subject } = eventRow(event)
  const call = ours.payload as Readonly<Record<string, unknown>>
  const tool = String(call[subject.tool!])
  const input = (call[subject.args!] ?? {}) as Readonly<Record<string, unknown>>
  const { session_id: session, cwd: place } = payload as { session_id?: unknown; cwd?: unknown }
  return {
    host: name,
    ...(typeof session === 'string' && session !== '' && { session }),
    cwd: typeof place === 'string' ? place : cwd,
    what: whatOf(tool, input),
    reason: decision!.reason,
    hooks: asking.map(({ hook, rules }) => rules?.[0] ?? hook),
    call: { tool, input, parts: ours.original?.parts ?? 1 },
    layers: [...new Set(asking.flatMap(({ hook }) => layerOf(hooks, hook)))],
    ...(metadata && { details: metadata }),
  }
}

/** The command line as it is; of any other call, the tool before what it is about. */
function whatOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  const { command } = input
  return typeof command === 'string' ? command : oneLine([tool, gistOf(input) ?? ''].join(' '))
}

const layerOf = ({ hooks }: Hooks, id: string): Layer[] => {
  const hook = hooks.find((each) => each.id === id)
  return hook ? [hook.origin.layer] : []
}

/** The same call again, in the same directory. */
function keyOf({ event, payload }: Verdict): string {
  const { subject } = eventRow(event)
  const fields = payload as Readonly<Record<string, unknown>>
  const call = [fields['cwd'] ?? null, fields[subject.tool!] ?? null, fields[subject.args!] ?? null]
  return createHash('sha256').update(stringifyJson(call)).digest('hex')
}
