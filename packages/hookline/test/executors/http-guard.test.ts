import { createHmac } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Layer } from '../../src/core/index.ts'
import { validate } from '../../src/core/index.ts'
import { checkHttpSpec, type HttpSpec } from '../../src/executors/http/index.ts'
import { missing, remove } from '../support/scratch.ts'
import { ask, deny, failure, json, local, make, nobody } from './http-ask.ts'
import { makeCertificate } from './http-certificate.ts'
import { serve } from './http-server.ts'

describe('redirects', () => {
  const redirectTo = (location: string, status = 307) =>
    serve((request, response) => {
      if (request.url === '/final') return void request.pipe(response.writeHead(200, json))
      response.writeHead(status, { location }).end()
    })

  test.each([301, 302, 303, 307, 308])('of status %i are refused by default', async (status) => {
    await expect(ask(local(await redirectTo('/final', status)))).rejects.toMatchObject(failure('http', /redirect|303/))
  })

  test.each([301, 302, 307, 308])(
    'of status %i are followed when the hook says so, payload and all',
    async (status) => {
      const reply = await ask(local(await redirectTo('/final', status), '/', { follow_redirects: 1 }))
      expect(JSON.parse(reply.stdout)).toMatchObject({ tool_name: 'shell' })
    },
  )

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/',
    'http://[::ffff:169.254.169.254]/',
    'https://elsewhere.example/',
    'file:///etc/passwd',
    '//127.0.0.2/',
    'http://user:pass@127.0.0.1/',
  ])('to %s are refused all the same', async (location) => {
    await expect(ask(local(await redirectTo(location), '/', { follow_redirects: 3 }))).rejects.toMatchObject(
      failure('ssrf'),
    )
  })

  test('in a circle end', async () => {
    await expect(ask(local(await redirectTo('/again'), '/', { follow_redirects: 3 }))).rejects.toMatchObject(
      failure('ssrf', /circle/),
    )
  })

  test('do not go on for longer than the hook says', async () => {
    let hops = 0
    const port = await serve((_, response) => void response.writeHead(307, { location: `/${++hops}` }).end())
    await expect(ask(local(port, '/', { follow_redirects: 2 }))).rejects.toMatchObject(failure('http', /redirect/))
    expect(hops).toBe(3)
  })
})

describe('headers', () => {
  const seeing = async () => {
    const seen: IncomingMessage['headers'][] = []
    const port = await serve((request, response) => {
      seen.push(request.headers)
      response.end()
    })
    return { port, seen }
  }
  afterEach(() => {
    delete process.env['HOOKLINE_TEST_TOKEN']
  })

  test('carry variables that are listed, and only those', async () => {
    const { port, seen } = await seeing()
    process.env['HOOKLINE_TEST_TOKEN'] = 'abc'
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it
    const headers = { Authorization: 'Bearer ${env:HOOKLINE_TEST_TOKEN}', 'X-Plain': '$HOME ${HOME}' }
    await ask(local(port, '/', { headers, allowed_env: ['HOOKLINE_TEST_TOKEN'] }))
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what is not ours stays as it is
    expect(seen[0]).toMatchObject({ authorization: 'Bearer abc', 'x-plain': '$HOME ${HOME}' })
    await expect(ask(local(port, '/', { headers }))).rejects.toMatchObject(failure('spawn', /HOOKLINE_TEST_TOKEN/))
    delete process.env['HOOKLINE_TEST_TOKEN']
    await expect(ask(local(port, '/', { headers, allowed_env: ['HOOKLINE_TEST_TOKEN'] }))).rejects.toMatchObject(
      failure('spawn', /not set/),
    )
    expect(seen.length).toBe(1)
  })

  test('cannot be split by a variable', async () => {
    const { port, seen } = await seeing()
    process.env['HOOKLINE_TEST_TOKEN'] = 'abc\r\nX-Smuggled: 1'
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it
    const headers = { 'X-Token': '${env:HOOKLINE_TEST_TOKEN}' }
    await expect(ask(local(port, '/', { headers, allowed_env: ['HOOKLINE_TEST_TOKEN'] }))).rejects.toMatchObject(
      failure('spawn', /X-Token/),
    )
    expect(seen).toEqual([])
  })

  test('carry a signature over time and body that the key verifies', async () => {
    process.env['HOOKLINE_TEST_TOKEN'] = 'a key'
    let body = ''
    let header = ''
    const port = await serve(async (request, response) => {
      header = String(request.headers['x-hookline-signature'])
      body = await text(request)
      response.end()
    })
    await ask(local(port, '/', { secret_env: 'HOOKLINE_TEST_TOKEN' }))
    const [, time = '', signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
    expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(60)
    expect(signature).toBe(createHmac('sha256', 'a key').update(`${time}.${body}`).digest('hex'))
  })

  test('are not sent unsigned when the key is missing', async () => {
    const { port, seen } = await seeing()
    await expect(ask(local(port, '/', { secret_env: 'HOOKLINE_TEST_TOKEN' }))).rejects.toMatchObject(failure('spawn'))
    expect(seen).toEqual([])
  })
})

describe('TLS', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-http-'))
  afterAll(() => remove(directory))
  const home = async () => ['127.0.0.1']

  async function secure(name: string, options?: { expired?: boolean }) {
    const certificate = makeCertificate(name, options)
    const ca_file = join(directory, `${name}-${options?.expired ?? false}.pem`)
    writeFileSync(ca_file, certificate.cert)
    let requestCount = 0
    const port = await serve((_, response) => {
      requestCount++
      response.writeHead(200, json).end(deny)
    }, certificate)
    return { url: `https://hooks.internal:${port}/`, ca_file, requestCount: () => requestCount }
  }

  test('works with an authority of one’s own', async () => {
    const { url, ca_file } = await secure('hooks.internal')
    expect((await ask({ url, ca_file, allow_local: true }, {}, make(home))).stdout).toBe(deny)
  })

  test('refuses an untrusted certificate, also when the environment would accept it', async () => {
    const { url, requestCount } = await secure('hooks.internal')
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    await expect(ask({ url, allow_local: true }, {}, make(home))).rejects.toMatchObject(failure('http', /self-signed/))
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    expect(requestCount()).toBe(0)
  })

  test('refuses the certificate of another host', async () => {
    const { url, ca_file, requestCount } = await secure('other.internal')
    await expect(ask({ url, ca_file, allow_local: true, retries: 1 }, {}, make(home))).rejects.toMatchObject(
      failure('http', /altname/),
    )
    expect(requestCount()).toBe(0)
  })

  test('refuses a certificate that has expired', async () => {
    const { url, ca_file, requestCount } = await secure('hooks.internal', { expired: true })
    await expect(ask({ url, ca_file, allow_local: true }, {}, make(home))).rejects.toMatchObject(
      failure('http', /expired/),
    )
    expect(requestCount()).toBe(0)
  })

  test('says when the ca_file is not there', async () => {
    await expect(ask({ url: 'https://hooks.example/', ca_file: missing('ca.pem') })).rejects.toMatchObject(
      failure('spawn', /ca\.pem/),
    )
  })
})

describe('the guard', () => {
  let reached = 0
  const target = serve((_, response) => {
    reached++
    response.end()
  })
  afterEach(() => {
    expect(reached).toBe(0)
  })

  test.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '127.1',
    '①②⑦.0.0.1',
    '[::]',
    '[64:ff9b::7f00:1]',
    '127.0.0.1.nip.io',
    'LOCALHOST.',
  ])('keeps a request from %s', async (host) => {
    await expect(ask({ url: `http://${host}:${await target}/` })).rejects.toMatchObject(failure('ssrf'))
  })

  test.each([
    ['a local answer', ['127.0.0.1']],
    ['a local answer among public ones', ['93.184.215.14', '10.0.0.8', '93.184.215.15']],
    ['a local answer inside IPv6', ['::ffff:7f00:1']],
    ['no answer', []],
    ['an answer that is no address', ['127.1']],
  ])('refuses a name with %s', async (_, answers) => {
    await expect(
      ask(
        { url: `http://hooks.example:${await target}/` },
        {},
        make(async () => answers),
      ),
    ).rejects.toMatchObject(failure('ssrf'))
  })

  test.each(['169.254.169.254', '[fd00:ec2::254]', '0xa9fea9fe', '100.100.100.200', 'metadata.google.internal'])(
    'keeps a request from the metadata at %s, also with allow_local',
    async (host) => {
      await expect(ask({ url: `http://${host}/`, allow_local: true })).rejects.toMatchObject(failure('ssrf'))
    },
  )

  test('refuses a local name that leads to metadata, also with allow_local', async () => {
    const executor = make(async () => ['127.0.0.1', '169.254.169.254'])
    await expect(
      ask({ url: `http://hooks.internal:${await target}/`, allow_local: true }, {}, executor),
    ).rejects.toMatchObject(failure('ssrf'))
  })

  test.each(['project', 'local'] as const)('does not let the %s layer allow local addresses', async (layer) => {
    await expect(ask(local(await target), { layer })).rejects.toMatchObject(failure('ssrf', /allow_local/))
  })

  test('does not let an environment name a proxy', async () => {
    process.env['http_proxy'] = `http://127.0.0.1:${await target}`
    const run = ask(
      { url: 'http://hooks.example/' },
      { timeoutMs: 300 },
      make(async () => [nobody]),
    )
    await expect(run).rejects.toMatchObject({ kind: expect.stringMatching(/http|aborted/) })
    delete process.env['http_proxy']
  })
})

describe('the pin', () => {
  test('connects to the address that was checked and resolves the name only once', async () => {
    const hosts: unknown[] = []
    const port = await serve((request, response) => {
      hosts.push(request.headers.host)
      response.end()
    })
    let lookups = 0
    const executor = make(async () => (lookups++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']))
    const spec = { url: `http://hooks.internal:${port}/`, allow_local: true }
    await ask(spec, {}, executor)
    expect({ lookups, hosts }).toEqual({ lookups: 1, hosts: [`hooks.internal:${port}`] })
    await expect(ask(spec, {}, executor)).rejects.toMatchObject(failure('ssrf'))
    expect(hosts.length).toBe(1)
  })

  test('does not lend a local connection to a hook that may not reach local addresses', async () => {
    let requests = 0
    const port = await serve((_, response) => {
      requests++
      response.end()
    })
    let answer = ['127.0.0.1']
    const executor = make(async () => answer)
    await ask({ url: `http://hooks.example:${port}/`, allow_local: true }, {}, executor)
    answer = [nobody]
    const run = ask({ url: `http://hooks.example:${port}/` }, { timeoutMs: 300 }, executor)
    await expect(run).rejects.toMatchObject({ kind: expect.stringMatching(/http|aborted/) })
    expect(requests).toBe(1)
  })
})

describe('the spec', () => {
  const accepts = (spec: object) => validate(make().spec, { url: 'https://hooks.example/', ...spec }).ok
  test('is strict', () => {
    expect(accepts({})).toBe(true)
    expect(accepts({ method: 'GET' })).toBe(false)
    expect(accepts({ url: 'ftp://hooks.example/' })).toBe(false)
    expect(accepts({ retries: 4 })).toBe(false)
    expect(accepts({ follow_redirects: 4 })).toBe(false)
    expect(accepts({ secret_env: 'not a name' })).toBe(false)
    for (const name of ['Host', 'Content-Length', 'transfer-encoding', 'X-Hookline-Signature', 'bad name', 'x:y'])
      expect(accepts({ headers: { [name]: 'x' } }), name).toBe(false)
  })

  test('is checked at load: local URLs need allow_local, and allow_local needs the right layer', () => {
    const codes = (spec: Partial<HttpSpec>, layer: Layer) =>
      checkHttpSpec({ url: 'https://hooks.example/', ...spec }, layer).map(({ code }) => code)
    expect(codes({}, 'project')).toEqual([])
    expect(codes({ url: 'http://127.1/' }, 'user')).toEqual(['spec-invalid'])
    for (const layer of ['managed', 'user', 'session', 'code'] as const)
      expect(codes({ url: 'http://localhost:8000/', allow_local: true }, layer)).toEqual([])
    for (const layer of ['project', 'local'] as const) {
      expect(codes({ allow_local: true }, layer)).toEqual(['option-not-allowed'])
      expect(codes({ url: 'http://localhost/', allow_local: true }, layer)).toEqual([
        'option-not-allowed',
        'spec-invalid',
      ])
    }
    expect(codes({ url: 'http://169.254.169.254/', allow_local: true }, 'managed')).toEqual(['spec-invalid'])
  })
})
