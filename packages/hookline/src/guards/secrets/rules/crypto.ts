import { decodeBase64, decodePrintable, isBech32 } from '../checks/encodings.ts'
import type { Rule } from '../rule.ts'

/** Keys of wallets, of people and of sessions: the formats that no one provider owns. */
export const crypto: readonly Rule[] = [
  {
    type: 'jwt',
    keywords: ['eyJ', 'ewogI', 'ewoJI'],
    pattern:
      /e[wy][A-Za-z0-9_-]{14,800}\.[A-Za-z0-9_-]{0,4000}\.[A-Za-z0-9_-]{10,4000}(?:\.[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000})?/,
    accept: (secret) => isJoseHeader(secret.slice(0, secret.indexOf('.'))),
  },
  {
    type: 'jwt',
    keywords: ['ZXlK'],
    pattern: /ZXlK[A-Za-z0-9+/_-]{60,8000}={0,2}/,
    accept: (secret) => {
      const inner = decodePrintable(secret)
      return (
        inner !== undefined &&
        /^eyJ[\w-]+\.[\w-]*\.[\w-]*$/.test(inner) &&
        isJoseHeader(inner.slice(0, inner.indexOf('.')))
      )
    },
  },
  {
    type: 'age-secret-key',
    keywords: ['AGE-SECRET-KEY-'],
    pattern: /AGE-SECRET-KEY-(?:PQ-)?1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{50,64}/i,
  },
  {
    type: 'extended-private-key',
    keywords: ['xprv', 'yprv', 'zprv', 'tprv', 'uprv', 'vprv'],
    pattern: /[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}/,
  },
  { type: 'nostr-private-key', keywords: ['nsec1'], pattern: /nsec1[02-9ac-hj-np-z]{58}/, accept: isBech32 },
  {
    type: 'sui-private-key',
    keywords: ['suiprivkey1'],
    pattern: /suiprivkey1[02-9ac-hj-np-z]{58,64}/,
    accept: isBech32,
  },
  {
    type: 'cardano-private-key',
    keywords: ['ed25519_sk1', 'ed25519e_sk1', 'addr_sk1', 'root_xsk1'],
    pattern: /(?:ed25519e?_sk|addr_sk|root_xsk)1[02-9ac-hj-np-z]{58,220}/,
  },
  {
    type: 'aptos-private-key',
    keywords: ['ed25519-priv-0x', 'secp256k1-priv-0x'],
    pattern: /(?:ed25519|secp256k1)-priv-0x[0-9a-fA-F]{64}/,
  },
  { type: 'near-private-key', keywords: ['ed25519:'], pattern: /ed25519:[1-9A-HJ-NP-Za-km-z]{80,90}/ },
  {
    type: 'tezos-private-key',
    keywords: ['edsk', 'spsk', 'p2sk'],
    pattern: /(?:edsk|spsk|p2sk)[1-9A-HJ-NP-Za-km-z]{50,94}/,
  },
  {
    type: 'solana-private-key',
    keywords: ['private', 'secret', 'solana', 'phantom', 'keypair', 'wallet'],
    pattern: /\w{6,7}[\w -]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[1-9A-HJ-NP-Za-km-z]{86,90})/i,
  },
  {
    type: 'ripple-secret',
    keywords: ['xrp', 'ripple', 'xrpl', 'master_seed'],
    pattern:
      /(?:xrpl?|ripple|master_seed)[\w -]{0,24}["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>s(?:Ed)?[1-9A-HJ-NP-Za-km-z]{26,30})/i,
  },
  { type: 'minisign-secret-key', keywords: ['RWRTY0Iy'], pattern: /RWRTY0Iy[A-Za-z0-9+/]{180,220}={0,2}/ },
  {
    type: 'ethereum-node-key',
    keywords: ['.infura.io/v3/', '.alchemy.com/v2/', '.quiknode.pro/'],
    pattern: /\.(?:infura\.io\/v3|alchemy\.com\/v2|quiknode\.pro)\/(?<secret>[\w-]{32,64})/,
    glued: true,
  },
  {
    type: 'ssh-private-key',
    keywords: ['b3BlbnNzaC1rZXktdjE'],
    pattern: /b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{60,8000}={0,2}/,
    glued: true,
  },
]

/** RFC 7515: the header is JSON and names an algorithm. An unsigned token is no credential. */
function isJoseHeader(part: string): boolean {
  const decoded = decodeBase64(part)
  if (decoded === undefined) return false
  const algorithm = /"(?:alg|enc)"\s*:\s*"([^"]{1,32})"/.exec(decoded)?.[1]
  if (algorithm === undefined) return /^\{[\s\S]*"typ"\s*:/.test(decoded)
  return decoded.trimStart().startsWith('{') && algorithm.toLowerCase() !== 'none'
}
