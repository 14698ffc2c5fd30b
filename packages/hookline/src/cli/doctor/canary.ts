import {
  type Canary,
  type EventRow,
  formatPath,
  type Hook,
  isRecord,
  type Note,
  note,
  stringifyJson,
  validate,
} from '../../core/index.ts'
import type { ReadyHook } from '../../engine/index.ts'
import { type Payload, plainPayload, sampleFor, textField } from './sample.ts'

/** Whoever writes a canary wants it blocked; asking a person is blocking, too. */
const blocked = { decision: { ruling: 'ask', reason: '' } } as const

/**
 * What the hook must block: its own canaries, else those that its executor knows of. Undefined: nobody knows any.
 * Each is made whole, and is a payload that reaches the hook; of its own, it is said what is wrong with them.
 */
export function canariesFor(ready: ReadyHook): (Canary | Note)[] | undefined {
  const { hook, row } = ready
  if (hook.canary === undefined) return knownCanaries(ready)
  return [hook.canary].flat().map((written) => {
    const payload = payloadOf(written, row)
    if (payload === undefined) return invalid(hook, `\`${inWords(written)}\` is neither a payload nor a part of one`)
    const canary = { title: inWords(written), payload: { ...plainPayload(row), ...payload }, expect: blocked }
    const named = (row.subject.tool ?? '') in payload ? canary : withTool(ready, canary)
    return problemOf(ready, named) ?? named
  })
}

/** Short forms: the arguments of the tool, its command alone, or the text that the event is about. */
function payloadOf(written: unknown, row: EventRow): Payload | undefined {
  const args = row.subject.args
  if (isRecord(written)) {
    const isPayload = args === undefined || Object.keys(written).some((key) => Object.hasOwn(row.fields, key))
    return isPayload ? written : { [args]: written }
  }
  if (typeof written !== 'string') return undefined
  const field = textField(row)
  if (args !== undefined) return { [args]: { command: written } }
  return field === undefined ? undefined : { [field]: written }
}

/** They name some tool; the one that the matcher wants will do as well. What never reaches the hook proves nothing. */
function knownCanaries(ready: ReadyHook): Canary[] | undefined {
  const { hook, row, executor, spec } = ready
  const known = executor.canaries?.(spec, hook)
  const whole = known?.map((canary) => ({ ...canary, payload: { ...plainPayload(row), ...canary.payload } }))
  const reaching = whole
    ?.map((canary) => (reaches(ready, canary) ? canary : withTool(ready, canary)))
    .filter((canary) => reaches(ready, canary))
  return known?.length !== 0 && reaching?.length === 0 ? undefined : reaching
}

function withTool(ready: ReadyHook, canary: Canary): Canary {
  const names = ready.hook.matcher.filter(({ facet }) => facet !== 'args' && facet !== 'text')
  const sample = sampleFor(ready, canary.payload, names)
  return sample.ok ? { ...canary, payload: sample.payload } : canary
}

const reaches = ({ tests }: ReadyHook, { payload }: Canary): boolean => tests.every((test) => test.passes(payload))

function problemOf({ hook, row, tests }: ReadyHook, { title, payload }: Canary): Note | undefined {
  const checked = validate(row.payload, payload)
  const [issue] = checked.ok ? [] : checked.problems
  if (issue) return invalid(hook, `\`${formatPath(issue.path)}\` ${issue.detail}`)
  const failed = tests.find((test) => !test.passes(payload))
  if (!failed) return undefined
  const saw = failed.saw(payload).map((value) => JSON.stringify(value))
  const detail = `its test of ${failed.facet} saw ${saw.join(', ') || 'nothing'}`
  return note('canary-unseen', { canary: title, detail }, about(hook))
}

function invalid(hook: Hook, detail: string): Note {
  const fix = `Write the fields that docs/events.md lists for ${hook.event}, or only what the guard looks at.`
  return note('canary-invalid', { event: hook.event, detail, fix }, about(hook))
}

export const about = ({ id, origin: { where } }: Hook) => ({ hook: id, ...(where && { where }) })

function inWords(written: unknown): string {
  const text = typeof written === 'string' ? written : stringifyJson(written)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
