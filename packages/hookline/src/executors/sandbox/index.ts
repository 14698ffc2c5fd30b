import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { type Call, defineExecutor, type Executor, HookFailure, note, type WireReply } from '../../core/index.ts'
import { callerDirectory } from '../../platform/index.ts'
import { loadSandboxes, requirePackage } from '../packages.ts'
import { type Job, type Outcome, type Sandbox, threads, workspace } from './job.ts'
import { networkPrograms, sandboxPrograms } from './programs.ts'
import { createSessions } from './sessions.ts'
import { sharedFilesOf } from './shared.ts'

const describe = (text: string) => z.describe(text)
const limit = (text: string) => z.optional(z.int().check(z.positive(), describe(text)))
const virtualPath = z
  .string()
  .check(z.regex(/^\/(?!.*(?:\/|^)\.\.?(?:\/|$))[^\0]+$/, 'must be an absolute path without `.` or `..`'))

const mount = z.strictObject({
  source: z
    .string()
    .check(
      z.minLength(1),
      describe("A directory of the host; relative to the hook's `working_dir`, or to the agent's."),
    ),
  target: virtualPath.check(
    z.regex(/^\/(?!(?:bin|dev|proc|run|usr)(?:\/|$))/, 'must leave the directories of the sandbox itself alone'),
    describe('Where the script sees it.'),
  ),
  mode: z.enum(['ro', 'rw']).check(describe('`rw` lets the script change files of the host.')),
})

const limits = z.strictObject({
  commands: limit('Commands run, all in all.'),
  loop_iterations: limit('Rounds of one loop.'),
  call_depth: limit('Functions inside functions.'),
  script_bytes: limit('Length of the script.'),
})

const sandboxSpec = z.strictObject({
  command: z.string().check(z.regex(/\S/, 'must not be blank'), describe('A POSIX shell script.')),
  mounts: z.optional(z.array(mount).check(z.maxLength(16))),
  files: z.optional(
    z.record(virtualPath, z.string()).check(describe('Files that are there when the script starts, by absolute path.')),
  ),
  network: z.optional(
    z.strictObject({
      allow: z
        .array(z.url({ protocol: /^https?$/ }))
        .check(describe('URL prefixes that `curl` may ask. Private addresses are refused all the same.')),
    }),
  ),
  output_limit: limit('Bytes of stdout and stderr together. Default 65536.'),
  limits: z.optional(limits.check(describe('Bounds inside the deadline, such as another system promises.'))),
})

export type SandboxSpec = z.infer<typeof sandboxSpec>

const defaultOutputLimit = 64 * 1024

/**
 * Scripts in a shell of our own, over a virtual file system, in a thread that can be terminated. What scripts of one
 * session write stays for later scripts of that session; what a stopped or failed script wrote does not.
 */
export function createSandboxExecutor(): Executor<SandboxSpec> {
  let opened: Promise<Sandbox> | undefined
  const pool = () => (opened ??= loadSandboxes().then(({ createSandbox }) => createSandbox()))
  const sessions = createSessions()

  return defineExecutor<SandboxSpec>({
    type: 'sandbox',
    contained: true,
    doc: 'A POSIX shell script over a virtual file system, inside this process: no host files, programs or network.',
    spec: sandboxSpec,
    // The script stands in the spec, and programs of the host are out of its reach.
    pins: () => [],
    offers: ({ network }) => (network?.allow.length ? [...sandboxPrograms, ...networkPrograms] : sandboxPrograms),
    concurrency: threads,
    // Whoever runs a hook says what is missing.
    warm: () =>
      void pool().then(
        (sandbox) => sandbox.warm(),
        () => (opened = undefined),
      ),
    ready: () => requirePackage('@hookline/sandbox'),
    async run(spec, call) {
      const session = call.event.payload.session_id
      const job = { ...jobFor(spec, call), kept: sessions.files(session) }
      call.measure({ stdin: Buffer.byteLength(job.stdin) })
      const outcome = await (sharedFilesOf(session)?.run ?? (await pool()).run)(job, call.signal)
      const reply = replyOf(outcome)
      call.measure({ stdout: Buffer.byteLength(reply.stdout), stderr: Buffer.byteLength(reply.stderr) })
      if (outcome.kind === 'done') {
        const forgotten = sessions.keep(session, outcome.changed, outcome.removed)
        if (forgotten > 0)
          call.note(
            note('sandbox-limit', { detail: `the files of ${forgotten} quiet session(s) were dropped to make room` }),
          )
      }
      noteMissingProgram(reply, call)
      return reply
    },
    async close() {
      sessions.clear()
      // What never opened is already the failure of its hook, and needs no closing.
      await (await opened?.catch(() => undefined))?.close()
    },
  })
}

function jobFor(spec: SandboxSpec, call: Call): Omit<Job, 'kept'> {
  const { body, env, payloadVariables, emptyStdin } = call.request()
  const mounts = spec.mounts ?? []
  const payloadPath = `${payloadDirectory(mounts)}/${call.hook.id.replace(/[^\w.-]/g, '_')}-${randomUUID()}.json`
  const base = call.hook.workingDir ?? call.event.payload.cwd ?? callerDirectory()
  return {
    command: spec.command,
    stdin: emptyStdin ? '' : `${body}\n`,
    env: { ...call.hook.env, ...env, [payloadVariables.json]: body, [payloadVariables.path]: payloadPath },
    files: { ...spec.files, [payloadPath]: body },
    payloadPath,
    mounts: mounts.map((mount) => ({ ...mount, source: resolve(base, mount.source) })),
    settings: { limits: spec.limits ?? {}, allow: spec.network?.allow ?? [] },
    outputLimit: Math.min(spec.output_limit ?? call.outputLimit ?? defaultOutputLimit, call.outputLimit ?? Infinity),
  }
}

/** In the workspace, where Everruns has it, unless that is a directory of the host. */
function payloadDirectory(mounts: NonNullable<SandboxSpec['mounts']>): string {
  const directory = `${workspace}/.hooks`
  return mounts.some(({ target }) => `${directory}/`.startsWith(`${target}/`)) ? '/run/hooks' : directory
}

function replyOf(outcome: Outcome): WireReply {
  if (outcome.kind !== 'done')
    throw new HookFailure(
      outcome.kind === 'flooded' ? 'output-limit' : 'exit',
      `The sandbox stopped the script: ${outcome.detail}`,
    )
  const { exit, stdout, stderr } = outcome
  return { kind: 'wire', exit, stdout, stderr }
}

function noteMissingProgram({ exit, stderr }: WireReply, call: Call): void {
  const missing = /^bash: (.+?): (?:command not found|command not available|No such file or directory)/m.exec(
    stderr,
  )?.[1]
  if (missing === undefined || (exit !== 127 && !/command not/.test(stderr))) return
  call.note(note('sandbox-limit', { detail: `there is no \`${missing}\`, since programs of the host are not in it` }))
}
