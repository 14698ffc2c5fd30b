import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { HooklineError, note } from '../core/index.ts'
import { newKey } from './new-key.ts'
import { fleetFiles, makeFleetDirectory, modesOf, writeWhole } from './place.ts'

/** What a machine knows of its enrolment. None of it is secret; its key lies beside. Written out: declarations carry none of zod's. */
export interface Enrolment {
  version: 1
  /** Where its server is. */
  server: string
  /** What the server calls it. */
  machine: string
  name: string
  group: string
  enrolled: string
  /** Where its policy lies, if not with the server. */
  policy?: string | undefined
  /** The SHA-256 of the root that it must have. */
  root?: string | undefined
}

const enrolmentShape = z.object({
  version: z.literal(1),
  server: z.string(),
  machine: z.string(),
  name: z.string(),
  group: z.string(),
  enrolled: z.string(),
  policy: z.optional(z.string()),
  root: z.optional(z.string()),
}) satisfies z.ZodMiniType<Enrolment>

export function readEnrolment(directory: string): Enrolment {
  const file = join(directory, fleetFiles.enrolment)
  try {
    return z.parse(enrolmentShape, JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw unusable(file, error)
  }
}

export function writeEnrolment(directory: string, enrolment: Enrolment): void {
  makeFleetDirectory(directory)
  const text = `${JSON.stringify(enrolment, null, 2)}\n`
  writeWhole(join(directory, fleetFiles.enrolment), text, modesOf(directory).file)
}

/** Where its administrator has moved it. All policies are signed: a server chooses among them, and makes none. */
export function joinGroup(directory: string, group: string | undefined): void {
  if (group === undefined || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(group)) return
  const enrolment = readEnrolment(directory)
  if (group !== enrolment.group) writeEnrolment(directory, { ...enrolment, group })
}

/** The machine's key: it never leaves the machine, and only its owner reads it. One that is there from an attempt before is used again. */
export function keyIn(directory: string): KeyObject {
  const file = join(directory, fleetFiles.key)
  if (existsSync(file)) return readKey(directory)
  const privateKey = newKey()
  makeFleetDirectory(directory)
  writeWhole(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600)
  return privateKey
}

export function readKey(directory: string): KeyObject {
  const file = join(directory, fleetFiles.key)
  try {
    return createPrivateKey(readFileSync(file))
  } catch (error) {
    throw unusable(file, error)
  }
}

/** The public half, as JSON (RFC 8037). */
export function publicHalf(key: KeyObject): { kty: string; crv: string; x: string } {
  const { kty, crv, x } = createPublicKey(key).export({ format: 'jwk' })
  return { kty: kty!, crv: crv!, x: x! }
}

/** Nothing of the fleet is left; what says that there is one goes first. */
export function forget(directory: string): void {
  rmSync(join(directory, fleetFiles.enrolment), { force: true })
  rmSync(directory, { recursive: true, force: true })
}

function unusable(file: string, error: unknown): HooklineError {
  const { code, message } = error as NodeJS.ErrnoException
  const detail =
    code === 'ENOENT' ? 'it is not there' : code === 'EACCES' ? 'only its owner may read it' : message.split('\n')[0]!
  return new HooklineError(note('enrolment-unreadable', { file, detail }))
}
