import { HooklineError, type Note, note } from 'hookline/internal/start'

type Code = Note['code']
type Details<C extends Code> = Parameters<typeof note<C>>[1]

/** A request that is refused: its status, and what is wrong with what to do, from the table of errors. */
export class Refusal extends Error {
  override name = 'Refusal'
  constructor(
    readonly status: number,
    readonly note: Note,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly also: readonly Note[] = [],
  ) {
    super(note.message)
  }
}

export const refuse = <C extends Code>(
  status: number,
  code: C,
  details: Details<C>,
  headers: Readonly<Record<string, string>> = {},
): Refusal => new Refusal(status, note(code, details), headers)

/** RFC 9457. `code` and `remedy` are ours: docs/errors.md lists them. */
export interface Problem {
  type: string
  title: string
  status: number
  code: string
  remedy: string
  /** Where it is, and whatever else is wrong. */
  problems?: { code: string; message: string; remedy: string; where?: Note['where'] }[]
}

export function problemOf({ status, note: { code, message, remedy }, also }: Refusal): Problem {
  const others = also.map(({ code, message, remedy, where }) => ({ code, message, remedy, ...(where && { where }) }))
  return {
    ...{ type: `urn:hookline:problem:${code}`, title: message, status, code, remedy },
    ...(others.length > 0 && { problems: others }),
  }
}

/** What the library refuses is the fault of the request; anything else is ours, and is logged. */
export function refusalFrom(error: unknown, log: (line: string) => void): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof HooklineError) {
    const first = note('request-failed', {})
    const own: Note = {
      ...first,
      code: error.code,
      message: error.notes[0]?.message ?? error.message,
      remedy: error.remedy,
    }
    return new Refusal(422, own, {}, error.notes)
  }
  log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return refuse(500, 'request-failed', {})
}
