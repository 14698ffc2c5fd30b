import { statSync } from 'node:fs'
import { home, type Job, type SandboxSettings as Settings, sandboxPrograms, workspace } from 'hookline/internal'
import {
  Bash,
  type BashOptions,
  type CommandName,
  InMemoryFs,
  MountableFs,
  OverlayFs,
  ReadWriteFs,
  type SecureFetch,
} from 'just-bash'
import { countCodePoints } from './jq.ts'

/** A fresh shell, and its in-memory files. */
export interface Shell {
  bash: Bash
  files: InMemoryFs
}

const MiB = 1024 * 1024

/**
 * Memory limits are just-bash's hardened ones. Work limits are wider: the thread can be terminated at any time, so they
 * only keep a script from filling the memory. The engine sets the deadline.
 */
const bounds = {
  maxCommandCount: 100_000,
  maxLoopIterations: 100_000,
  maxAwkIterations: 1_000_000,
  maxSedIterations: 1_000_000,
  maxJqIterations: 1_000_000,
  maxQueryElements: 1_000_000,
  maxWorkUnits: 10_000_000,
  maxFileSystemBytes: 16 * MiB,
  maxStringLength: 16 * MiB,
  maxOutputSize: 64 * MiB, // counts what flows through pipes and into files too
  maxExecutionTimeMs: 3_600_000,
} satisfies BashOptions['executionLimits']

/** Without sqlite3, which starts a thread of its own, whose memory nothing bounds. */
const commands = [...sandboxPrograms] as CommandName[]

export function makeShell(settings: Settings): Shell {
  const files = new InMemoryFs({}, { maxTotalBytes: bounds.maxFileSystemBytes })
  for (const directory of [workspace, home, '/tmp']) files.mkdirSync(directory, { recursive: true })
  return { bash: makeBash(files, settings), files }
}

/** The same shell with directories of the host mounted. just-bash creates /bin only in its own kind of file system, so mounts come after. */
export function withMounts(shell: Shell, mounts: Job['mounts'], settings: Settings): Bash {
  if (mounts.length === 0) return shell.bash
  const fs = new MountableFs({ base: shell.files })
  for (const { source, target, mode } of mounts) {
    if (!statSync(source, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`${source}, to be seen at ${target}, is not a directory of the host`)
    fs.mount(
      target,
      mode === 'rw'
        ? new ReadWriteFs({ root: source })
        : new OverlayFs({ root: source, mountPoint: '/', readOnly: true }),
    )
  }
  return makeBash(fs, settings)
}

function makeBash(fs: InMemoryFs | MountableFs, { limits, allow }: Settings): Bash {
  const bash = new Bash({
    fs,
    cwd: workspace,
    commands,
    // It patches the globals of the whole thread, triples the cost of a run, and the thread has nothing to protect.
    defenseInDepth: false,
    executionLimitProfile: 'hardened',
    executionLimits: {
      ...bounds,
      ...(limits.commands ? { maxCommandCount: limits.commands } : {}),
      ...(limits.loop_iterations ? { maxLoopIterations: limits.loop_iterations } : {}),
      ...(limits.call_depth ? { maxCallDepth: limits.call_depth } : {}),
      ...(limits.script_bytes ? { maxSourceBytes: limits.script_bytes } : {}),
    },
    ...(allow.length > 0 ? { fetch: fetchBelow(allow) } : {}),
    env: { HOME: home, USER: 'agent', LOGNAME: 'agent', SHELL: '/bin/sh', HOSTNAME: 'sandbox', WORKSPACE: workspace },
  })
  countCodePoints(bash)
  return bash
}

/** Without it there is no `curl`. Loaded when it is first used: most scripts have no network. */
function fetchBelow(allow: readonly string[]): SecureFetch {
  return async (url, options) => (await import('./fetch.ts')).fetchAllowed(allow, url, options)
}
