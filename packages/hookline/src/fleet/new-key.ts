import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

/**
 * A private key, Ed25519, by way of its bytes: to export a key that Node made itself may stand still for ever. Export holds the lock of the key while it
 * allocates; when that collects what is left of the making, its end waits for the same lock (seen in Node 20.20).
 */
export function newKey(): KeyObject {
  const { privateKey: key } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  return createPrivateKey({ key, type: 'pkcs8', format: 'der' })
}
