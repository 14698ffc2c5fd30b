import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { HooklineError, note, parseJson } from '../core/index.ts'
import { readPrivate, writePrivate } from '../trust/index.ts'

/** What only the person knows. Kept as a hash that is slow to make, so that reading the file is not enough. */
const shape = z.strictObject({ version: z.literal(1), cost: z.number(), salt: z.string(), hash: z.string() })

const cost = 2 ** 15
export const shortest = 8

export const passphraseFile = (directory: string): string => join(directory, 'passphrase.json')

/** A file that is there and cannot be relied on throws: else breaking it would be as good as knowing it. */
function read(directory: string): z.infer<typeof shape> | undefined {
  const file = passphraseFile(directory)
  const text = readPrivate(file)
  if (text === undefined) return undefined
  const parsed = parseJson(text)
  const checked = parsed.ok ? shape.safeParse(parsed.value) : undefined
  if (!checked?.success) throw new HooklineError(note('passphrase-damaged', { file }))
  return checked.data
}

export const hasPassphrase = (directory: string): boolean => read(directory) !== undefined

export function isPassphrase(directory: string, typed: string): boolean {
  const known = read(directory)
  if (!known) return false
  const hash = Buffer.from(known.hash, 'hex')
  return timingSafeEqual(hash, hashed(typed, Buffer.from(known.salt, 'hex'), known.cost, hash.length))
}

export function setPassphrase(directory: string, typed: string): void {
  const salt = randomBytes(16)
  const hash = hashed(typed, salt, cost, 32)
  const kept = { version: 1, cost, salt: salt.toString('hex'), hash: hash.toString('hex') }
  writePrivate(directory, passphraseFile(directory), `${JSON.stringify(kept)}\n`)
}

const hashed = (typed: string, salt: Buffer, n: number, length: number): Buffer =>
  scryptSync(typed.normalize('NFC'), salt, length, { N: n, r: 8, p: 1, maxmem: 256 * 1024 * 1024 })
