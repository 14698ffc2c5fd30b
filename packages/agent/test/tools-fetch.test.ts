import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { serve } from '../../hookline/test/executors/http-server.ts'
import { readable } from '../src/tools/fetch/html.ts'
import { matchesDomain } from '../src/tools/fetch/index.ts'
import { bench } from './tools-support.ts'

const local = (more: object = {}) => bench([{ type: 'fetch', allow_private_ips: true, ...more }])

describe('fetching', () => {
  it('reads a page, made readable', async () => {
    const port = await serve((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end('<title>T</title><h1>Häuser</h1><p>See <a href="/x">this</a>.</p><script>bad()</script>')
    })
    const { call } = await local()
    const url = `http://127.0.0.1:${port}/`
    expect((await call('fetch', { url })).content).toBe('T\n\n# Häuser\n\nSee [this](/x).')
    expect((await call('fetch', { urls: [url], format: 'text' })).content).toBe('T\n\nHäuser\n\nSee this.')
    expect((await call('fetch', { urls: [url], format: 'html' })).content).toMatch(/<script>/)
  })

  it('reads several; one that fails does not hinder the others', async () => {
    const port = await serve((request, response) => {
      response.statusCode = request.url === '/no' ? 404 : 200
      response.setHeader('content-type', 'text/plain')
      response.end(`at ${request.url}`)
    })
    const { call } = await local()
    const at = (path: string) => `http://127.0.0.1:${port}${path}`
    const both = await call('fetch', { urls: [at('/yes'), at('/no')] })
    expect(both.error).toBeUndefined()
    expect(both.content).toMatch(/at \/yes[\s\S]*status 404\.\nat \/no/)
    expect(await call('fetch', { url: at('/no') })).toMatchObject({ error: true })
  })

  it('takes no more than it should: size, time, kind', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/slow') return
      if (request.url === '/image') {
        response.setHeader('content-type', 'image/png')
        return void response.end(Buffer.alloc(2_048))
      }
      if (request.url === '/bomb') {
        response.setHeader('content-encoding', 'gzip')
        return void response.end(gzipSync(Buffer.alloc(50_000_000)))
      }
      response.setHeader('content-type', 'text/plain')
      response.end('x'.repeat(900_000))
    })
    const { call } = await local()
    const at = (path: string) => ({ url: `http://127.0.0.1:${port}${path}` })
    expect((await call('fetch', at('/long'))).content.length).toBeLessThan(110_000)
    expect((await call('fetch', at('/bomb'))).content).toMatch(/larger than 1048576 bytes/)
    expect((await call('fetch', at('/image'))).content).toBe('(image/png, 2.0 KiB: not text.)')
    expect((await call('fetch', { ...at('/slow'), timeout: 1 })).content).toBe('No answer in 1 seconds.')
  })

  it('stops when it is canceled', async () => {
    const port = await serve(() => {})
    const { call } = await local()
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('canceled')), 50)
    expect(await call('fetch', { url: `http://127.0.0.1:${port}` }, { signal: stop.signal })).toMatchObject({
      error: true,
      content: 'canceled',
    })
  })
})

describe('where it may go', () => {
  it.each([
    'http://127.0.0.1/',
    'http://localhost:3000/',
    'http://[::1]/',
    'http://169.254.169.254/',
    'http://2130706433/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'nonsense',
  ])('not to %s', async (url) => {
    const { call } = await bench(['fetch'])
    expect(await call('fetch', { url })).toMatchObject({ error: true })
  })

  it('not to the machine by an agent file that is not approved', async () => {
    const port = await serve((_, response) => response.end('secret'))
    const { call } = await bench([{ type: 'fetch', allow_private_ips: true }], {}, { allowLocal: false })
    expect((await call('fetch', { url: `http://127.0.0.1:${port}` })).content).toMatch(/not a public one/)
  })

  it('not to the metadata of a cloud, whatever is allowed, and by no redirect', async () => {
    const port = await serve((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' })
      response.end()
    })
    const { call } = await local()
    expect(await call('fetch', { url: 'http://169.254.169.254/' })).toMatchObject({ error: true })
    expect((await call('fetch', { url: `http://127.0.0.1:${port}` })).content).toMatch(/169\.254\.169\.254 is/)
  })

  it('only to the domains of the list, at every hop', async () => {
    const port = await serve((_, response) => {
      response.writeHead(302, { location: `http://localhost:${port}/` })
      response.end()
    })
    const { call, readOnly } = await local({ allowed_domains: ['127.0.0.1'] })
    expect((await call('fetch', { url: `http://127.0.0.1:${port}` })).content).toMatch(
      /^localhost may not be fetched from/,
    )
    expect(readOnly('fetch', { url: 'https://example.com' })).toBe(true)
    expect((await local()).readOnly('fetch', { url: 'https://example.com' })).toBe(false)
  })

  it('its own headers go to the requested host, and to no other', async () => {
    const seen: (string | undefined)[] = []
    const port = await serve((request, response) => {
      seen.push(request.headers['x-key'] as string | undefined)
      if (request.headers.host?.startsWith('127')) response.writeHead(302, { location: `http://localhost:${port}/` })
      response.end('done')
    })
    const { call } = await local({ headers: { 'x-key': 'k' } })
    expect((await call('fetch', { url: `http://127.0.0.1:${port}` })).content).toBe('done')
    expect(seen).toEqual(['k', undefined])
  })

  it('a circle of redirects ends', async () => {
    const port = await serve((_, response) => {
      response.writeHead(302, { location: '/again' })
      response.end()
    })
    const { call } = await local()
    expect((await call('fetch', { url: `http://127.0.0.1:${port}` })).content).toMatch(/More than 5 redirects/)
  })
})

describe('domains, as docker-agent matches them', () => {
  it.each<[string, string, boolean]>([
    ['example.com', 'example.com', true],
    ['docs.example.com', 'example.com', true],
    ['badexample.com', 'example.com', false],
    ['example.com', '.example.com', false],
    ['a.b.example.com', '*.example.com', true],
    ['EXAMPLE.com.', 'example.COM', true],
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['[::1]', '::1/128', true],
    ['host', '10.0.0.0/8', false],
    ['1.10.0.0.1', '10.0.0.1', true],
  ])('%s is %s: %s', (host, pattern, expected) => {
    expect(matchesDomain(host, pattern)).toBe(expected)
  })
})

describe('HTML', () => {
  it('any text comes out in a moment, without tags', async () => {
    for (const piece of [
      '<div>',
      '<div></x>',
      '<b><p>',
      '<a href="x">',
      '<a ',
      '<li ',
      '<',
      '<script ',
      '<!-- ',
      '&#',
      '<p>',
    ]) {
      const text = await readable(piece.repeat(20_000), 'markdown')
      expect(text).not.toMatch(/<script|<p>|<div>/)
    }
  })

  it('entities are what they stand for', async () => {
    expect(await readable('a&amp;b &lt;x&gt; &#8364; &#x1F600; &nope;', 'text')).toBe('a&b <x> € 😀 &nope;')
  })

  it('lists, code and emphasis are Markdown, or plain text', async () => {
    const page =
      '<ul><li>one <b>two</b></li></ul><pre><code>x\n  y</code></pre><p>2 * 3 <img src="a.png" alt="cat"></p>'
    expect(await readable(page, 'markdown')).toBe('-   one **two**\n\n```\nx\n  y\n```\n\n2 * 3 ![cat](a.png)')
    expect(await readable(page, 'text')).toBe('-   one two\n\nx\n  y\n\n2 * 3 cat')
  })
})
