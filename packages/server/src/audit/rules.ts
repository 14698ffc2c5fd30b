import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { configured, inspectHooks, loadHooks, openTrust, placedRules } from 'hookline/internal'
import { calledIn } from '../called-in.ts'
import type { Policies } from '../policy/index.ts'

/** The rules that hold where the server was started: those of the project, its user and the machine, by their ids. */
export async function rulesIn(cwd: string): Promise<string[]> {
  const { files } = await configured(calledIn(cwd), [], { quiet: true, mayBeNone: true })
  if (files.length === 0) return []
  const { inspections } = await inspectHooks(openTrust(), calledIn(cwd), { strict: false, cached: true })
  return placedRules(inspections.map(({ hook }) => hook)).map(({ rule }) => rule.id)
}

/** The rules of the policy that is published here, of all groups: those that its machines have. Nothing of it runs. */
export async function publishedRules(policies: Pick<Policies, 'sources'>): Promise<string[]> {
  const found: string[] = []
  for (const { files } of policies.sources()) {
    // As machines have it: bundles of its own lie beside it.
    const directory = mkdtempSync(join(tmpdir(), 'hookline-policy-'))
    try {
      for (const [path, bytes] of files) {
        mkdirSync(dirname(join(directory, path)), { recursive: true })
        writeFileSync(join(directory, path), bytes)
      }
      const file = join(directory, 'hookline.yaml')
      const { hooks, executors } = await loadHooks({
        files: [{ file, layer: 'session', dialect: 'native' }],
        strict: false,
      })
      await Promise.all(Object.values(executors).map((executor) => executor.close?.()))
      found.push(...placedRules(hooks).map(({ rule }) => rule.id))
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  return [...new Set(found)]
}
