import {
  type Decision,
  type Decoded,
  type Halt,
  isRecord,
  joinReasons,
  type Note,
  stringifyJson,
  type Verdict,
  type WireReply,
} from '../../core/index.ts'
import { noteLost } from '../common/lost.ts'

/** Always exit 0 and the envelope: it says more than an exit code. */
export function encodeReply(verdict: Verdict): Decoded<WireReply> {
  const notes: Note[] = []
  const lost = noteLost(notes, 'crush')
  const { decision, context = [], rewrite, message = [], metadata = {} } = verdict
  if (decision?.ruling === 'ask') lost('The decision `ask`', 'Saying nothing leaves the call to the permission prompt.')
  if (message.length > 0) lost('A message for the user', 'Say it in the reason of a denial.')
  if (Object.keys(metadata).length > 0) lost('Metadata', 'Say it in the reason of a denial.')
  const said = rewrite && isRecord(rewrite.value) ? { updated_input: rewrite.value } : {}
  if (rewrite && !isRecord(rewrite.value)) lost('A rewrite that is no object', 'Rewrite the input of the tool.')
  else if (rewrite?.mode === 'replace') lost('Taking keys out of the input', 'Only keys that are set can change there.')
  const envelope = {
    ...ruling(verdict),
    ...(context.length > 0 ? { context: context.length === 1 ? context[0] : context } : {}),
    ...said,
  }
  const stdout = Object.keys(envelope).length > 0 ? stringifyJson({ version: 1, ...envelope }) : ''
  return { value: { kind: 'wire', exit: 0, stdout, stderr: '' }, notes }
}

/** One reason for both: "Shown when denying or halting". */
function ruling(verdict: Verdict): object {
  const { decision, halt } = verdict
  const decided = decision && decision.ruling !== 'ask' ? decision : undefined
  const reason = decided && halt ? reasonOfBoth(verdict, decided, halt) : (decided ?? halt)?.reason
  return {
    ...(decided ? { decision: decided.ruling } : {}),
    ...(halt ? { halt: true } : {}),
    ...(reason ? { reason } : {}),
  }
}

/**
 * "`reason` values concatenate with `\n` in config order. Halt-only hooks without a deny still contribute their
 * reason", and a hook that does both contributes once.
 */
function reasonOfBoth({ reports }: Verdict, decided: Decision, halt: Halt): string {
  const given = reports
    .filter((report) => report.opinion && !report.shadow)
    .map(({ opinion }) => ({
      decided: opinion?.decision?.ruling === decided.ruling ? opinion.decision.reason : '',
      halted: opinion?.halt?.reason ?? '',
    }))
  const isWhole =
    joinReasons(...given.map((each) => each.decided)) === decided.reason &&
    joinReasons(...given.map((each) => each.halted)) === halt.reason
  const parts = isWhole ? given : [{ decided: decided.reason, halted: halt.reason }]
  return joinReasons(...parts.flatMap((each) => [...new Set([each.decided, each.halted])]))
}
