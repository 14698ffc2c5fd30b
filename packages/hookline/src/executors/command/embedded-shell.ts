import { type Call, type Executor, note, type WireReply } from '../../core/index.ts'
import { hostDirectory, workingDirectory } from '../environment.ts'
import type { SandboxSpec } from '../sandbox/index.ts'

/**
 * The shell we bring along, for machines that have no POSIX shell (Windows without Unix tools): the sandbox, with the
 * working directory mounted for reading and writing. Loaded when it is first needed.
 */
export function embeddedShell() {
  let sandbox: Promise<Executor<SandboxSpec>> | undefined
  return {
    async run(command: string, call: Call): Promise<WireReply> {
      sandbox ??= import('../sandbox/index.ts').then(({ createSandboxExecutor }) => createSandboxExecutor())
      const detail =
        'this machine has no POSIX shell, so the embedded one runs the command, without programs of the machine'
      call.note(note('sandbox-limit', { detail }, { hook: call.hook.id }))
      const source = workingDirectory(call) ?? hostDirectory()
      const reply = await (await sandbox).run({ command, mounts: [{ source, target: '/workspace', mode: 'rw' }] }, call)
      return reply as WireReply
    },
    async close(): Promise<void> {
      await (await sandbox)?.close?.()
    },
  }
}
