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

/** What is at a path; undefined: nothing. */
export type Pages = (path: string) => Response | undefined

/**
 * The files of the console, built beside this one; read once. Only what is there by name is served, so that no path leads
 * anywhere else; every address that is no file is the page itself, which reads the address.
 */
export function openPages(): Pages | undefined {
  const root = [new URL('./console', import.meta.url), new URL('../dist/console', import.meta.url)]
    .map((url) => fileURLToPath(url))
    .find((each) => existsSync(join(each, 'index.html')))
  if (!root) return undefined
  const files = new Map<string, { body: Buffer; type: string; etag: string }>()
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const body = readFileSync(join(root, name))
    const etag = `"${createHash('sha1').update(body).digest('base64url')}"`
    files.set(`/${name.replaceAll('\\', '/')}`, { body, type, etag })
  }
  return (path) => {
    const isFile = /\.\w+$/.test(path)
    const found = files.get(isFile ? path : '/index.html')
    if (!found) return undefined
    // Built files have a digest in their names; the page itself is asked for each time.
    const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    return new Response(new Uint8Array(found.body), {
      headers: { 'content-type': found.type, 'cache-control': cache, etag: found.etag },
    })
  }
}
