import { describe, expect, test } from 'vitest'
import { checkAddress, checkRedirect, checkUrl, isMetadataAddress } from '../../src/guards/network/index.ts'
import fc from '../support/property.ts'

const verdictOf = (url: string, addresses?: string[]) => checkUrl(url, addresses).verdict

describe('an address literal is public only when the internet routes to it', () => {
  test.each([
    '127.0.0.53',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.44.1',
    '169.254.1.1',
    '100.127.255.255',
    '0.0.0.0',
    '192.0.0.8',
    '192.0.2.44',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.99',
    '224.0.0.251',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.192',
    '100.100.100.200',
    '168.63.129.16',
    '::',
    '::1',
    '::2',
    'fe80::1',
    'febf::1',
    'fec0::9',
    'fd12:3456::1',
    'ff02::1',
    '100::5',
    '2001:db8::9',
    '2001:2::9',
    '2001:20::1',
    '3fff:fff::1',
    '5f00::9',
    '4000::1',
    '::ffff:192.168.0.9',
    '::192.168.0.9',
    '::8.8.8.8',
    '::ffff:0:10.0.0.1',
    '64:ff9b::192.168.0.9',
    '64:ff9b:1::8.8.8.8',
    '2002:c0a8:9::1',
    '2002:808:808::',
    '2001:0:53aa:64c::1',
    '2606:4700::5efe:10.0.0.1',
    '2606:4700::200:5efe:10.0.0.1',
  ])('%s is refused', (address) => {
    expect(checkAddress(address)).toMatchObject({ verdict: 'refused' })
    expect(verdictOf(address.includes(':') ? `https://[${address}]/x` : `https://${address}/x`)).toBe('refused')
  })

  test.each([
    '1.1.1.1',
    '9.9.9.9',
    '11.0.0.0',
    '100.128.0.1',
    '126.255.255.255',
    '169.253.255.255',
    '172.15.0.1',
    '191.255.255.255',
    '192.0.1.1',
    '198.20.0.1',
    '168.63.129.17',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '2001:200::1',
    '2001:db9::1',
    '3fff:1000::1',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
  ])('%s is public', (address) => {
    expect(checkAddress(address)).toMatchObject({ verdict: 'public' })
    expect(verdictOf(address.includes(':') ? `https://[${address}]/x` : `https://${address}/x`)).toBe('public')
  })

  test.each([
    '',
    'example.com',
    '010.0.0.1',
    '0x7f.1',
    '1.1.1',
    '2130706433',
    'fe80::1%eth0',
    ':::',
    '[::1',
    '1.1.1.1 ',
    '::ffff:1.1.1.01',
  ])('what is not a plain address is refused: %j', (address) => expect(checkAddress(address).verdict).toBe('refused'))
})

describe('every spelling of a private IPv4 address is refused', () => {
  const block = (base: number[], bits: number) => {
    const start = number(base)
    return fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((offset) => octets(start + offset))
  }
  const privateAddress = fc.oneof(
    block([0, 0, 0, 0], 8),
    block([10, 0, 0, 0], 8),
    block([100, 64, 0, 0], 10),
    block([127, 0, 0, 0], 8),
    block([169, 254, 0, 0], 16),
    block([172, 16, 0, 0], 12),
    block([192, 0, 0, 0], 24),
    block([192, 0, 2, 0], 24),
    block([192, 168, 0, 0], 16),
    block([198, 18, 0, 0], 15),
    block([198, 51, 100, 0], 24),
    block([203, 0, 113, 0], 24),
    block([224, 0, 0, 0], 3),
  )

  test('as a URL host', () => {
    fc.assert(
      fc.property(privateAddress, fc.constantFrom(...SPELLINGS), fc.boolean(), (address, spell, dot) => {
        expect(verdictOf(`http://${spell(address)}${dot ? '.' : ''}/a?b#c`)).toBe('refused')
      }),
      { numRuns: 2000 },
    )
  })

  test('wrapped in IPv6, in a URL and as a DNS answer', () => {
    fc.assert(
      fc.property(privateAddress, fc.constantFrom(...WRAPPINGS), (address, wrap) => {
        const wrapped = wrap(address)
        expect(checkAddress(wrapped).verdict).toBe('refused')
        expect(verdictOf(`http://[${wrapped}]:8443/`)).toBe('refused')
        expect(verdictOf('https://api.example.com/', ['1.1.1.1', wrapped])).toBe('refused')
      }),
      { numRuns: 1000 },
    )
  })

  test('metadata is known in any wrapping', () => {
    for (const wrap of WRAPPINGS)
      for (const address of [
        [169, 254, 169, 254],
        [168, 63, 129, 16],
        [100, 100, 100, 200],
      ])
        expect(isMetadataAddress(wrap(address))).toBe(true)
    expect(isMetadataAddress('10.0.0.1')).toBe(false)
    expect(isMetadataAddress('nonsense')).toBe(false)
  })
})

describe('a name that only a local network can answer is refused', () => {
  test.each([
    'localhost',
    'LocalHost',
    'localhost.',
    'api.localhost',
    'localhost.localdomain',
    'ip6-loopback',
    'router',
    'db.internal',
    'nas.local',
    'tv.lan',
    'router.home.arpa',
    'ci.corp',
    'wiki.intranet',
    'a.test',
    'a.invalid',
    'a.onion',
    'host.docker.internal',
    'host.containers.internal',
    'kubernetes.default',
    'api.prod.svc',
    'api.prod.svc.cluster.local',
    'metadata.google.internal',
    'Metadata.Google.Internal.',
    'metadata.goog',
    'instance-data',
    'metadata.tencentyun.com',
    'ｌｏｃａｌｈｏｓｔ',
    'local\u200bhost',
    'nas。local',
    'lvh.me',
    'app.localtest.me',
    '10.0.0.1.nip.io',
    'app-192-168-1-9.sslip.io',
    '7f000001.c0a80001.rbndr.us',
    'localhost..',
    'a..example.com',
    '.example.com',
    'example.c0m',
    '127.0.0.1..',
  ])('%s', (host) => expect(verdictOf(`http://${host}/`)).toBe('refused'))

  test.each([
    'example.com',
    'example.com.',
    'localhost.example.com',
    'mylocal.org',
    'internal.company.com',
    'bücher.de',
    'пример.рф',
    '1.1.1.1.nip.io',
    'metadata.example.org',
    'svc.io',
  ])('but %s is public', (host) => expect(verdictOf(`http://${host}/`)).toBe('public'))
})

describe('the shape of a URL', () => {
  test.each([
    [
      'not parseable',
      [
        '',
        'x',
        '//example.com',
        'http://',
        'http://[::1',
        'http://1.2.3.4.5/',
        'http://256.1.1.1/',
        'http://a b/',
        'http://x:99999/',
      ],
    ],
    [
      'not http',
      [
        'ftp://example.com/',
        'file:///etc/hosts',
        'ws://example.com/',
        'data:text/plain,x',
        'blob:https://example.com/1',
        'javascript:1',
      ],
    ],
    [
      'credentials',
      [
        'http://user@example.com/',
        'http://u:p@example.com/',
        'http://example.com@127.0.0.1/',
        'http://:p@example.com/',
      ],
    ],
    ['another service', ['http://example.com:25/', 'https://example.com:6667/', 'http://example.com:0/']],
    [
      'read as another host by other programs',
      [
        'http://example.com:80\\@127.0.0.1/',
        'http://example.com\\.evil.example',
        'http://exam\tple.com/',
        'https:\\\\example.com',
      ],
    ],
    [
      'repaired to a private host',
      ['http:\\\\127.0.0.1\\x', 'http:/127.0.0.1', ' http://127.0.0.1', 'h\tttp://127.0.\n0.1/', 'http://%6cocalhost/'],
    ],
  ])('refused: %s', (_, urls) => {
    for (const url of urls) expect(verdictOf(url), url).toBe('refused')
  })

  test.each([
    'https://example.com:8443/',
    'http://example.com:80/',
    'http://example.com/@localhost',
    'http://example.com?u=http://127.0.0.1/',
    'http://example.com#@10.0.0.1',
    'http://example.com/a\\b',
  ])('public: %s', (url) => expect(verdictOf(url)).toBe('public'))
})

describe('DNS answers', () => {
  test('every answer must be public', () => {
    expect(verdictOf('https://example.com/', ['93.184.216.34', '2606:4700::1'])).toBe('public')
    expect(verdictOf('https://example.com/', ['93.184.216.34', '10.0.0.1'])).toBe('refused')
    expect(verdictOf('https://example.com/', ['not-an-address'])).toBe('refused')
  })

  test('no answer is refused', () => expect(verdictOf('https://example.com/', [])).toBe('refused'))

  test('a refused host stays refused whatever DNS says', () => {
    expect(verdictOf('http://localhost/', ['1.1.1.1'])).toBe('refused')
    expect(verdictOf('http://127.0.0.1/', ['1.1.1.1'])).toBe('refused')
  })

  test('adding an answer never turns a refusal into a pass', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6())
    fc.assert(
      fc.property(fc.array(address, { minLength: 1 }), address, (answers, another) => {
        if (verdictOf('https://example.com/', answers) === 'refused')
          expect(verdictOf('https://example.com/', [...answers, another])).toBe('refused')
      }),
    )
  })
})

describe('allowing local addresses', () => {
  const local = (url: string, addresses?: string[]) => checkUrl(url, addresses, { allowLocal: true }).verdict

  test.each([
    'http://127.0.0.1:8080/',
    'http://[::1]/',
    'http://localhost/',
    'http://10.0.0.1/',
    'http://[fd12::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://ollama:11434/',
    'http://host.docker.internal/',
  ])('lets %s through', (url) => expect(local(url)).toBe('public'))

  test.each([
    'http://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://168.63.129.16/',
    'http://metadata/',
    'http://metadata.google.internal./',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
    'http://0.0.0.0/',
    'http://[2002:7f00:1::]/',
    'file:///etc/hosts',
    'http://u@localhost/',
    'http://localhost:22/',
  ])('still refuses %s', (url) => expect(local(url)).toBe('refused'))

  test('still refuses a name that resolves to a metadata endpoint', () => {
    expect(local('http://nas.local/', ['192.168.1.9'])).toBe('public')
    expect(local('http://nas.local/', ['192.168.1.9', '169.254.169.254'])).toBe('refused')
  })
})

describe('a redirect of a request that carries data', () => {
  const hop = (visited: string[], location: string) => checkRedirect(visited, location).verdict

  test('may stay on its origin', () => {
    expect(hop(['https://example.com/a'], '/b')).toBe('public')
    expect(hop(['https://example.com/a'], 'https://example.com:443/b')).toBe('public')
  })

  test.each([
    'https://example.org/',
    'http://example.com/b',
    '//127.0.0.1/',
    'https://example.com:444/',
    'file:///x',
    'http://[',
    '/a',
    '#again',
  ])('may not go to %s', (location) =>
    expect(hop(['https://example.com/a', 'https://example.com/a#again'], location)).toBe('refused'),
  )

  test('ends after three hops', () => {
    const visited = [0, 1, 2].map((step) => `https://example.com/${step}`)
    expect(hop(visited, '/3')).toBe('public')
    expect(hop([...visited, 'https://example.com/3'], '/4')).toBe('refused')
  })

  test('checks the addresses of the next hop', () =>
    expect(checkRedirect(['https://example.com/a'], '/b', ['10.0.0.1']).verdict).toBe('refused'))
})

test('no input throws, and every verdict says why', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
    fc.string().map((host) => `http://${host}/`),
  )
  fc.assert(
    fc.property(
      text,
      fc.option(fc.array(fc.string()), { nil: undefined }),
      fc.boolean(),
      (url, addresses, allowLocal) => {
        for (const verdict of [checkUrl(url, addresses, { allowLocal }), checkAddress(url), checkRedirect([url], url)])
          expect(verdict.why).toMatch(/\S/)
        isMetadataAddress(url)
      },
    ),
  )
})

const SPELLINGS: ((address: number[]) => string)[] = [
  (address) => address.join('.'),
  (address) => String(number(address)),
  (address) => `0x${number(address).toString(16)}`,
  (address) => `0${number(address).toString(8)}`,
  (address) => address.map((octet) => `0x${octet.toString(16)}`).join('.'),
  (address) => address.map((octet) => `000${octet.toString(8)}`).join('.'),
  ([a = 0, ...rest]) => `${a}.${number([0, ...rest])}`,
  ([a = 0, b = 0, ...rest]) => `${a}.0${b.toString(8)}.${number([0, 0, ...rest])}`,
  (address) => [...address.join('.')].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
  (address) =>
    [...address.join('．')]
      .map((char) => (/\d/.test(char) ? String.fromCodePoint(0xff10 + Number(char)) : char))
      .join(''),
  (address) => address.join('。'),
  (address) => address.join('｡'),
  (address) => address.join('\t.'),
]

const WRAPPINGS: ((address: number[]) => string)[] = [
  (address) => `::ffff:${address.join('.')}`,
  (address) => `0:0:0:0:0:FFFF:${hextets(address)}`,
  (address) => `::ffff:0:${address.join('.')}`,
  (address) => `::${address.join('.')}`,
  (address) => `64:ff9b::${hextets(address)}`,
  (address) => `64:ff9b:1::${hextets(address)}`,
  (address) => `2002:${hextets(address)}::1`,
  (address) => `2001::${hextets(address.map((octet) => octet ^ 255))}`,
  (address) => `2606:4700:1::5efe:${hextets(address)}`,
]

function number(address: number[]): number {
  return address.reduce((sum, octet) => sum * 256 + octet, 0)
}

function octets(value: number): number[] {
  return [value / 2 ** 24, value / 2 ** 16, value / 2 ** 8, value].map((part) => Math.floor(part) % 256)
}

function hextets([a = 0, b = 0, c = 0, d = 0]: number[]): string {
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
