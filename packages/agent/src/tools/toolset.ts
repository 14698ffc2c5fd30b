import type { Note } from 'hookline/internal'
import type * as z from 'zod/mini'
import type { Tool } from '../tool.ts'
import type { AnyTool } from './define.ts'
import type { SandboxSession } from './sandbox.ts'

/** One kind of toolset that an agent file may name. Its options are docker-agent's. */
export interface Toolset<O extends z.ZodMiniObject = z.ZodMiniObject> {
  doc: string
  options: O
  /** Its tools, for the reference; absent where they are known only when it is opened. */
  tools?: readonly Pick<AnyTool<never>, 'name' | 'description'>[]
  /** Those it has in the sandbox instead. */
  sandboxed?: readonly Pick<AnyTool<never>, 'name' | 'description'>[]
  /** Why it cannot be had in the sandbox, for those that work on the machine itself. */
  outsideOnly?: string
  open(options: z.output<O>, world: World): Promise<OpenToolset> | OpenToolset
}

export const defineToolset = <O extends z.ZodMiniObject>(toolset: Toolset<O>): Toolset<O> => toolset

export interface OpenToolset {
  /** May change while it is open. */
  tools: readonly Tool[]
  close?(): Promise<void>
}

/** Where tools are opened. */
export interface World {
  agent: string
  /** The workspace, with symlinks resolved. */
  cwd: string
  home: string
  env: Readonly<Record<string, string | undefined>>
  /** Variables that commands do not get: keys of models and channels. */
  secrets: readonly string[]
  /** Directories outside of the workspace that may be read. */
  readable: readonly string[]
  /** Where toolsets keep what outlives a session. */
  dataDir: string
  /** Whether toolsets may be allowed to reach this machine and private networks at all. */
  allowLocal: boolean
  /**
   * Why this toolset may not start its program now, or this command line of several, if so: asked each time it would, since
   * what it runs may have changed.
   */
  mayNotStart(command?: string): string | undefined
  sandbox: SandboxSession | undefined
  /** The same object for every agent of one session: what they share hangs on it. */
  session: object
  tell(note: Note): void
}
