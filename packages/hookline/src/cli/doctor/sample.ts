import { type EventRow, type Field, isRecord, type MatchTest } from '../../core/index.ts'
import type { ReadyHook } from '../../engine/index.ts'
import { samplesOf } from './pattern-sample.ts'

export type Payload = Record<string, unknown>

/** A payload that the hook's matcher accepts, or the test that none could be found for. */
export type Sample = { ok: true; payload: Payload } | { ok: false; test: MatchTest }

/** What an event of this kind looks like when nothing special happens: every field of its row that says something. */
export function plainPayload(row: EventRow): Payload {
  const fields = Object.entries(row.fields).map(([name, field]) => [name, plainValue(name, field)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** A plain payload, changed until the matcher accepts it; or, with `only`, until these tests of it do. */
export function sampleFor({ hook, row, tests }: ReadyHook, from: Payload, only = hook.matcher): Sample {
  let payload = structuredClone(from)
  const passes = (test: MatchTest, candidate: Payload) => tests[hook.matcher.indexOf(test)]!.passes(candidate)
  for (const test of only) {
    if (passes(test, payload)) continue
    const beside = only.filter((other) => sameSpot(other, test))
    const found = candidates(beside, spotOf(test, row, payload))
      .map((value) => placed(test, row, payload, value))
      .find((candidate) => beside.every((other) => passes(other, candidate)))
    if (!found) return { ok: false, test }
    payload = found
  }
  const failed = only.find((test) => !passes(test, payload))
  return failed ? { ok: false, test: failed } : { ok: true, payload }
}

const sameSpot = (one: MatchTest, other: MatchTest): boolean =>
  one.facet === other.facet && JSON.stringify(one.path) === JSON.stringify(other.path)

/** Texts that may pass all of these tests, which look at the same spot. */
function candidates(tests: readonly MatchTest[], current: string | undefined): string[] {
  const wanted = tests
    .filter(({ negate }) => !negate)
    .map(({ test }) => {
      if ('any' in test) return ['sample']
      if ('names' in test) return [...test.names, ...(test.prefixes ?? []).map((prefix) => `${prefix}sample`)]
      return [...(test.whole ? usualTools : []), ...samplesOf(test.regex, test.whole)]
    })
  const joined = [wanted, wanted.toReversed()].flatMap((order) =>
    order.length === 0
      ? []
      : order.reduce((before, after) => before.flatMap((one) => after.slice(0, 5).map((other) => `${one} ${other}`))),
  )
  const neutral = ['sample', current ?? '', '']
  return [...wanted.flat(), ...joined, ...neutral]
}

/** What agents call their tools; a name people know is a better sample than one that was made up. */
const usualTools = ['shell', 'bash', 'Bash', 'write_file', 'Write', 'edit_file', 'Edit', 'read_file', 'Read']

function spotOf({ facet }: MatchTest, row: EventRow, payload: Payload): string | undefined {
  const value = payload[row.subject[facet] ?? '']
  return typeof value === 'string' ? value : undefined
}

function placed({ facet, path = [] }: MatchTest, row: EventRow, payload: Payload, value: string): Payload {
  const field = row.subject[facet === 'text' ? 'args' : facet]
  if (facet === 'text' && field === undefined) return { ...payload, [textField(row) ?? 'sample']: value }
  if (field === undefined) return payload
  if (facet === 'text') return { ...payload, [field]: withValue(payload[field], ['command'], value) }
  return { ...payload, [field]: facet === 'args' ? withValue(payload[field], path, value) : value }
}

/** The same with this value at the path; `*` and what is not there yet are filled in. */
function withValue(target: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step === 'number' || step === '*') {
    const at = step === '*' ? 0 : step
    const items: unknown[] = Array.isArray(target) ? [...target] : []
    while (items.length < at) items.push(null)
    items[at] = withValue(items[at], rest, value)
    return items
  }
  return {
    ...(isRecord(target) ? target : {}),
    [step]: withValue(isRecord(target) ? target[step] : undefined, rest, value),
  }
}

/** The first field of the event that holds text: what it is mostly about. */
export function textField({ fields }: EventRow): string | undefined {
  return Object.keys(fields).find((name) => fields[name]!.kind === 'string')
}

/** By the kind of the field, but for those where one kind says too little. */
function plainValue(name: string, { kind, optional }: Field): unknown {
  return plain[name] ?? (optional && kind === 'enum' ? undefined : byKind[kind])
}

const plain: Readonly<Record<string, unknown>> = {
  tool_name: 'shell',
  tool_input: { command: 'echo hookline' },
  prompt: 'Say hello.',
  response: 'Done.',
  notification: 'Hello.',
}
const byKind: Readonly<Record<string, unknown>> = {
  string: 'sample',
  number: 1,
  boolean: false,
  array: ['sample'],
  object: {},
  record: {},
  unknown: 'sample',
}
