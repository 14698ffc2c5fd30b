import {
  type Decision,
  type Decoded,
  type Halt,
  isRecord,
  joinReasons,
  type Note,
  note,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'

/** Always exit 0 and the envelope: it says more than an exit code. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = (what: string, fix: string) => notes.push(note('translation-lost', { what, dialect: 'crush', fix }))
  const { decision, halt, context = [], rewrite, message = [], metadata = {} } = verdict
  if (decision?.ruling === 'ask') lost('The decision `ask`', 'Saying nothing leaves the call to the permission prompt.')
  if (message.length > 0) lost('A message for the user', 'Say it in the reason of a denial.')
  if (Object.keys(metadata).length > 0) lost('Metadata', 'Say it in the reason of a denial.')
  const said = rewrite && isRecord(rewrite.value) ? { updated_input: rewrite.value } : {}
  if (rewrite && !isRecord(rewrite.value)) lost('A rewrite that is no object', 'Rewrite the input of the tool.')
  else if (rewrite?.mode === 'replace') lost('Taking keys out of the input', 'Only keys that are set can change there.')
  const envelope = {
    ...ruling(decision, halt),
    ...(context.length > 0 ? { context: context.length === 1 ? context[0] : context } : {}),
    ...said,
  }
  const stdout = Object.keys(envelope).length > 0 ? stringifyJson({ version: 1, ...envelope }) : ''
  return { value: { kind: 'wire', exit: 0, stdout, stderr: '' }, notes }
}

/** One reason for both: "Shown when denying or halting". */
function ruling(decision: Decision | undefined, halt: Halt | undefined): object {
  const decided = decision && decision.ruling !== 'ask' ? decision : undefined
  const reasons = new Set([decided?.reason ?? '', halt?.reason ?? ''])
  const reason = joinReasons(...reasons)
  return {
    ...(decided ? { decision: decided.ruling } : {}),
    ...(halt ? { halt: true } : {}),
    ...(reason === '' ? {} : { reason }),
  }
}
