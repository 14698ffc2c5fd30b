import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}

/** What is at the address of a request; undefined: nothing. */
export type Pages = (request: Request) => Response | undefined

/**
 * The files of the console, built beside this one; read once, with the first request. Only what is there by name is served, so that no path
 * leads anywhere else; every address that is no file is the page itself, which reads the address.
 */
export function openPages(): Pages | undefined {
  const root = [new URL('./console', import.meta.url), new URL('../dist/console', import.meta.url)]
    .map((url) => fileURLToPath(url))
    .find((each) => existsSync(join(each, 'index.html')))
  if (!root) return undefined
  let files: Map<string, Page> | undefined
  return (request) => {
    const path = new URL(request.url).pathname
    if (request.method !== 'GET' || path.startsWith('/api/')) return undefined
    files ??= readPages(root)
    const found = files.get(/\.\w+$/.test(path) ? path : '/index.html')
    if (!found) return undefined
    const { body, type, etag } = found
    // Built files have a digest in their names; the page itself is asked for each time.
    const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    const headers = { 'content-type': type, 'cache-control': cache, etag }
    const isKnown = request.headers.get('if-none-match')?.split(/,\s*/).includes(etag)
    return isKnown ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
  }
}

interface Page {
  body: Uint8Array<ArrayBuffer>
  type: string
  etag: string
}

function readPages(root: string): Map<string, Page> {
  const files = new Map<string, Page>()
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const body = new Uint8Array(readFileSync(join(root, name)))
    const etag = `"${createHash('sha1').update(body).digest('base64url')}"`
    files.set(`/${name.replaceAll('\\', '/')}`, { body, type, etag })
  }
  return files
}
