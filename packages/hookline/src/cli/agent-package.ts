import type { ConfigFile } from '../config/index.ts'
import { loadPackage, missingPackage } from '../platform/packages.ts'
import type { Approvable, Approver, Inspection } from '../trust/index.ts'
import type { Command } from './command.ts'

/** What an agent file starts, reaches or allows by itself; approved like a hook. */
export interface FileCapability extends Approvable {
  /** What it does, in words. */
  description: string
}

/** What the command line uses of @hookline/agent. */
export interface AgentPackage {
  commands: Readonly<Record<'run' | 'sessions', () => Promise<{ command: Command }>>>
  renderRehearsalSchema(): object
  /** Of those of these files that are agent files. */
  capabilitiesOfFiles(trust: Approver, files: readonly ConfigFile[], cwd: string): Promise<Inspection<FileCapability>[]>
}

export const loadAgent = (): Promise<AgentPackage> => loadPackage('@hookline/agent', './commands')

/** Without the package no agent file runs, so there is nothing to approve. */
export const hasAgent = (): boolean => missingPackage('@hookline/agent') === undefined
