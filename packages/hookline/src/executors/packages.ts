import { HookFailure } from '../core/index.ts'
import type { Connections } from '../platform/http/index.ts'
import { loadPackage, missingPackage, type OwnPackage } from '../platform/index.ts'
import type { Question } from './model/endpoint.ts'
import type { Sandbox } from './sandbox/job.ts'

/** What executors use of our other packages. Their specs, checks and pins are here; only running loads a package. */
interface Models {
  askModel(question: Question, connections: Connections): Promise<string>
}
interface Sandboxes {
  createSandbox(): Sandbox
}

export const loadModels = (): Promise<Models> => load('@hookline/agent', './judge')
export const loadSandboxes = (): Promise<Sandboxes> => load('@hookline/sandbox')

/** Throws the failure that says what to install. */
export function requirePackage(name: OwnPackage): void {
  const missing = missingPackage(name)
  if (missing) throw new HookFailure('spawn', `${missing.message} ${missing.remedy}`)
}

async function load<T>(name: OwnPackage, entry?: string): Promise<T> {
  requirePackage(name)
  return loadPackage<T>(name, entry)
}
