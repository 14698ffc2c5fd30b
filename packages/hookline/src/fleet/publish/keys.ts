import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  scryptSync,
  sign,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { canonicalize } from '@tufjs/canonical-json'
import * as z from 'zod/mini'
import { HooklineError, note } from '../../core/index.ts'
import { newKey } from '../new-key.ts'
import { writeWhole } from '../place.ts'

/** A public key as TUF has it. */
export interface PublicKey {
  keytype: 'ed25519'
  scheme: 'ed25519'
  keyval: { public: string }
}

/** Signs for one key. */
export interface Signer {
  id: string
  key: PublicKey
  sign(bytes: Uint8Array): string
}

/** A private key on the disk: as it is, or under a passphrase (scrypt, AES-256-GCM). */
const keyFile = z.object({
  version: z.literal(1),
  public: z.string(),
  private: z.union([
    z.object({ pkcs8: z.string() }),
    z.object({ salt: z.string(), iv: z.string(), tag: z.string(), sealed: z.string() }),
  ]),
})

/** A quarter of a second and 128 MB for each guess. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

/** Makes a key and writes it, for its owner alone. Without a passphrase, whoever reads the file signs. */
export function makeKey(file: string, passphrase: string | undefined): Signer {
  const privateKey = newKey()
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  const kept = {
    version: 1,
    public: hexOf(privateKey),
    private: passphrase === undefined ? { pkcs8: pkcs8.toString('base64') } : seal(pkcs8, passphrase),
  }
  writeWhole(file, `${JSON.stringify(kept, null, 2)}\n`, 0o600)
  return signerOf(privateKey)
}

/** The name of the key in this file, whose public half anybody can read; undefined: it is none. */
export function idOfKey(file: string): string | undefined {
  try {
    const { public: half } = z.parse(keyFile, JSON.parse(readFileSync(file, 'utf8')))
    return idOf({ keytype: 'ed25519', scheme: 'ed25519', keyval: { public: half } })
  } catch {
    return undefined
  }
}

/** `passphrase` is called where the key has one. */
export async function openKey(file: string, passphrase: (file: string) => Promise<string>): Promise<Signer> {
  const wrong = (detail: string, fix: string) => new HooklineError(note('policy-wrong', { detail, fix }))
  let kept: z.infer<typeof keyFile>
  try {
    kept = z.parse(keyFile, JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw wrong(
      `The key ${file} cannot be read: ${code ?? message.split('\n')[0]}.`,
      'Name another with `--key <file>`.',
    )
  }
  if ('pkcs8' in kept.private) return signerOf(fromDer(Buffer.from(kept.private.pkcs8, 'base64')))
  const given = await passphrase(file)
  try {
    return signerOf(fromDer(unseal(kept.private, given)))
  } catch {
    throw wrong(`This is not the passphrase of ${file}.`, 'Try again; there is no way around it.')
  }
}

/** The key's name, from its public half alone. */
export const idOf = (key: PublicKey): string =>
  createHash('sha256')
    .update(canonicalize(key as never))
    .digest('hex')

function signerOf(privateKey: KeyObject): Signer {
  const key: PublicKey = { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: hexOf(privateKey) } }
  return { id: idOf(key), key, sign: (bytes) => sign(null, bytes, privateKey).toString('hex') }
}

const hexOf = (key: KeyObject): string =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url').toString('hex')

const fromDer = (key: Buffer): KeyObject => createPrivateKey({ key, format: 'der', type: 'pkcs8' })

function seal(bytes: Buffer, passphrase: string) {
  const [salt, iv] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', scryptSync(passphrase, salt, 32, cost), iv)
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()])
  const [s, i, t, b] = [salt, iv, cipher.getAuthTag(), sealed].map((each) => each.toString('base64'))
  return { salt: s!, iv: i!, tag: t!, sealed: b! }
}

function unseal(kept: { salt: string; iv: string; tag: string; sealed: string }, passphrase: string): Buffer {
  const of = (text: string) => Buffer.from(text, 'base64')
  const key = scryptSync(passphrase, of(kept.salt), 32, cost)
  const decipher = createDecipheriv('aes-256-gcm', key, of(kept.iv)).setAuthTag(of(kept.tag))
  return Buffer.concat([decipher.update(of(kept.sealed)), decipher.final()])
}
