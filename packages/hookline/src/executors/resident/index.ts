import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { type Call, defineExecutor, type Executor, HookFailure, note, programPins } from '../../core/index.ts'
import { guardHost, isDirectory, markVariable } from '../../platform/index.ts'
import { launch, programFields } from '../command/program.ts'
import { directoryInstead, hostDirectory, lastingEnvironment, workingDirectory } from '../environment.ts'
import { createResident, type Resident } from './resident.ts'

const residentSpec = z.strictObject({
  ...programFields,
  max_in_flight: z.optional(
    z.int().check(z.gte(1), z.lte(1_000), z.describe('Requests that may wait for an answer at once. Default: 32.')),
  ),
})
export type ResidentSpec = z.infer<typeof residentSpec>

const outputLimit = 1024 * 1024
/** Beyond this many processes, those with nothing to do are ended, the longest unused first. */
const mostProcesses = 16

export function createResidentExecutor(): Executor<ResidentSpec> {
  const marks = randomUUID()
  const residents = new Map<string, Resident>()
  const leaving = new Set<Promise<void>>()
  let unguard: (() => void) | undefined
  let made = 0
  let closed = false

  return defineExecutor<ResidentSpec>({
    type: 'resident',
    contained: true,
    doc: 'A long-lived program that answers JSON-RPC 2.0 (`hooks/intercept`), one message per line.',
    spec: residentSpec,
    pins: programPins,
    async run(spec, call) {
      if (closed || call.signal.aborted) throw new HookFailure('aborted', 'It was stopped before it began.')
      unguard ??= guardHost()
      const answer = await residentFor(spec, call).ask({
        body: call.request().body,
        outputLimit: call.outputLimit ?? outputLimit,
        signal: call.signal,
        hook: call.hook.id,
        note: (note) => call.note(note),
      })
      call.measure({ stdin: answer.bytesIn, stdout: answer.bytesOut })
      return { kind: 'wire', exit: 0, stdout: answer.stdout, stderr: '' }
    },
    retain(specs) {
      const wanted = new Set(specs.map((spec) => JSON.stringify(spec)))
      for (const [key, resident] of [...residents])
        if (!wanted.has(JSON.stringify((JSON.parse(key) as unknown[])[0])) && resident.isIdle()) end(key)
    },
    async close() {
      closed = true
      for (const key of [...residents.keys()]) end(key)
      await Promise.all(leaving)
      unguard?.()
    },
  })

  /**
   * Hooks that would start the same process in the same place share it. Events raised inside a hook have a process of
   * their own per depth: the one above waits for them, and may be unable to answer.
   */
  function residentFor(spec: ResidentSpec, call: Call): Resident {
    const cwd = workingDirectory(call)
    const env = lastingEnvironment(call, spec.clean_env)
    const key = JSON.stringify([spec, cwd, call.event.depth, Object.entries(env).sort()])
    const known = residents.get(key)
    if (known !== undefined) {
      residents.delete(key)
      residents.set(key, known)
      return known
    }
    const started = make(spec, call, env, cwd, `${marks}.${++made}`)
    residents.set(key, started)
    if (residents.size > mostProcesses) endUnused()
    return started
  }

  function make(
    spec: ResidentSpec,
    call: Call,
    lasting: Readonly<Record<string, string>>,
    wanted: string | undefined,
    mark: string,
  ): Resident {
    const cwd = wanted === undefined || isDirectory(wanted) ? wanted : directoryInstead(call, wanted)
    const env = { ...lasting, [markVariable]: mark, PWD: cwd ?? hostDirectory() }
    const { file, args, missing } = launch(spec, env, cwd)
    if (missing !== undefined)
      call.note(note('shebang-fallback', { interpreter: missing, found: file }, { hook: call.hook.id }))
    return createResident({ file, args, cwd, env, mark }, spec.max_in_flight ?? 32)
  }

  function endUnused(): void {
    for (const [key, resident] of [...residents].slice(0, -1)) {
      if (residents.size <= mostProcesses) return
      if (resident.isIdle()) end(key)
    }
  }

  function end(key: string): void {
    const ended = residents
      .get(key)
      ?.close()
      .then(() => void leaving.delete(ended as Promise<void>))
    if (ended) leaving.add(ended)
    residents.delete(key)
  }
}
