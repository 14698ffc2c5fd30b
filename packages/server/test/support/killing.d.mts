import type { TurnWorker } from '../../src/index.ts'

export function startChild(env: Record<string, string>): Promise<{
  pid: number
  gone: Promise<unknown>
  kill(signal: NodeJS.Signals): boolean
  errors(): string
}>

export function killAll(options: {
  worker: TurnWorker
  database: string
  effects: string
  from?: number
  points: number
  /** How far the points of one death and the next lie apart. */
  step?: number
  /** How many turns of a worker are in the middle when it dies. */
  together?: number
  /** What turns are about: `work`, `goal`, `steered`, `followed`, `canceled`, `delegated`, `approved`, `asked`. Absent: all, in turn. */
  only?: readonly string[]
  /** Whether the worker of this number stands still, and comes back. */
  stops?(at: number): boolean
  onRound?(at: number): void
}): Promise<string[]>
