import type { Stream } from './text.ts'

/** What a wrapper, builtin or interpreter made of a call. */
export interface Handled {
  output: Stream
  /** What it runs has been judged in its place: it needs no entry on the read-only list itself. */
  settled: boolean
}

export const settled = (output: Stream): Handled => ({ output, settled: true })
export const unsettled = (output: Stream): Handled => ({ output, settled: false })
