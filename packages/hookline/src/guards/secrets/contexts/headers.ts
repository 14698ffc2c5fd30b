import { decodePrintable } from '../checks/encodings.ts'
import { looksRandom } from '../checks/entropy.ts'
import type { Place, Rule } from '../rule.ts'

const precededBy = (pattern: RegExp, reach: number) => (_: string, place: Place) =>
  pattern.test(place.text.slice(Math.max(0, place.start - reach), place.start))

/** Secrets that only their surroundings give away: headers, cookies, addresses, command lines, key files. */
export const contextRules: readonly Rule[] = [
  {
    type: 'basic-auth',
    keywords: ['basic '],
    pattern: /basic[ \t]{1,4}(?<secret>[A-Za-z0-9+/_-]{8,2048}={0,2})/i,
    glued: true,
    accept: (secret) => /^[^:]*:./.test(decodePrintable(secret) ?? ''),
  },
  {
    type: 'authorization',
    keywords: ['authorization'],
    pattern:
      /authorization(?:\\{0,3}["'`])?\]?[ \t]{0,4}(?::|=|,|=>|%3A)[ \t]{0,4}(?:\\{0,3}["'`])?(?:(?:bearer|token|apikey|api-key|key|bot|oauth|ssws|splunk|genie-?key|zoho-oauthtoken|basic|user|jwt|hmac|negotiate|digest)[ \t:=]{1,4})?(?<secret>(?!AWS4|bearer|basic|token|negotiate|digest)[^\s"'`\\,;<>(){}$]{8,4096})/i,
    glued: true,
    accept: (secret) => /[0-9]/.test(secret) || looksRandom(secret, 16),
  },
  {
    type: 'bearer-token',
    keywords: ['bearer'],
    pattern: /bearer(?:[ \t]{1,4}|%20|\+)(?<secret>[A-Za-z0-9._~+/-]{16,4096}={0,2})/i,
    glued: true,
    accept: (secret) => looksRandom(secret, 16),
  },
  {
    type: 'session-cookie',
    keywords: ['sess', 'sid', 'auth', 'token', 'remember', 'jwt'],
    pattern: /[\w.-]{2,40}=(?<secret>[^;\s"'\\,&=]{16,2048}={0,2})/,
    glued: true,
    accept: precededBy(
      /cookie(?:\\{0,3}["'])?[ \t]{0,4}[:=,][^\n]{0,2048}$|(?:\s-b|--cookie)[ =][^\n]{0,2048}$/i,
      2_048,
    ),
  },
  {
    type: 'url-password',
    keywords: ['://'],
    pattern: /:\/\/[^\s:/@?#"'`<>\\]{0,128}:(?<secret>[^\s/?#"'`<>\\]{3,256})(?=@)/,
    glued: true,
    entropy: 1.5,
    accept: (secret, { text, start }) =>
      !text.startsWith(`//${secret}:`, start - secret.length - 3) && !/^\d{1,5}$/.test(secret),
  },
  {
    type: 'url-password',
    keywords: ['jdbc:oracle:'],
    pattern: /jdbc:oracle:[a-z]{3,4}:[\w$#]{1,64}\/(?<secret>[^\s@"'`\\]{3,128})(?=@)/i,
    entropy: 1.5,
  },
  {
    type: 'url-token',
    keywords: ['sig=', 'signature=', 'key=', 'auth=', 'code=', 'apikey=', 'hmac='],
    pattern: /\w{3,9}=(?<secret>[A-Za-z0-9%+/_.~-]{24,1024}={0,2})/i,
    glued: true,
    accept: (secret, place) =>
      /[?&](?:[\w-]{0,16}[_-])?(?:sig|signature|key|auth|code|apikey|hmac)=$/i.test(
        place.text.slice(Math.max(0, place.start - 32), place.start),
      ) &&
      looksRandom(secret, 24) &&
      /[A-Z]/.test(secret),
  },
  {
    type: 'registry-auth',
    keywords: ['auth"', 'auth\\"', '_auth'],
    pattern: /_?auth(?:\\{0,3}")?[ \t]{0,4}[:=][ \t]{0,4}(?:\\{0,3}")?(?<secret>[A-Za-z0-9+/]{8,2048}={0,2})/,
    glued: true,
    accept: (secret) => /^[^:]*:./.test(decodePrintable(secret) ?? ''),
  },
  {
    type: 'npm-auth-token',
    keywords: ['_authToken'],
    pattern: /_authToken[ \t]{0,4}=[ \t]{0,4}"?(?<secret>[^\s"'$\\]{16,512})/,
    glued: true,
  },
  {
    type: 'command-line-password',
    keywords: ['curl '],
    pattern: /curl [^\n|;]{0,512}?(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"'$]{1,64}:(?<secret>[^\s"'\\$]{3,128})/,
    entropy: 1.5,
  },
  {
    type: 'command-line-password',
    keywords: ['mysql', 'sshpass', 'mariadb'],
    pattern:
      /(?:mysql(?:dump|admin)?|mariadb|sshpass)[^\n|;]{0,256}?[ \t]-p ?["']?(?<secret>[^\s"'\\$/-][^\s"'\\$]{4,128})/,
    entropy: 1.5,
    accept: (secret) => /[0-9!@#%^&*+]/.test(secret),
  },
  {
    type: 'command-line-password',
    keywords: ['docker login', 'podman login', 'registry login'],
    pattern: /(?:docker|podman|registry) login [^\n|;]{0,256}?[ \t]-p[ =]?["']?(?<secret>[^\s"'\\$]{6,256})/,
    entropy: 2,
    accept: (secret) => /[0-9]/.test(secret),
  },
  {
    type: 'password',
    keywords: ['password '],
    pattern: /password[ \t]{1,4}(?<secret>[^\s"'`\\]{3,128})/,
    entropy: 1.5,
    accept: (secret, place) =>
      /(?:^|\s)(?:login|account)\s+\S{1,128}\s+password[ \t]+$/.test(
        place.text.slice(Math.max(0, place.start - 256), place.start),
      ) && secret !== 'password',
  },
  {
    type: 'jwk-private-key',
    keywords: ['"d"', '\\"d\\"'],
    pattern: /\\{0,3}"d\\{0,3}"[ \t]?:[ \t]?\\{0,3}"(?<secret>[A-Za-z0-9_-]{32,2048})/,
    accept: (_, { text, start, end }) => {
      const lineEnd = text.indexOf('\n', end)
      const after = text.slice(end, Math.min(end + 2_048, lineEnd === -1 ? text.length : lineEnd))
      return /"kty\\{0,3}"/.test(text.slice(Math.max(0, start - 2_048), start)) || /"kty\\{0,3}"/.test(after)
    },
  },
  {
    type: 'evm-private-key',
    keywords: ['private', 'priv_key', 'privkey', 'secret key'],
    pattern: /(?:private|secret|priv)[ _-]?key[^\w\n]{1,6}(?:is[^\w\n]{1,4})?(?<secret>(?:0x)?[0-9a-fA-F]{64})/i,
    glued: true,
  },
  {
    type: 'wireguard-private-key',
    keywords: ['PrivateKey', 'PresharedKey'],
    pattern: /(?:PrivateKey|PresharedKey)[ \t]{0,4}=[ \t]{0,4}(?<secret>[A-Za-z0-9+/]{43}=)/,
    glued: true,
  },
]
