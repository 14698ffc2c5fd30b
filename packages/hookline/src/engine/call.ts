import type { Call, Event, Hook, Note, Report, WireRequest } from '../core/index.ts'
import type { ReadyHook } from './hook-index.ts'
import type { Clock } from './limits.ts'
import { withDialectToolNames } from './tool-names.ts'

/** A call as executors see it. A class, because getters on a prototype are free and on an object literal are not. */
export class GateCall implements Call {
  readonly hook: Hook
  readonly event: Event
  readonly #ready: ReadyHook
  readonly #clock: Clock
  readonly #report: Report
  readonly #notes: Note[]
  #request: WireRequest | undefined

  constructor(ready: ReadyHook, event: Event, clock: Clock, report: Report, notes: Note[]) {
    this.hook = ready.hook
    this.event = event
    this.#ready = ready
    this.#clock = clock
    this.#report = report
    this.#notes = notes
  }

  get signal(): AbortSignal {
    return this.#clock.signal()
  }

  get aborted(): boolean {
    return this.#clock.aborted()
  }

  remainingMs(): number {
    return this.#clock.remainingMs()
  }

  request(): WireRequest {
    this.#request ??= this.#ready.dialect.event.encode(withDialectToolNames(this.#ready.dialect, this.event), this.hook)
    return this.#request
  }

  note(said: Note): void {
    this.#notes.push({ ...said, hook: this.hook.id })
  }

  measure({ stdin = 0, stdout = 0, stderr = 0 }: { stdin?: number; stdout?: number; stderr?: number }): void {
    const { bytes = { stdin: 0, stdout: 0, stderr: 0 } } = this.#report
    this.#report.bytes = {
      stdin: bytes.stdin + stdin,
      stdout: bytes.stdout + stdout,
      stderr: bytes.stderr + stderr,
    }
  }
}
