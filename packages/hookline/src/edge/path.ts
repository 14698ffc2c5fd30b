/** As much of `node:path` as code without files needs, for POSIX. */
export const sep = '/'
export const isAbsolute = (path: string): boolean => path.startsWith('/')
export const basename = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? ''
export const dirname = (path: string): string =>
  path.replace(/\/+$/, '').replace(/\/?[^/]*$/, '') || (isAbsolute(path) ? '/' : '.')

export function resolve(...paths: readonly string[]): string {
  const parts: string[] = []
  for (const part of paths.reduce((from, to) => (isAbsolute(to) ? to : `${from}/${to}`), '/').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

export const join = (...paths: readonly string[]): string => {
  const whole = resolve(...paths.map((path, at) => (at === 0 ? path : path.replace(/^\/+/, ''))))
  return isAbsolute(paths[0] ?? '') ? whole : whole.slice(1) || '.'
}
