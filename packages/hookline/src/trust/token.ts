import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { readPrivate, writePrivate } from './approvals.ts'

/** For approving where there is no terminal. Only its hash is kept, so that reading the file is not enough to approve. */
export function makeToken(directory: string): string {
  const token = randomBytes(24).toString('base64url')
  writePrivate(directory, fileIn(directory), `${hashed(token).toString('hex')}\n`)
  return token
}

export function isToken(directory: string, token: string | undefined): boolean {
  const kept = readPrivate(fileIn(directory))?.trim()
  if (!token || !kept || !/^[0-9a-f]{64}$/.test(kept)) return false
  return timingSafeEqual(Buffer.from(kept, 'hex'), hashed(token))
}

const fileIn = (directory: string): string => join(directory, 'approve-token')
const hashed = (token: string): Buffer => createHash('sha256').update(token).digest()
