/** What a name says about its value. `sure` is false when the name only ends like a credential's. */
export interface Credential {
  readonly type: string
  readonly kind: 'password' | 'secret' | 'token' | 'key' | 'header'
  readonly sure: boolean
}

const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** With one of these in it a name is about something else: a page token, a primary key, a public key, a count of tokens. */
const ELSEWHERE = list(
  `csrf xsrf public publishable pub primary foreign partition sort cache index unique hash shard routing idempotency dedup dedupe row
  column registry hot short shortcut arrow object map lookup group order translation i18n next page previous prev continuation sync cancel
  cancellation pagination resume cursor bos eos pad unk mask cls sep special stop max min total num number count prompt completion used
  remaining limit budget per design site anon anonymous keyboard host known wrong invalid missing forgot bad no without`,
)
/** After the credential word: still the credential. */
const STILL = list(
  `prod production dev development staging stage test live local sandbox main default value val plain plaintext cleartext raw b64 base64 hex
  string str current new old confirm confirmation again repeat secondary v1 v2 v3`,
)
/** After the credential word: something about the credential. */
const ABOUT = list(
  `id ids name names type types file filename path url uri link ref arn length len size ttl expiry expires expiration expire exp at in on
  policy field fields input label hash hashed digest fingerprint count limit min max regex regexp pattern hint placeholder prompt reset version
  status state enabled disabled required manager provider endpoint header prefix suffix format scheme strategy algorithm alg method class service
  store storage dir env var variable column table index map list usage budget window kind mode error errors message msg title description desc
  verifier validator generator factory handler helper util utils rotation age days hours minutes seconds time date created updated strength score
  checker check visible show hide toggle button form page screen view component props event changed change changes required less store auth`,
)
/** Keys that open something, by the word before `key`. */
const OPENING = list(
  `api access secret private priv auth encryption encrypt decryption signing sign signature master account shared service app application admin
  subscription consumer license licence session deploy write hmac aes jwt storage server root security webhook bot recovery crypto cipher client
  wallet deployer signer ssh rsa pgp gpg tls ssl integration project team org rest`,
)
const GLUED_KEY =
  /(?:api|access|secret|private|auth|app|master|signing|encryption|account|subscription|service|admin|license)key$/
const PASSWORD = /(?:password|passwd|passphrase|passcode|passwort|pwd)$/

/** The short names that were read last: a text that mentions a credential once mentions it a thousand times. */
const read = new Map<string, Credential | undefined>()
const mostRead = 256
/** Of a longer name, V8 would keep the text around it. */
const longestRead = 12

/** Reads a name as words (`dbPassword`, `DB_PASSWORD`, `x-api-key`) and says what credential it names, if any. */
export function credentialOf(name: string): Credential | undefined {
  if (name.length > longestRead) return readName(name)
  const known = read.get(name)
  if (known !== undefined || read.has(name)) return known
  if (read.size >= mostRead) read.clear()
  const credential = readName(name)
  read.set(name, credential)
  return credential
}

function readName(name: string): Credential | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/(?<=[a-z]{3})\d{1,3}$/, ''))
  if (words.some((word) => ELSEWHERE.has(word))) return undefined
  if (HEADERS.has(words.join('-'))) return { type: 'authorization', kind: 'header', sure: true }
  for (let i = words.length - 1; i >= 0; i--) {
    const named = namedBy(words[i]!, words[i - 1])
    if (named === undefined) continue
    const after = words.slice(i + 1)
    if (after.some((word) => ABOUT.has(word))) return undefined
    return { ...named, sure: named.sure && after.every((word) => STILL.has(word) || /^\d+$/.test(word)) }
  }
  return undefined
}

const HEADERS = list('authorization proxy-authorization cookie set-cookie x-authorization')

function namedBy(word: string, before: string | undefined): Credential | undefined {
  if (PASSWORD.test(word)) return { type: 'password', kind: 'password', sure: true }
  if (word === 'pass') return { type: 'password', kind: 'password', sure: before !== undefined }
  if (word === 'key') {
    if (before === undefined) return undefined
    const type = before === 'private' || before === 'priv' ? 'private-key' : 'api-key'
    return { type, kind: 'key', sure: OPENING.has(before) }
  }
  if (GLUED_KEY.test(word)) return { type: word === 'privatekey' ? 'private-key' : 'api-key', kind: 'key', sure: true }
  if (word.endsWith('token')) return { type: 'access-token', kind: 'token', sure: true }
  if (word.endsWith('secret') || word === 'credential' || word === 'credentials')
    return { type: 'secret', kind: 'secret', sure: true }
  return undefined
}
