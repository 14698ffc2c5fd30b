import { interpreterNames, wrapperNames } from '../../../shell/index.ts'
import type { Call, Danger } from '../types.ts'
import { agents } from './agents.ts'
import { cloud } from './cloud.ts'
import { containers } from './containers.ts'
import { databases } from './databases.ts'
import { editors } from './editors.ts'
import { files } from './files.ts'
import { git } from './git.ts'
import { network } from './network.ts'
import { compileRules, judgeByRules, type Rules } from './rules.ts'
import { system } from './system.ts'
import { windows } from './windows.ts'

let compiled: Rules | undefined

/** Compiled on first use: a process that never judges a command pays nothing. */
function rules(): Rules {
  compiled ??= compileRules([files, git, containers, cloud, databases, network, system, editors, agents, windows])
  return compiled
}

export function judge(call: Call): Danger[] {
  // mkfs.ext4, mkfs.xfs …: one program under many names.
  const name = call.name.startsWith('mkfs.') ? 'mkfs' : call.name
  return judgeByRules(rules(), name === call.name ? call : { ...call, name })
}

/** Every name that means something here, for names written as globs. */
export function knownPrograms(): string[] {
  return [...new Set([...rules().programs(), ...wrapperNames(), ...interpreterNames()])]
}
