import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventName, eventNames, eventRow, type FailureKind, failurePolicies } from '../../src/core/index.ts'
import { createHooks, type Hooks } from '../../src/hooks/index.ts'
import { samplePayload } from '../support/payloads.ts'
import { type Script, scripted } from '../support/scripted.ts'

/** Every way a hook can break that does not need a process of its own; the executors' tests have the rest. */
const breaks: Record<string, { script: Script; kind: FailureKind; timeoutMs?: number }> = {
  'time-out': { script: { delayMs: 60_000 }, kind: 'time-out', timeoutMs: 5 },
  'exit 1': { script: { exit: 1, stderr: 'boom' }, kind: 'exit' },
  'exit 127': { script: { exit: 127 }, kind: 'exit' },
  'exit 1 with an allow': { script: { exit: 1, stdout: '{"decision":"allow"}' }, kind: 'exit' },
  'broken JSON': { script: { stdout: '{"decision":' }, kind: 'invalid-output' },
  'a misspelled decision': { script: { stdout: '{"decision":"alow"}' }, kind: 'invalid-output' },
  'two answers': { script: { stdout: '{"decision":"deny"}\n{"decision":"allow"}' }, kind: 'invalid-output' },
  'a repeated key': { script: { stdout: '{"decision":"deny","decision":"allow"}' }, kind: 'invalid-output' },
  ...Object.fromEntries(
    (['spawn', 'signal', 'output-limit', 'http', 'ssrf', 'internal'] as const).map((kind) => [
      kind,
      { script: { fails: kind }, kind },
    ]),
  ),
}

const policies = [undefined, ...failurePolicies]

describe.each(eventNames)('%s', (event: EventName) => {
  const row = eventRow(event)
  let hooks: Hooks

  beforeAll(async () => {
    const entries = policies.flatMap((policy) =>
      Object.entries(breaks).map(([how, { script, timeoutMs }]) => ({
        id: `${policy ?? 'default'}/${how}`.replaceAll(' ', '_'),
        event,
        run: { type: 'scripted', ...script },
        timeout: `${timeoutMs ?? 30_000}ms`,
        matcher: { agent: `${policy ?? 'default'}/${how}` },
        ...(policy && (policy !== 'closed' || row.deny) ? { on_failure: policy } : {}),
      })),
    )
    hooks = await createHooks({ executors: [scripted], hooks: entries as never })
  })
  afterAll(() => hooks.close())

  it.each(policies.flatMap((policy) => Object.keys(breaks).map((how) => [policy, how] as const)))(
    'on_failure %s: %s',
    async (policy, how) => {
      const verdict = await hooks.raise(event, {
        ...samplePayload(event),
        session_id: `${policy}/${how}`,
        agent_name: `${policy ?? 'default'}/${how}`,
      } as never)
      const report = verdict.reports.find((each) => each.asked)
      expect(report).toMatchObject({ outcome: 'failure', failure: { kind: breaks[how]!.kind } })

      const effective = policy === 'closed' && !row.deny ? 'open' : (policy ?? row.failure)
      expect(verdict.decision?.ruling).toBe(effective === 'closed' ? 'deny' : undefined)
      expect(verdict.message === undefined).toBe(effective !== 'warn')
      expect(verdict.halt).toBeUndefined()
      expect(verdict.context).toBeUndefined()
      expect(verdict.rewrite).toBeUndefined()
      // Whatever the policy, a failure always leaves a note.
      expect(verdict.notes.map((note) => note.code)).toEqual([effective === 'closed' ? 'hook-failed' : 'hook-warned'])
    },
  )
})
