import { interpreterNames, wrapperNames } from '../../../shell/index.ts'
import type { Call, Danger } from '../types.ts'
import { agents } from './agents.ts'
import { attacks } from './attacks.ts'
import { cloud } from './cloud.ts'
import { containers } from './containers.ts'
import { databases } from './databases.ts'
import { devices } from './devices.ts'
import { editors } from './editors.ts'
import { exposure } from './exposure.ts'
import { files } from './files.ts'
import { sparedForTests } from './for-tests.ts'
import { forges } from './forges.ts'
import { git } from './git.ts'
import { ledgers } from './ledgers.ts'
import { network } from './network.ts'
import { processes } from './processes.ts'
import { compileRules, judgeByRules, type Rules } from './rules.ts'
import { runners } from './runners.ts'
import { servers } from './servers.ts'
import { isService, judgeVerbs, servicePrograms } from './services.ts'
import { system } from './system.ts'
import { versions } from './versions.ts'
import { windows } from './windows.ts'

let compiled: Rules | undefined

/** Compiled on first use: a process that never judges a command pays nothing. */
function rules(): Rules {
  compiled ??= compileRules([
    files,
    git,
    versions,
    runners,
    containers,
    cloud,
    forges,
    ledgers,
    devices,
    databases,
    network,
    servers,
    system,
    processes,
    attacks,
    exposure,
    editors,
    agents,
    windows,
  ])
  return compiled
}

export function judge(call: Call): Danger[] {
  // mkfs.ext4, mkfs.xfs …: one program under many names.
  const name = call.name.startsWith('mkfs.') ? 'mkfs' : call.name
  const dangers = sparedForTests(judgeByRules(rules(), name === call.name ? call : { ...call, name }), call)
  return dangers.length > 0 || isKnownWell(name) ? dangers : judgeVerbs(call)
}

/** What has rows of its own, or runs other programs, is judged by that and not by the looks of its words. */
function isKnownWell(name: string): boolean {
  const { patterns, judges } = rules().of(name)
  wellKnown ??= new Set([...wrapperNames(), ...interpreterNames()])
  return !isService(name) && (patterns.length > 0 || judges.length > 0 || wellKnown.has(name))
}

let wellKnown: ReadonlySet<string> | undefined

/** Every name that means something here, for names written as globs. */
export function knownPrograms(): string[] {
  return [...new Set([...rules().programs(), ...servicePrograms(), ...wrapperNames(), ...interpreterNames()])]
}
