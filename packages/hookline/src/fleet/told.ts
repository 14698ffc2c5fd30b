import { currentIn, policyIn } from './current.ts'
import { lastFailure, openPolicy } from './policy.ts'

/** The header by which a machine says which policy is in force there. */
export const policyHeader = 'hookline-policy'

/** So long, what was found out is good enough for whoever only looks on: verifying takes a few milliseconds. */
const goodMs = 30_000

/**
 * Which policy is in force on this machine, and what is wrong with it, for its server: `7 fine`, `7 refused` (a newer one was
 * not taken), `7 stale`, `0 broken` (what lies here cannot be relied on), `0 none`.
 */
export function openTold(directory: string): () => string {
  let known = { of: '', until: 0, told: '' }
  return () => {
    const current = currentIn(directory)
    const of = `${typeof current === 'string' ? current : current.generation} ${lastFailure(directory)}`
    if (known.of !== of || known.until < Date.now()) known = { of, until: Date.now() + goodMs, told: toldOf(directory) }
    return known.told
  }
}

function toldOf(directory: string): string {
  try {
    const found = policyIn(directory)
    if (found === undefined) return '0 none'
    if ('refused' in found) return '0 broken'
    const { version, notes, until } = openPolicy(found.file)
    const isRefused = notes.some(({ code }) => code === 'fleet-update-refused')
    return `${version} ${isRefused ? 'refused' : until === undefined ? 'stale' : 'fine'}`
  } catch {
    return '0 broken'
  }
}
