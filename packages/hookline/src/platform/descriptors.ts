/** Files that whoever started this process has left open: what it starts in its turn must not get at them. */
import { openSync, readdirSync, readFileSync } from 'node:fs'

const closesOnExec = 0o2000000
/** A table of descriptors as long as the highest of them is handed over with each start. */
const highest = 4_096

let table: 'pipe' | undefined

/**
 * Pipes for the three descriptors that every program has, and nothing behind all others. What Node opens is closed by
 * itself, and so are inherited ones with low numbers, up to the first gap; the rest is what this is for.
 */
export function pipesOnly(): 'pipe' {
  table ??= tableOf(inheritedDescriptors())
  return table
}

function tableOf(inherited: readonly number[]): 'pipe' {
  if (inherited.length === 0) return 'pipe'
  const nothing = openSync('/dev/null', 'r')
  const each = (at: number): string | number => (at < 3 ? 'pipe' : inherited.includes(at) ? nothing : 'ignore')
  const made = Array.from({ length: Math.max(...inherited) + 1 }, (_, at) => each(at))
  // The types know only one word for all, which says the same about the three that anybody uses.
  return made as unknown as 'pipe'
}

/** Linux says which are handed on; elsewhere nobody is asked. */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((each) => each > 2 && each <= highest && isHandedOn(each))
  } catch {
    return []
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? []
    return (Number.parseInt(flags, 8) & closesOnExec) === 0
  } catch {
    return false
  }
}
