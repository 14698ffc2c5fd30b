/** One thing in a virtual file system. */
export type Entry =
  | { kind: 'file'; content: Uint8Array; mode: number }
  | { kind: 'directory'; mode: number }
  | { kind: 'symlink'; target: string }

/** Absolute path → what is there; parents before children. */
export type Tree = Map<string, Entry>

/** What a worker gets. It keeps nothing between jobs: whatever lasts is sent along and sent back. */
export interface Job {
  command: string
  stdin: string
  env: Record<string, string>
  /** There when the script starts. */
  files: Record<string, string>
  /** The one of them that is gone when the script has ended. */
  payloadPath?: string
  /** Where the script starts; the workspace, if it does not say. */
  cwd?: string
  /** What earlier jobs of the session have left. */
  kept: ReadonlyMap<string, Entry>
  mounts: readonly { source: string; target: string; mode: 'ro' | 'rw' }[]
  settings: Settings
  outputLimit: number
}

/** Bounds that a script may be given inside its deadline. */
export const boundNames = ['commands', 'loop_iterations', 'call_depth', 'script_bytes'] as const

/** What a shell is made for. Jobs with equal settings can be prepared for. */
export interface Settings {
  limits: { [bound in (typeof boundNames)[number]]?: number | undefined }
  allow: readonly string[]
}

/** The first message of a worker. Every later one is the outcome of a job. */
export const ready = 'ready'

/** What a worker answers. */
export type Outcome =
  | { kind: 'done'; exit: number; stdout: string; stderr: string; changed: Tree; removed: string[] }
  | { kind: 'flooded' | 'stopped'; detail: string }

export const workspace = '/workspace'
export const home = '/home/agent'

/** Threads of one sandbox. */
export const threads = 2

/**
 * A few threads, one job at a time each. An abort terminates the thread that has the job and no other: the rest of the
 * jobs do not notice.
 */
export interface Pool<J, O> {
  warm(): void
  run(job: J, signal: AbortSignal): Promise<O>
  close(): Promise<void>
}

/** Runs scripts in a shell of our own over virtual files; @hookline/sandbox makes it. */
export type Sandbox = Pool<Job, Outcome>
