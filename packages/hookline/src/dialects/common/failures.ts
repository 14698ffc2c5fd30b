import type { DecodedReply, WireReply } from '../../core/index.ts'

/** The end of stderr is where programs say what went wrong. */
const tailLength = 400

/** An exit code that is no answer. */
export function exitFailure({ exit, stderr }: WireReply, remedy: string): DecodedReply {
  const said = stderr.trim()
  const tail = said.length > tailLength ? `…${said.slice(-tailLength)}` : said
  return { ok: false, failure: { kind: 'exit', detail: `it exited with code ${exit}${tail && `: ${tail}`}`, remedy } }
}

/** An output that cannot be read as an answer. */
export function invalidOutput(detail: string, remedy: string): DecodedReply {
  return { ok: false, failure: { kind: 'invalid-output', detail, remedy } }
}
