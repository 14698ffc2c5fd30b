import { describe, expect, it } from 'vitest'
import { createRedactor, findSecrets, redactText, redactValue } from '../../src/guards/secrets/index.ts'
import { BASE64, base64, HEX, jwt, pem, pick, randomFrom, WORD } from './secrets-samples.ts'

const random = randomFrom(20260301)
const hex = (length: number): string => pick(random, length, HEX)
const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join('-')
const githubToken = (): string => `ghp_${pick(random, 36)}`
const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const byteArray = (): number[] => Array.from({ length: 64 }, (_, i) => (i * 67 + 13) % 256)

const shellReference = (name: string): string => `$\{${name}}`

const redact = (text: string): string => redactText(text).redacted
const kept = (text: string): void => {
  expect(redact(text)).toBe(text)
}

describe('what is replaced', () => {
  it.each([16, 24, 40, 93, 140])('is a key of a documented prefix, whatever its length: %i', (length) => {
    const key = `sk-ant-api03-${pick(random, length)}`
    expect(redact(`use ${key} now`)).toBe('use [REDACTED:anthropic-api-key] now')
    kept('sk-ant-api03-your-key-here, sk-ant-api03-xxxxxxxxxxxxxxxxxxxx')
  })

  it('reports the type and the offsets of the token', () => {
    const token = githubToken()
    expect(findSecrets(`use ${token} now`)).toEqual([{ type: 'github-token', start: 4, end: 44 }])
    expect(redact(`use ${token} now`)).toBe('use [REDACTED:github-token] now')
  })

  it('replaces only the password of an address', () => {
    expect(redact(`postgresql://app:${pick(random, 20)}@db.test:5432/x`)).toBe(
      'postgresql://app:[REDACTED:url-password]@db.test:5432/x',
    )
    expect(redact(`redis://:${pick(random, 20)}@cache.test`)).toBe('redis://:[REDACTED:url-password]@cache.test')
    expect(redact(`https://bob:p@${pick(random, 9)}@host.test/x`)).toBe(
      'https://bob:[REDACTED:url-password]@host.test/x',
    )
  })

  it('replaces only the password of a connection string', () => {
    expect(redact(`Server=db;User ID=sa;Password=${pick(random, 14)}9;Encrypt=true`)).toBe(
      'Server=db;User ID=sa;Password=[REDACTED:password];Encrypt=true',
    )
  })

  it.each([
    ['Authorization: Bearer ', '', pick(random, 40)],
    ['curl -H "X-API-Key: ', '" https://a.test', pick(random, 32)],
    ['DATABASE_PASSWORD=', '', pick(random, 20)],
    ['{"client_secret": "', '"}', pick(random, 32, WORD)],
    ['const apiKey: string = "', '"', pick(random, 32)],
    ['<password>', '</password>', `${pick(random, 12)}7`],
    ['tool --token ', ' --verbose', pick(random, 30)],
    ['https://a.test/x?access_token=', '&page=2', pick(random, 40)],
    ['next=https%3A%2F%2Fa.test%3Ftoken%3D', '%26x', pick(random, 30)],
    ['private key is ', '.', `0x${hex(64)}`],
  ])('replaces the value and keeps what names it: %s', (before, after, secret) => {
    const result = redact(before + secret + after)
    expect(result.startsWith(before)).toBe(true)
    expect(result.endsWith(after)).toBe(true)
    expect(result).not.toContain(secret)
  })

  it('names a span after the most specific rule', () => {
    expect(redact(`password=${githubToken()}`)).toBe('password=[REDACTED:github-token]')
  })
})

describe('structure', () => {
  it('takes a seed phrase by its checksum, not by its shape', () => {
    expect(redact(`my words: ${PHRASE}`)).toBe('my words: [REDACTED:seed-phrase]')
    expect(redact(JSON.stringify(PHRASE.split(' ')))).toBe('["[REDACTED:seed-phrase]"]')
    expect(
      redact(
        PHRASE.split(' ')
          .map((word, i) => `${i + 1}. ${word}`)
          .join('\n'),
      ),
    ).toBe('1. [REDACTED:seed-phrase]')
    kept(PHRASE.replace('yellow', 'zoo'))
    kept('the quick brown fox jumps over the lazy dog and then runs away')
    kept('abandon ability able about above absent absorb abstract absurd abuse access accident account accuse')
  })

  it('takes a token with a header that names an algorithm', () => {
    expect(redact(`jwt ${jwt(random)}`)).toBe('jwt [REDACTED:jwt]')
    kept(`not signed ${jwt(random, { alg: 'none' })}`)
    kept(base64('{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}'))
  })

  it.each(['\n', '\r\n', '\\n', '\\r\\n', ' '])('takes a whole key block whose lines end in %j', (lineEnd) => {
    for (const label of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])
      expect(redact(`a ${pem(random, label, 5, lineEnd)} b`)).toMatch(/^a \[REDACTED:(?:ssh-|pgp-)?private-key\] b$/)
  })

  it('takes a key block that was cut off', () => {
    const [header, ...body] = pem(random).split('\n')
    expect(redact([header, ...body.slice(0, 3), '', 'Then we go on.'].join('\n'))).toBe(
      '[REDACTED:private-key]\n\nThen we go on.',
    )
  })

  it('takes a PuTTY key with its private lines', () => {
    const lines = [
      'PuTTY-User-Key-File-3: ssh-ed25519',
      'Encryption: none',
      'Comment: k',
      'Public-Lines: 1',
      pick(random, 64, BASE64),
    ]
    const key = [...lines, 'Private-Lines: 1', pick(random, 48, BASE64), `Private-MAC: ${hex(64)}`].join('\n')
    expect(redact(`${key}\nend`)).toBe('[REDACTED:putty-private-key]\nend')
  })

  it('takes 64 spread bytes as a key, a table of 64 small numbers not', () => {
    expect(redact(JSON.stringify(byteArray()))).toBe('["[REDACTED:solana-private-key]"]')
    expect(redact(`key ${JSON.stringify(byteArray())}.`)).toBe('key [REDACTED:solana-private-key].')
    kept(JSON.stringify(Array.from({ length: 64 }, (_, i) => i)))
  })
})

describe('evasions', () => {
  const token = githubToken()
  it.each([
    ['colour codes', `\u001b[32m${token.slice(0, 20)}\u001b[0m${token.slice(20)}`],
    ['zero-width characters', [...token].join('\u200b')],
    ['percent escapes', [...token].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')],
    ['JSON escapes', token.replace('_', '\\u005f')],
    ['entities', token.replace('_', '&#95;')],
    ['empty quotes', `${token.slice(0, 12)}''${token.slice(12)}`],
    ['concatenation', `"${token.slice(0, 12)}" + "${token.slice(12)}"`],
    ['base64', base64(`token ${token}`)],
    ['a word before it', `x${token}`],
    ['another token behind it', token + token],
  ])('sees through %s', (_, text) => {
    const result = redact(text)
    expect(result).toContain('[REDACTED:github-token]')
    expect(result.replace(/\[REDACTED:[a-z-]+\]/g, '').replace(/[^A-Za-z0-9]/g, '').length).toBeLessThan(8)
  })
})

describe('what is kept', () => {
  it.each(
    Object.entries({
      uuid: uuid(),
      'git object id': hex(40),
      sha256: `sha256:${hex(64)}`,
      'lock file integrity': `"integrity": "sha512-${pick(random, 86, BASE64)}=="`,
      'go.sum': `github.com/x/y v1.2.3 h1:${pick(random, 43, BASE64)}=`,
      'transaction hash': `0x${hex(64)}`,
      address: `0x${hex(40)}`,
      'base64 of prose': base64('The quick brown fox jumps over the lazy dog, and again.'),
      image: `data:image/png;base64,${pick(random, 400, BASE64)}`,
      certificate: pem(random, 'CERTIFICATE'),
      'public key': pem(random, 'PUBLIC KEY'),
      'header in code': 'if (text.includes("-----BEGIN PRIVATE KEY-----")) throw new Error("no")',
      'ssh public key': `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${pick(random, 48, BASE64)} me@host`,
      'publishable key': `pk_live_${pick(random, 24)}`,
      'public dsn': `https://${hex(32)}@o1.ingest.test/1`,
      'public jwk': `{"kty":"RSA","n":"${pick(random, 86, WORD)}","e":"AQAB"}`,
      traceparent: `00-${hex(32)}-${hex(16)}-01`,
      etag: `ETag: "${hex(40)}"`,
      'documented key id': `AKIA${'IOSFODNN7'}EXAMPLE`,
      'masked password': 'password: ********',
      'placeholder in angle brackets': 'api_key: <your-api-key>',
      'placeholder of x': `sk-${'x'.repeat(32)}`,
      'shell reference': `password=${shellReference('DB_PASSWORD')}`,
      'template reference': 'password: {{ .Values.db.password }}',
      'workflow reference': `token: ${shellReference('{ secrets.DEPLOY_TOKEN }')}`,
      'code reference': 'const token = process.env.API_TOKEN',
      'call in code': 'const password = await readPassword(user1)',
      'secret kept elsewhere': 'password: op://vault/item/password',
      'type in code': 'password: string',
      'page token': '"nextPageToken": "CAUQAA12345abcdefGHIJ"',
      'token count': '"total_tokens": 15023',
      'primary key': 'primaryKey=user_profile_identifier_column_name',
      'key id': `"kms_key_id": "${uuid()}"`,
      'csrf token': `csrf_token=${hex(32)}`,
      'address without password': 'postgres://localhost:5432/db',
      'address with a user only': 'https://git@host.test/o/r.git',
      'example address': 'postgres://user:password@localhost:5432/db',
      'a word with sk-': 'pip install sk-learn-contrib-hdbscan-extra',
      'a task name': 'feature/task-1234567890abcdef1234567890',
      'password rules in prose': 'Password: must contain at least 8 characters',
      'i18n text': '"password": "Passwort"',
    }),
  )('%s', (_, text) => {
    kept(text)
  })
})

describe('JSON', () => {
  it('stays JSON, also nested and with byte arrays in it', () => {
    const inner = JSON.stringify({
      password: `${pick(random, 12)}"\\x`,
      log: `a\n${githubToken()}\nb`,
      key: byteArray(),
    })
    const text = JSON.stringify({ inner, list: [byteArray(), githubToken()], [githubToken()]: 1, pem: pem(random) })
    const result = JSON.parse(redact(text)) as { inner: string; list: unknown[] }
    expect(Object.keys(result)).toEqual(['inner', 'list', '[REDACTED:github-token]', 'pem'])
    expect(result.list).toEqual([['[REDACTED:solana-private-key]'], '[REDACTED:github-token]'])
    expect(JSON.parse(result.inner)).toMatchObject({ key: ['[REDACTED:solana-private-key]'] })
  })
})

describe('values', () => {
  it('walks keys and values and leaves the original alone', () => {
    const token = githubToken()
    const value = { args: { url: `https://a.test/?q=${token}`, n: 1 }, [token]: true, list: [null, token] }
    const copy = structuredClone(value)
    expect(redactValue(value)).toEqual({
      value: {
        args: { url: 'https://a.test/?q=[REDACTED:github-token]', n: 1 },
        '[REDACTED:github-token]': true,
        list: [null, '[REDACTED:github-token]'],
      },
      found: 3,
    })
    expect(value).toEqual(copy)
  })

  it('replaces what a credential name holds, unless it is a placeholder', () => {
    const given = {
      password: 'tulip',
      apiKey: 'blue-sky-seven',
      headers: { authorization: 'opaque-thing' },
      token: shellReference('TOKEN'),
      passwordPolicy: 'strict',
    }
    expect(redactValue(given).value).toEqual({
      password: '[REDACTED:password]',
      apiKey: '[REDACTED:api-key]',
      headers: { authorization: '[REDACTED:authorization]' },
      token: shellReference('TOKEN'),
      passwordPolicy: 'strict',
    })
  })

  it('returns the same reference when there is nothing to hide', () => {
    const value = { a: [1, { b: 'text' }], c: null }
    expect(redactValue(value)).toEqual({ value, found: 0 })
    expect(redactValue(value).value).toBe(value)
  })

  it('keeps two secrets used as keys apart, and a key named __proto__ a key', () => {
    const value = JSON.parse(`{"${githubToken()}":1,"${githubToken()}":2,"__proto__":{"password":"tulip"}}`) as object
    const result = redactValue(value).value
    expect(Object.keys(result)).toEqual(['[REDACTED:github-token]', '[REDACTED:github-token]#2', '__proto__'])
    expect(({} as { password?: string }).password).toBeUndefined()
  })

  it('survives a cycle', () => {
    const value: { self?: unknown; password: string } = { password: 'tulip' }
    value.self = value
    expect(redactValue(value).value.password).toBe('[REDACTED:password]')
  })
})

describe('streams', () => {
  it('catches a token and a key block that arrive in pieces', () => {
    const text = `${'x'.repeat(65_530)} ${githubToken()}\n${pem(random, 'PRIVATE KEY', 200)}\nend`
    const redactor = createRedactor()
    let out = ''
    for (let i = 0; i < text.length; i += 1_021) out += redactor.push(text.slice(i, i + 1_021))
    expect(out + redactor.end()).toBe(`${'x'.repeat(65_530)} [REDACTED:github-token]\n[REDACTED:private-key]\nend`)
  })

  it('gives plain text out as it comes', () => {
    const redactor = createRedactor()
    const line = 'Nothing to see in this line, which is like any other line of a log.\n'
    let held = 0
    for (let i = 0; i < 200; i++) held += line.length - redactor.push(line).length
    expect(held).toBeLessThan(512)
  })
})
