import ipaddr from 'ipaddr.js'
import { both, type Glob, type Match, matchesSlot, matchesText, maybe, no, wordGlob, yes } from './glob.ts'
import { type FetchAction, isKnown } from './types.ts'

/** A pattern of hosts as people write it, understood. */
export interface HostPattern {
  text: string
  host?: Glob
  /** An address block, `10.0.0.0/8`: whether an address lies in it. */
  block?(address: string): boolean
  scheme?: string
  port?: string
  /** The path of an address. */
  path?: Glob
}

export type ParsedHost = { ok: true; pattern: HostPattern } | { ok: false; detail: string; fix: string }

const shape = /^(?:([a-z][a-z0-9+.-]*|\*):\/\/)?(\[[^\]]*\]|[^/:?#]*)(?::(\d+|\*))?(\/.*)?$/i

export function parseHost(text: string): ParsedHost {
  if (ipaddr.isValidCIDR(text)) return { ok: true, pattern: { text, block: blockOf(text) } }
  const [whole, scheme, host = '', port, path] = shape.exec(text.trim()) ?? []
  if (whole === undefined || host === '' || /\s/.test(host))
    return {
      ok: false,
      detail: 'it is no host',
      fix: 'Write `example.com`, `*.example.com`, `10.0.0.0/8` or `https://example.com/*`.',
    }
  if (path !== undefined && scheme === undefined)
    return {
      ok: false,
      detail: 'it has a path, and a host has none',
      fix: `Write \`${host}\`, or an address: \`https://${host}${path}\`.`,
    }
  const name = spelt(host.toLowerCase())
    .replace(/^\[|\]$/g, '')
    .replace(/(?<=.)\.$/, '')
  return {
    ok: true,
    pattern: {
      text,
      host: wordGlob(name, true),
      ...(scheme !== undefined && scheme !== '*' && { scheme: scheme.toLowerCase() }),
      ...(port !== undefined && port !== '*' && { port }),
      ...(path !== undefined && path !== '/' && path !== '/*' && { path: wordGlob(path) }),
    },
  }
}

/** As addresses are spelt when they are matched: punycode, plain IP addresses. What has wildcards, label by label. */
function spelt(host: string): string {
  if (!host.includes('*')) return urlHost(host)
  return host
    .split('.')
    .map((label) => (/^[\w*-]*$/.test(label) || label.includes('*') ? label : urlHost(label)))
    .join('.')
}

function urlHost(host: string): string {
  try {
    return new URL(`http://${host}/`).hostname || host
  } catch {
    return host
  }
}

export function touchesHost(pattern: HostPattern, action: FetchAction): Match {
  const host = pattern.block ? inBlock(pattern.block, action) : matchesSlot(pattern.host as Glob, action.host)
  if (host === no || (pattern.scheme === undefined && pattern.port === undefined && pattern.path === undefined))
    return host
  return both(host, addressMatches(pattern, action))
}

/** For allow and except: all that is known, and all is known. */
export const coversHost = (pattern: HostPattern, action: FetchAction): boolean =>
  isKnown(action.host) && touchesHost(pattern, action) === yes

function blockOf(written: string): NonNullable<HostPattern['block']> {
  const [block, bits] = ipaddr.parseCIDR(written)
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return address.kind() === block.kind() && address.match(block, bits)
  }
}

function inBlock(isIn: NonNullable<HostPattern['block']>, { host }: FetchAction): Match {
  if (!isKnown(host)) return maybe
  return isIn((host.parts[0] as string).replace(/^\[|\]$/g, '')) ? yes : no
}

function addressMatches({ scheme, port, path }: HostPattern, { url }: FetchAction): Match {
  if (!url || !isKnown(url)) return maybe
  const text = url.parts[0] as string
  const found = /^(?:([a-z][a-z0-9+.-]*):\/\/)?[^/?#]*?(?::(\d+))?(\/.*)?$/is.exec(text)
  if (!found) return maybe
  const [, given = 'http', number = ports[given.toLowerCase()], at = '/'] = found
  if (scheme !== undefined && given.toLowerCase() !== scheme) return no
  if (port !== undefined && number !== port) return number === undefined ? maybe : no
  return path === undefined || matchesText(path, at) ? yes : no
}

const ports: Readonly<Record<string, string>> = {
  http: '80',
  https: '443',
  ftp: '21',
  ssh: '22',
  git: '9418',
  ws: '80',
  wss: '443',
}
