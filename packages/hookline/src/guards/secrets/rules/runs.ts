import { decodeBase58Check, decodePrintable, isBase32Crc16 } from '../checks/encodings.ts'
import type { Finder } from '../rule.ts'
import { finderOf, type Rule } from '../rule.ts'

/** Formats without a fixed text in them: tried at the start of every long unbroken run of characters. */
export const runs: readonly Rule[] = [
  {
    type: 'discord-bot-token',
    keywords: [],
    pattern: /[MNO][A-Za-z0-9]{22,27}\.[\w-]{6}\.[\w-]{27,45}/,
    // The first part is the bot's numeric id.
    accept: (secret) => /^\d{16,20}$/.test(decodePrintable(secret.slice(0, secret.indexOf('.'))) ?? ''),
  },
  {
    type: 'bitcoin-private-key',
    keywords: [],
    pattern: /(?:5[1-9A-HJ-NP-Za-km-z]{50}|[KLc9][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9+/=_-])/,
    entropy: 4,
    // Main-net keys are known by shape as well: a key with a slip in it is still most of a key.
    accept: (secret) =>
      decodeBase58Check(secret) !== undefined || (/^(?:5.{50}|[KL].{51})$/.test(secret) && /[0-9]/.test(secret)),
  },
  { type: 'mailgun-api-key', keywords: [], pattern: /[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])/ },
  { type: 'stellar-secret-seed', keywords: [], pattern: /S[A-Z2-7]{55}(?![\w+/-])/, accept: isBase32Crc16 },
  { type: 'nats-seed', keywords: [], pattern: /S[UANCOX][A-Z2-7]{56}(?![\w+/-])/, accept: isBase32Crc16 },
  {
    type: 'laravel-api-token',
    keywords: [],
    lead: { of: /[0-9|]/, most: 6 },
    pattern: /\d{1,5}\|[A-Za-z0-9]{40,48}/,
    entropy: 4,
  },
  {
    type: 'vault-token',
    keywords: [],
    lead: { of: /[sbr.]/, most: 2 },
    pattern: /[sbr]\.[A-Za-z0-9]{24}(?![\w.])/,
    entropy: 3.6,
    accept: (secret) => /\d/.test(secret) && /[a-z]/.test(secret.slice(2)) && /[A-Z]/.test(secret),
  },
  { type: 'twitter-bearer-token', keywords: [], pattern: /A{21,22}(?<secret>[A-Za-z0-9%]{60,120})/ },
]

export const runRules: readonly Finder[] = runs.map(finderOf)
