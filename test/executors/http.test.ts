import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Executor, Layer, WireReply } from '../../src/core/index.ts'
import { checkHttpSpec, createHttpExecutor, type HttpSpec } from '../../src/executors/http/index.ts'
import { type CallOptions, makeCall } from '../support/call.ts'
import { executorContract } from './contract.ts'
import { makeCertificate } from './http-certificate.ts'
import { serve, serveRaw } from './http-server.ts'

/** An address that is public as far as anyone can tell, and where nobody is. */
const nobody = '192.88.98.1'
const json = { 'content-type': 'application/json' }
const deny = '{"decision":"deny","reason":"no"}'

const contractPort = await serve(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
  const body = await text(request)
  if (pathname === '/hang') return
  if (pathname === '/crash') return void request.socket.destroy()
  response.writeHead(200, json)
  if (pathname === '/flood') response.end(Buffer.alloc(Number(searchParams.get('bytes')), 'x'))
  else response.end(pathname === '/echo' ? body : searchParams.get('reply'))
})
const local = (port: number, path = '/', more: Partial<HttpSpec> = {}): HttpSpec => ({
  url: `http://127.0.0.1:${port}${path}`,
  allow_local: true,
  ...more,
})

executorContract<HttpSpec>('http', {
  make: createHttpExecutor,
  answers: ({ stdout = '' }) => local(contractPort, `/?reply=${encodeURIComponent(stdout)}`),
  hangs: () => local(contractPort, '/hang'),
  floods: (bytes) => local(contractPort, `/flood?bytes=${bytes}`),
  crashes: () => local(contractPort, '/crash'),
  echoesPayload: () => local(contractPort, '/echo'),
  cannot: { 'deny-by-exit': 'an answer over HTTP has no exit code and no stderr' },
})

const open: Executor<HttpSpec>[] = []
afterEach(async () => {
  for (const executor of open.splice(0)) await executor.close?.()
})

type Resolve = NonNullable<Parameters<typeof createHttpExecutor>[0]>['resolve']

function make(resolve?: Resolve): Executor<HttpSpec> {
  const executor = createHttpExecutor(resolve ? { resolve } : {})
  open.push(executor)
  return executor
}

async function ask(
  spec: HttpSpec,
  options: CallOptions & { layer?: Layer } = {},
  executor = make(),
): Promise<WireReply> {
  const call = makeCall({ type: 'http', ...spec }, options)
  const hook = { ...call.hook, origin: { layer: options.layer ?? ('code' as const) } }
  return (await executor.run(spec, { ...call, hook })) as WireReply
}

const failure = (kind: string, message?: RegExp) => ({
  name: 'HookFailure',
  kind,
  ...(message ? { message: expect.stringMatching(message) } : {}),
})

describe('an answer', () => {
  test('is the body of a 2xx, and the payload was POSTed as JSON', async () => {
    let seen: { method: unknown; type: unknown; body: string } | undefined
    const port = await serve(async (request, response) => {
      seen = { method: request.method, type: request.headers['content-type'], body: await text(request) }
      response.writeHead(201, { 'content-type': 'application/vnd.hooks+json; charset=utf-8' }).end(deny)
    })
    expect(await ask(local(port))).toEqual({ kind: 'wire', exit: 0, stdout: deny, stderr: '' })
    expect(seen).toMatchObject({ method: 'POST', type: 'application/json' })
    expect(JSON.parse(seen!.body)).toMatchObject({ event: 'pre_tool_use', tool_name: 'shell' })
  })

  test.each([
    [204, undefined],
    [200, undefined],
    [200, 'text/html'],
  ])('of status %i with no body and content type %s is an empty reply', async (status, type) => {
    const port = await serve(
      (_, response) => void response.writeHead(status, type ? { 'content-type': type } : {}).end(),
    )
    expect(await ask(local(port))).toMatchObject({ exit: 0, stdout: '' })
  })

  test('without a content type is taken for JSON', async () => {
    const port = await serve((_, response) => void response.end(deny))
    expect((await ask(local(port))).stdout).toBe(deny)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('in %s is unpacked', async (encoding, compress) => {
    const port = await serve(
      (_, response) => void response.writeHead(200, { ...json, 'content-encoding': encoding }).end(compress(deny)),
    )
    expect((await ask(local(port))).stdout).toBe(deny)
  })

  test('that arrives in pieces, a character torn in two, is put together', async () => {
    const body = Buffer.from('{"reason":"€"}')
    const port = await serve((_, response) => {
      response.writeHead(200, json).write(body.subarray(0, 12))
      setTimeout(() => response.end(body.subarray(12)), 30)
    })
    expect((await ask(local(port))).stdout).toBe('{"reason":"€"}')
  })
})

describe('a failure is', () => {
  test.each([500, 503, 403, 404, 400, 429])('the status %i, whatever the body says', async (status) => {
    const port = await serve((_, response) => void response.writeHead(status, json).end('{"decision":"allow"}'))
    await expect(ask(local(port))).rejects.toMatchObject(failure('http', new RegExp(`${status}`)))
  })

  test.each(['text/html', 'text/plain', 'application/xml', 'image/json'])('an answer of type %s', async (type) => {
    const port = await serve(
      (_, response) => void response.writeHead(200, { 'content-type': type }).end('<html>Log in to the hotel</html>'),
    )
    await expect(ask(local(port))).rejects.toMatchObject(failure('http', new RegExp(type)))
  })

  test('an answer that is not UTF-8', async () => {
    const port = await serve((_, response) => void response.writeHead(200, json).end(Buffer.from([0x22, 0xff, 0x22])))
    await expect(ask(local(port))).rejects.toMatchObject(failure('invalid-output'))
  })

  test('an encoding nobody asked for', async () => {
    const port = await serve(
      (_, response) =>
        void response.writeHead(200, { ...json, 'content-encoding': 'gzip, gzip' }).end(gzipSync(gzipSync(deny))),
    )
    await expect(ask(local(port))).rejects.toMatchObject(failure('http', /gzip, gzip/))
  })

  test('a body that does not unpack', async () => {
    const port = await serve(
      (_, response) => void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('not gzip'),
    )
    await expect(ask(local(port))).rejects.toMatchObject(failure('http'))
  })

  test.each([
    ['with a length', 'Content-Length: 100\r\n\r\n{"decision":'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n14\r\n{"decision":"allow"}\r\n'],
  ])('an answer %s that breaks off', async (_, rest) => {
    const port = await serveRaw((socket) => {
      socket.once('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${rest}`, () => socket.resetAndDestroy()),
      )
    })
    await expect(ask(local(port))).rejects.toMatchObject(failure('http'))
  })

  test.each([
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 30\r\n\r\n{}',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
  ])('something else than HTTP (%#)', async (bytes) => {
    const port = await serveRaw((socket) => socket.once('data', () => socket.end(bytes)))
    await expect(ask(local(port, '/', { retries: 3 }))).rejects.toMatchObject(failure('http'))
  })

  test('a port where nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    await expect(ask(local(port))).rejects.toMatchObject(failure('http', /ECONNREFUSED/))
  })

  test('a name that does not resolve', async () => {
    const executor = make(async () => {
      throw new Error('ENOTFOUND')
    })
    await expect(ask({ url: 'https://hooks.example/' }, {}, executor)).rejects.toMatchObject(
      failure('http', /ENOTFOUND/),
    )
  })
})

describe('the deadline is kept when', () => {
  const late = async (spec: HttpSpec, executor = make()) => {
    const started = performance.now()
    await expect(ask(spec, { timeoutMs: 250 }, executor)).rejects.toMatchObject(failure('aborted'))
    expect(performance.now() - started).toBeLessThan(1_500)
  }

  test('the server accepts and says nothing', async () => {
    await late(local(await serveRaw(() => {})))
  })

  test('the body drips', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, json).write('{')
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    })
    await late(local(port))
  })

  test('the headers drip', async () => {
    const port = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('X: y\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    await late(local(port))
  })

  test('the resolver never answers', async () => {
    await late(
      { url: 'https://hooks.example/' },
      make(() => new Promise(() => {})),
    )
  })

  test('nobody takes the body of a large request', async () => {
    const port = await serveRaw((socket) => socket.pause())
    const payload = { text: 'x'.repeat(16 * 1024 * 1024) }
    await expect(ask(local(port), { timeoutMs: 300, payload })).rejects.toMatchObject(failure('aborted'))
  })

  test('retries are left', async () => {
    const port = await serveRaw((socket) => socket.destroy())
    await late(local(port, '/', { retries: 3 }))
  })
})

describe('the limit of a body', () => {
  test('ends an endless one, and the connection with it', async () => {
    let closed = false
    const port = await serve((_, response) => {
      response.writeHead(200, json)
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, ' '))) {}
      }
      response.on('drain', pour).on('close', () => {
        closed = true
      })
      pour()
    })
    await expect(ask(local(port))).rejects.toMatchObject(failure('output-limit'))
    await expect.poll(() => closed).toBe(true)
  })

  test('counts what was unpacked, so that a bomb does not go off', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const port = await serve(
      (_, response) => void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb),
    )
    const before = process.memoryUsage().arrayBuffers
    await expect(ask(local(port))).rejects.toMatchObject(failure('output-limit'))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })

  test('counts what arrives too: packed data may unpack to nothing', async () => {
    const emptyBlock = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff])
    const blocks = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 50_000 }, () => emptyBlock)])
    const port = await serve(
      (_, response) => void response.writeHead(200, { ...json, 'content-encoding': 'deflate' }).end(blocks),
    )
    await expect(ask(local(port, '/', { body_limit: 1_000 }))).rejects.toMatchObject(failure('output-limit'))
  })

  test('is the hook’s own, and exact', async () => {
    const port = await serve((_, response) => void response.writeHead(200, json).end(deny))
    expect((await ask(local(port, '/', { body_limit: deny.length }))).stdout).toBe(deny)
    await expect(ask(local(port, '/', { body_limit: deny.length - 1 }))).rejects.toMatchObject(failure('output-limit'))
  })
})

describe('a retry', () => {
  /** Each connection answers once and is closed when it is used again, as by a server that gave up waiting. */
  async function serveOnce() {
    const seen = { connections: 0, requests: 0 }
    const port = await serveRaw((socket) => {
      seen.connections++
      let answered = false
      socket.on('data', () => {
        seen.requests++
        if (answered) return socket.destroy()
        answered = true
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${deny.length}\r\n\r\n${deny}`,
        )
      })
    })
    return { port, seen }
  }

  test('is not made unless the hook says so', async () => {
    const { port, seen } = await serveOnce()
    const executor = make()
    await ask(local(port), {}, executor)
    await expect(ask(local(port), {}, executor)).rejects.toMatchObject(failure('http'))
    expect(seen.connections).toBe(1)
  })

  test('saves a request that met a connection just being closed', async () => {
    const { port, seen } = await serveOnce()
    const executor = make()
    await ask(local(port), {}, executor)
    expect((await ask(local(port, '/', { retries: 1 }), {}, executor)).stdout).toBe(deny)
    expect(seen).toEqual({ connections: 2, requests: 3 })
  })

  test.each([
    ['a status', 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'],
    ['half a status line', 'HTTP/1.1 20'],
    ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'],
  ])('is not made when %s was received', async (_, bytes) => {
    let requests = 0
    const port = await serveRaw((socket) => {
      socket.once('data', () => {
        requests++
        socket.end(bytes)
      })
    })
    await expect(ask(local(port, '/', { retries: 3 }))).rejects.toMatchObject(failure('http'))
    expect(requests).toBe(1)
  })

  test('is made at most as often as the hook says', async () => {
    let requests = 0
    const port = await serveRaw((socket) => {
      socket.once('data', () => {
        requests++
        socket.destroy()
      })
    })
    await expect(ask(local(port, '/', { retries: 2 }))).rejects.toMatchObject(failure('http'))
    expect(requests).toBe(3)
  })
})

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
  afterAll(() => rmSync(directory, { recursive: true }))
  const home = async () => ['127.0.0.1']

  async function secure(name: string, options?: { expired?: boolean }) {
    const certificate = makeCertificate(name, options)
    const ca_file = join(directory, `${name}-${options?.expired ?? false}.pem`)
    writeFileSync(ca_file, certificate.cert)
    let asked = 0
    const port = await serve((_, response) => {
      asked++
      response.writeHead(200, json).end(deny)
    }, certificate)
    return { url: `https://hooks.internal:${port}/`, ca_file, asked: () => asked }
  }

  test('works with an authority of one’s own', async () => {
    const { url, ca_file } = await secure('hooks.internal')
    expect((await ask({ url, ca_file, allow_local: true }, {}, make(home))).stdout).toBe(deny)
  })

  test('refuses a certificate nobody vouches for, also when the environment would not', async () => {
    const { url, asked } = await secure('hooks.internal')
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    await expect(ask({ url, allow_local: true }, {}, make(home))).rejects.toMatchObject(failure('http', /self-signed/))
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    expect(asked()).toBe(0)
  })

  test('refuses the certificate of another host', async () => {
    const { url, ca_file, asked } = await secure('other.internal')
    await expect(ask({ url, ca_file, allow_local: true, retries: 1 }, {}, make(home))).rejects.toMatchObject(
      failure('http', /altname/),
    )
    expect(asked()).toBe(0)
  })

  test('refuses a certificate that has expired', async () => {
    const { url, ca_file, asked } = await secure('hooks.internal', { expired: true })
    await expect(ask({ url, ca_file, allow_local: true }, {}, make(home))).rejects.toMatchObject(
      failure('http', /expired/),
    )
    expect(asked()).toBe(0)
  })

  test('says when the ca_file is not there', async () => {
    await expect(ask({ url: 'https://hooks.example/', ca_file: '/nowhere.pem' })).rejects.toMatchObject(
      failure('spawn', /nowhere/),
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
  test('connects to the address that was checked and asks the resolver no second time', async () => {
    const hosts: unknown[] = []
    const port = await serve((request, response) => {
      hosts.push(request.headers.host)
      response.end()
    })
    let asked = 0
    const executor = make(async () => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']))
    const spec = { url: `http://hooks.internal:${port}/`, allow_local: true }
    await ask(spec, {}, executor)
    expect({ asked, hosts }).toEqual({ asked: 1, hosts: [`hooks.internal:${port}`] })
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

test('connections are kept between calls', async () => {
  const sockets = new Set()
  const port = await serve((request, response) => {
    sockets.add(request.socket)
    response.end()
  })
  const executor = make()
  for (let call = 0; call < 20; call++) await ask(local(port), {}, executor)
  expect(sockets.size).toBe(1)
})

describe('the spec', () => {
  const accepts = (spec: object) => make().spec.safeParse({ url: 'https://hooks.example/', ...spec }).success
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
