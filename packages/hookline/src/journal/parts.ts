import { closeSync, existsSync, openSync, readdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Genesis, readGenesis } from './tail.ts'

/** One file of a rotated journal: the current one, or `<file>.<number>`. */
export interface Part {
  file: string
  genesis: Genesis
}

/** The rotated parts beside a file, oldest first. Order is told by their content: other programs number differently. */
export function rotatedParts(file: string): Part[] {
  const prefix = `${basename(file)}.`
  return namesBeside(file)
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => readPart(join(dirname(file), name)))
    .filter((part) => part !== undefined)
    .sort((a, b) => a.genesis.seq - b.genesis.seq)
}

/** All files of the log that `file` belongs to, oldest first; `file` itself last, whatever is in it. */
export function partsOf(file: string): string[] {
  const current = readPart(file)
  const older = rotatedParts(file).filter((part) => !current || part.genesis.log === current.genesis.log)
  return [...older.map((part) => part.file), ...(current || existsSync(file) || older.length === 0 ? [file] : [])]
}

/** A name for a file that is rotated away, and its number. */
export function freePart(file: string, from: number): { file: string; part: number } {
  let part = from
  while (existsSync(`${file}.${part}`)) part++
  return { file: `${file}.${part}`, part }
}

export function removeOldParts(file: string, log: string, keep: number): void {
  const parts = rotatedParts(file).filter((part) => part.genesis.log === log)
  for (const part of parts.slice(0, Math.max(0, parts.length - keep))) unlinkSync(part.file)
}

function namesBeside(file: string): string[] {
  try {
    return readdirSync(dirname(file))
  } catch {
    return []
  }
}

function readPart(file: string): Part | undefined {
  let fd: number | undefined
  try {
    fd = openSync(file, 'r')
    const genesis = readGenesis(fd)
    return genesis && { file, genesis }
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
