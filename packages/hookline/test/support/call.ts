import type { Call, DirectReply, Event, EventName, Executor, Hook, Note, Run, WireReply } from '../../src/core/index.ts'
import { hookDefaults } from '../../src/core/index.ts'
import { soon } from './soon.ts'

export interface CallOptions {
  event?: EventName
  payload?: Record<string, unknown>
  timeoutMs?: number
  env?: Record<string, string>
  workingDir?: string
  requestEnv?: Record<string, string>
  outputLimit?: number
  signal?: AbortSignal
}

export interface ObservedCall extends Call {
  notes: Note[]
  bytes: { stdin: number; stdout: number; stderr: number }
}

/** What it answers, in a promise: an executor may also answer, or throw, at once. */
export async function answerOf<S>(executor: Executor<S>, spec: S, call: Call): Promise<WireReply | DirectReply> {
  return executor.run(spec, call)
}

/** A call as the gate makes it, for testing an executor alone. The deadline is real: it aborts the signal. */
export function makeCall(run: Run, options: CallOptions = {}): ObservedCall {
  const timeoutMs = options.timeoutMs ?? soon
  const deadline = performance.now() + timeoutMs
  const payload = options.payload ?? { session_id: 's1', tool_name: 'shell', tool_input: { command: 'ls' } }
  const hook: Hook = {
    ...hookDefaults,
    id: 'under-test',
    event: options.event ?? 'pre_tool_use',
    dialect: 'native',
    run,
    timeoutMs,
    env: options.env ?? {},
    ...(options.workingDir === undefined ? {} : { workingDir: options.workingDir }),
    origin: { layer: 'code' },
  }
  const event = { name: hook.event, payload, depth: 0, synthetic: false } as Event
  const body = JSON.stringify({ event: event.name, ...payload })
  const notes: Note[] = []
  const bytes = { stdin: 0, stdout: 0, stderr: 0 }
  const timeOut = AbortSignal.timeout(timeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, timeOut]) : timeOut
  return {
    hook,
    event,
    notes,
    bytes,
    request: () => ({
      body,
      env: { HOOKLINE_EVENT: event.name, ...options.requestEnv },
      payloadVariables: { json: 'HOOKLINE_PAYLOAD_JSON', path: 'HOOKLINE_PAYLOAD_PATH' },
    }),
    signal,
    get aborted() {
      return signal.aborted
    },
    remainingMs: () => Math.max(0, deadline - performance.now()),
    ...(options.outputLimit === undefined ? {} : { outputLimit: options.outputLimit }),
    note: (note) => notes.push(note),
    measure: (more) => {
      bytes.stdin += more.stdin ?? 0
      bytes.stdout += more.stdout ?? 0
      bytes.stderr += more.stderr ?? 0
    },
  }
}
