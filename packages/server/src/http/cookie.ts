import type { Asking } from './checks.ts'

export function cookieIn(request: Asking, name: string): string | undefined {
  const all = (request.headers.get('cookie') ?? '').split(/;\s*/)
  return all.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** Of no age: browsers keep it in memory, and forget it when they are closed. */
export const sessionCookie = (value: string, { name, secure }: { name: string; secure: boolean }): string =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
