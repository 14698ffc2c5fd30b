import type { Asked, Decoded, DecodedReply, Failure, Note, Opinion, Verdict, WireReply } from '../../core/index.ts'
import { deniedBy, effectNames, effectRow, haltedBy, note, sanitise, stringifyJson } from '../../core/index.ts'
import { type ReadEnvelope, readEnvelope } from './envelope.ts'

/**
 * What an exit code says. 0: stdout decides, and nothing there is no opinion. 2 denies and 49 halts, whatever stdout
 * says besides. Everything else is a failure: a guard that crashed has not said yes.
 */
export function decodeReply(reply: WireReply, asked: Asked): DecodedReply {
  const meaning = exits[reply.exit]
  if (!meaning) return { ok: false, failure: exitFailure(reply) }
  return meaning(readEnvelope(reply.stdout, asked), reply, asked.hook.id)
}

/** Always exit 0: the envelope can say everything, and says why. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const said = effectNames.flatMap((name) => {
    const value = verdict[name]
    return value === undefined ? [] : Object.entries(effectRow(name).reply.write(value))
  })
  const stdout = said.length === 0 ? '' : stringifyJson({ version: 1, ...Object.fromEntries(said) })
  return { value: { kind: 'wire', exit: 0, stdout, stderr: '' }, notes: [] }
}

type ExitMeaning = (said: ReadEnvelope, reply: WireReply, id: string) => DecodedReply

const exits: Partial<Record<number, ExitMeaning>> = {
  0(said, _reply, hook) {
    if (!said.ok || said.reason === '' || said.opinion.decision || said.opinion.halt) return said
    return { ...said, notes: [...said.notes, ignored('reason', 'stands without a decision', hook)] }
  },
  2: (said, reply, hook) =>
    despite(said, hook, (opinion) => {
      return { ...opinion, decision: { ruling: 'deny', reason: reasonOf(said, reply) || deniedBy(hook) } }
    }),
  49: (said, reply, hook) =>
    despite(said, hook, (opinion) => ({ ...opinion, halt: { reason: reasonOf(said, reply) || haltedBy(hook) } })),
}

/** The exit code has spoken: an envelope that cannot be read does not undo it. */
function despite(said: ReadEnvelope, hook: string, add: (opinion: Opinion) => Opinion): DecodedReply {
  if (said.ok) return { ok: true, opinion: add(said.opinion), notes: said.notes }
  return { ok: true, opinion: add({}), notes: [ignored('stdout', `cannot be read (${said.failure.detail})`, hook)] }
}

function reasonOf(said: ReadEnvelope, { stderr }: WireReply): string {
  return (said.ok && said.reason) || sanitise(stderr).trim()
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
