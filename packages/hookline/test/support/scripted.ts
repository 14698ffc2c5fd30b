import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { defineExecutor, type FailureKind, HookFailure } from '../../src/core/index.ts'

/** An executor that answers what its spec says, so that laws can be tried in great numbers without processes. */
export interface Script {
  exit?: number | undefined
  stdout?: string | undefined
  stderr?: string | undefined
  delayMs?: number | undefined
  fails?: FailureKind | undefined
}

export const scripted = defineExecutor<Script>({
  type: 'scripted',
  doc: 'Answers what its spec says.',
  spec: z.looseObject({}) as never,
  pins: () => [],
  async run({ exit = 0, stdout = '', stderr = '', delayMs, fails }, { signal }) {
    if (delayMs !== undefined) await sleep(delayMs, undefined, { signal })
    if (fails !== undefined) throw new HookFailure(fails, 'as scripted')
    return { kind: 'wire', exit, stdout, stderr }
  },
})
