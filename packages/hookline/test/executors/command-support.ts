import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Executor, HookFailure, WireReply } from '../../src/core/index.ts'
import { type CommandSpec, createCommandExecutor } from '../../src/executors/command/index.ts'
import { answerOf, type CallOptions, makeCall, type ObservedCall } from '../support/call.ts'
import { remove } from '../support/scratch.ts'

/** One call of a command hook: what came back or went wrong, what was noted, and how long it took. */
export interface Seen {
  reply?: WireReply
  failure?: HookFailure
  call: ObservedCall
  ms: number
}

export async function ask(
  executor: Executor<CommandSpec>,
  spec: CommandSpec,
  options: CallOptions = {},
): Promise<Seen> {
  const call = makeCall({ type: 'command', ...spec }, options)
  const started = performance.now()
  const seen = { call, ms: 0 }
  const end = <T>(rest: T) => Object.assign(seen, rest, { ms: performance.now() - started })
  return answerOf(executor, spec, call).then(
    (reply) => end({ reply: reply as WireReply }),
    (failure) => end({ failure: failure as HookFailure }),
  )
}

/** An executor that starts processes itself, closed with the test. */
export function direct(): Executor<CommandSpec> {
  const executor = createCommandExecutor({ forkServerAbove: Number.POSITIVE_INFINITY })
  onTestFinished(() => executor.close?.())
  return executor
}

/** An executor whose every run goes through the fork server: until that is ready, the host starts processes itself. */
export function throughForkServer(): Executor<CommandSpec> {
  const executor = createCommandExecutor({ forkServerAbove: 0 })
  executor.warm?.([])
  const warmed = untilForkServer(executor)
  return { ...executor, run: (spec, call) => warmed.then(() => executor.run(spec, call)) }
}

export async function untilForkServer(executor: Executor<CommandSpec>): Promise<number> {
  for (const giveUp = performance.now() + 10_000; performance.now() < giveUp; ) {
    const { reply } = await ask(executor, { command: 'echo $PPID' })
    const parent = Number(reply?.stdout)
    if (parent !== process.pid) return parent
  }
  throw new Error('the fork server never became ready')
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-command-'))
  onTestFinished(() => remove(directory))
  return directory
}

export function script(directory: string, name: string, text: string, mode = 0o644): string {
  const file = join(directory, name)
  writeFileSync(file, text, { mode })
  return file
}
