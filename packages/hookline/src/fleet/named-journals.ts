import { createHash } from 'node:crypto'
import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { makeDirectory, ownHome, stateDirectory } from '../platform/index.ts'
import { fleetFiles, machineDirectory, writeWhole } from './place.ts'

/** How many places one user can name: one for each set of variables that their agents are started with. */
const mostNamed = 100
const mostBytes = 10_000

const namesOf = (home: string): string => join(stateDirectory(home, {}), 'journals')

/** The journals that somebody has named, whatever lies there. */
export function namedIn(home: string): string[] {
  try {
    const names = readdirSync(namesOf(home)).slice(0, mostNamed)
    return names.flatMap((name) => pathIn(join(namesOf(home), name)) ?? [])
  } catch {
    return []
  }
}

/** Root reads what a user has written: neither a pipe nor something long keeps it waiting. */
function pathIn(name: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = fstatSync(fd)
    const path = stats.isFile() && stats.size < mostBytes ? readFileSync(fd, 'utf8').trim() : ''
    return isAbsolute(path) ? path : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/**
 * Root's daemon looks for journals in the usual place of each home. Where variables or settings put one elsewhere, whoever
 * writes it names it in that place, once.
 */
export function nameJournal(file: string, { home, managed }: { home?: string; managed?: string } = {}): void {
  if (!existsSync(join(machineDirectory(managed), fleetFiles.enrolment))) return
  nameIn(home ?? ownHome(), file)
}

function nameIn(home: string, file: string): void {
  if (file === join(stateDirectory(home, {}), 'journal.jsonl')) return
  const name = join(namesOf(home), createHash('sha256').update(file).digest('hex').slice(0, 16))
  if (existsSync(name)) return
  try {
    makeDirectory(namesOf(home), 0o700)
    writeWhole(name, `${file}\n`, 0o600)
  } catch {
    // Whoever has no home that can be written has no place in which anybody would look.
  }
}
