import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createHttpExecutor, type HttpSpec } from '../../src/executors/http/index.ts'
import { soon } from '../support/soon.ts'
import { executorContract } from './contract.ts'
import { ask, deny, failure, json, local, make } from './http-ask.ts'
import { serve, serveRaw } from './http-server.ts'

const contractPort = await serve(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
  const body = await text(request)
  if (pathname === '/hang') return
  if (pathname === '/crash') return void request.socket.destroy()
  response.writeHead(200, json)
  if (pathname === '/flood') response.end(Buffer.alloc(Number(searchParams.get('bytes')), 'x'))
  else response.end(pathname === '/echo' ? body : searchParams.get('reply'))
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
    expect(performance.now() - started).toBeLessThan(soon)
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
