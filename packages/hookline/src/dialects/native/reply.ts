import type { Asked, Decoded, DecodedReply, Failure, Note, Opinion, Verdict, WireReply } from '../../core/index.ts'
import { deniedBy, effectNames, effectRow, haltedBy, note, sanitise, stringifyJson } from '../../core/index.ts'
import { type ReadEnvelope, readEnvelope } from './envelope.ts'

/**
 * What an exit code says. 0: stdout decides, and nothing there is no opinion. 2 denies and 49 halts, whatever stdout
 * says besides. Everything else is a failure: a guard that crashed has not allowed anything.
 */
export function decodeReply(reply: WireReply, asked: Asked): DecodedReply {
  const meaning = exits[reply.exit]
  if (!meaning) return { ok: false, failure: exitFailure(reply) }
  return meaning(readEnvelope(reply.stdout, asked), reply, asked.hook.id)
}

/** Always exit 0: the envelope can say everything, and says why. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const fields = effectNames.flatMap((name) => {
    const value = verdict[name]
    return value === undefined ? [] : Object.entries(effectRow(name).reply.write(value))
  })
  const stdout = fields.length === 0 ? '' : stringifyJson({ version: 1, ...Object.fromEntries(fields) })
  return { value: { kind: 'wire', exit: 0, stdout, stderr: '' }, notes: [] }
}

type ExitMeaning = (envelope: ReadEnvelope, reply: WireReply, id: string) => DecodedReply

const exits: Partial<Record<number, ExitMeaning>> = {
  0(envelope, _reply, hook) {
    if (!envelope.ok || envelope.reason === '' || envelope.opinion.decision || envelope.opinion.halt) return envelope
    return { ...envelope, notes: [...envelope.notes, ignored('reason', 'stands without a decision', hook)] }
  },
  2: (envelope, reply, hook) =>
    despite(envelope, hook, (opinion) => {
      return { ...opinion, decision: { ruling: 'deny', reason: reasonOf(envelope, reply) || deniedBy(hook) } }
    }),
  49: (envelope, reply, hook) =>
    despite(envelope, hook, (opinion) => ({
      ...opinion,
      halt: { reason: reasonOf(envelope, reply) || haltedBy(hook) },
    })),
}

/** The exit code decides: an envelope that cannot be read does not undo it. */
function despite(envelope: ReadEnvelope, hook: string, add: (opinion: Opinion) => Opinion): DecodedReply {
  if (envelope.ok) return { ok: true, opinion: add(envelope.opinion), notes: envelope.notes }
  return { ok: true, opinion: add({}), notes: [ignored('stdout', `cannot be read (${envelope.failure.detail})`, hook)] }
}

function reasonOf(envelope: ReadEnvelope, { stderr }: WireReply): string {
  return (envelope.ok && envelope.reason) || sanitise(stderr).trim()
}

function ignored(field: string, detail: string, hook: string): Note {
  return note('reply-value-ignored', { field, detail, dialect: 'native' }, { hook })
}

/** The end of stderr is where programs say what went wrong. */
const tailLength = 400

function exitFailure({ exit, stderr }: WireReply): Failure {
  const text = sanitise(stderr).trim()
  const tail = text.length > tailLength ? `…${text.slice(-tailLength)}` : text
  return { kind: 'exit', detail: `it exited with code ${exit}${tail === '' ? '' : `: ${tail}`}` }
}
